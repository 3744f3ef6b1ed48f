import type { CelInput } from '@bufbuild/cel';
import { none, some } from '../../cel/library.js';
import { isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import { duplicateValue, type FieldError, forbiddenValue, invalidValue, requiredValue } from '../status.js';
import { attempt, type CompiledRule, compiledRules, fieldSteps, stepsText } from './schema-rules.js';
import { schemaValue } from './schema-types.js';

interface Place {
  readonly openApi: Obj;
  readonly path: string;
  readonly root: boolean;
  /** The value that stands here now, where it can be told. */
  readonly old: unknown;
  /** What stands here, or the nearest place around it that can be told, did not change. */
  readonly unchanged: boolean;
}

/** The rules of a schema, asked of an object; `warn` hears of faults in what did not change. */
export function objectRuleErrors(
  openApi: Obj,
  object: Obj,
  old: Obj | undefined,
  warn: (text: string) => void,
): FieldError[] {
  const place = { openApi, path: '', root: true, old, unchanged: false };
  return errorsAt(object, place, warn);
}

function errorsAt(value: unknown, place: Place, warn: (text: string) => void): FieldError[] {
  if (value === null || value === undefined) return [];
  const errors = compiledRules(place.openApi, place.root).flatMap((rule) =>
    ruleErrors(rule, value, place, warn),
  );
  for (const [item, inner] of inside(value, place)) errors.push(...errorsAt(item, inner, warn));
  return errors;
}

function inside(value: unknown, { openApi, path, old, unchanged }: Place): [unknown, Place][] {
  const place = (
    schema: unknown,
    at: string,
    item: unknown,
    before: unknown,
    known: boolean,
  ): [unknown, Place] => [
    item,
    {
      openApi: objOf(schema),
      path: at,
      root: objOf(schema)['x-kubernetes-embedded-resource'] === true,
      old: before,
      unchanged: known ? before !== undefined && sameJson(item, before) : unchanged,
    },
  ];
  if (Array.isArray(value)) {
    const keyed = openApi['x-kubernetes-list-type'] === 'map';
    const keys = listOf(openApi['x-kubernetes-list-map-keys']).map(textOf);
    return value.map((item, index) => {
      const before = keyed
        ? listOf(old).find((one) => keys.every((key) => sameJson(objOf(one)[key], objOf(item)[key])))
        : undefined;
      return place(openApi.items, `${path}[${index}]`, item, before, keyed);
    });
  }
  if (!isObj(value)) return [];
  const atomic = openApi['x-kubernetes-map-type'] === 'atomic';
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => {
      const before = atomic ? undefined : objOf(old)[name];
      const field = objOf(openApi.properties)[name];
      const map = isObj(openApi.additionalProperties) && field === undefined;
      const at = map ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      return place(field ?? openApi.additionalProperties, at, item, before, !atomic);
    });
}

function ruleErrors(
  rule: CompiledRule,
  value: unknown,
  { openApi, path, root, old, unchanged }: Place,
  warn: (text: string) => void,
): FieldError[] {
  const { source, program } = rule;
  const type = textOf(openApi.type);
  if (!program)
    return rule.fault === undefined ? [] : [invalidValue(path, type, `rule compile error: ${rule.fault}`)];
  const optional = source.optionalOldSelf === true;
  if (rule.usesOldSelf && (old === undefined || old === null) && !optional) return [];
  const before = old === undefined || old === null ? undefined : schemaValue(old, openApi, root);
  const variables: Record<string, CelInput> = { self: schemaValue(value, openApi, root) };
  if (optional) variables.oldSelf = before === undefined ? none() : some(before);
  else if (before !== undefined) variables.oldSelf = before;
  const outcome = attempt(() => program.run(variables));
  if (typeof outcome === 'string')
    return [invalidValue(path || '<nil>', type, evaluationText(outcome, source.rule, source.message))];
  if (outcome === true) return [];
  const steps = source.fieldPath === '' ? [] : (fieldSteps(source.fieldPath, openApi) ?? []);
  const detail = messageOf(rule, variables) ?? defaultMessage(source.rule, source.message);
  const error = reasoned(stepsText(path, steps) || '<nil>', type, value, detail, source.reason);
  if (!rule.usesOldSelf && unchanged) {
    warn(`${error.field}: ${error.detail}`);
    return [];
  }
  return [error];
}

function evaluationText(fault: string, rule: string, message: string): string {
  const about = message.trim() || rule.trim();
  return fault.startsWith('no such overload')
    ? `'${fault}': call arguments did not match a supported operator, function or macro signature for rule: ${about}`
    : `${fault} evaluating rule: ${about}`;
}

const defaultMessage = (rule: string, message: string) =>
  message.trim() === '' ? `failed rule: ${rule.trim()}` : message.trim();

/** A message that fails, is empty or has line breaks gives way to the written one. */
function messageOf({ message }: CompiledRule, variables: Record<string, CelInput>): string | undefined {
  const text = message && attempt(() => ({ value: message.run(variables) }));
  if (text === undefined || typeof text === 'string' || typeof text.value !== 'string') return undefined;
  const trimmed = text.value.trim();
  return trimmed === '' || /[\n\r]/.test(trimmed) ? undefined : trimmed;
}

function reasoned(
  field: string,
  type: string,
  value: unknown,
  detail: string,
  reason: string | undefined,
): FieldError {
  const shown = type === 'object' || type === 'array' ? undefined : value;
  if (reason === 'FieldValueForbidden') return forbiddenValue(field, detail);
  if (reason === 'FieldValueRequired') return requiredValue(field, detail);
  if (reason === 'FieldValueDuplicate') {
    return shown === undefined
      ? { field, type: 'Duplicate', detail: 'Duplicate value' }
      : duplicateValue(field, shown);
  }
  // Objects and lists are left out of the text.
  return shown === undefined
    ? { field, type: 'Invalid', detail: `Invalid value: ${detail}` }
    : invalidValue(field, shown, detail);
}
