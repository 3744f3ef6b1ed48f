import { at, isObj, listOf, type Obj, objOf, sameJson } from '../json.js';
import type { KubeObject } from '../object.js';
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from '../status.js';
import { type CompiledRule, compiledRules, fieldSteps, rulesOf, type SchemaRule } from './schema-rules.js';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** The rules of a definition's schemas, compiled: what is wrong with each. */
export function definitionRuleErrors(definition: KubeObject): FieldError[] {
  const versions = listOf(at(definition, 'spec', 'versions')).map(objOf);
  const schemas = versions.map((version) => objOf(at(version, 'schema', 'openAPIV3Schema')));
  const [first = {}] = schemas;
  // Versions with one schema are one to the server.
  if (schemas.every((schema) => sameJson(schema, first))) {
    return schemaErrors(first, 'spec.validation.openAPIV3Schema', true, undefined);
  }
  return schemas.flatMap((schema, index) =>
    schemaErrors(schema, `spec.versions[${index}].schema.openAPIV3Schema`, true, undefined),
  );
}

/** `lost`: the list from whose elements no old value can be told. */
function schemaErrors(openApi: Obj, path: string, root: boolean, lost: string | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const atomic = openApi['x-kubernetes-map-type'] === 'atomic' ? (lost ?? path) : lost;
  const fields = Object.entries(objOf(openApi.properties)).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, field] of fields) {
    errors.push(...schemaErrors(objOf(field), `${path}.properties[${name}]`, isEmbedded(field), atomic));
  }
  if (isObj(openApi.additionalProperties)) {
    const more = openApi.additionalProperties;
    errors.push(...schemaErrors(more, `${path}.additionalProperties`, isEmbedded(more), atomic));
  }
  if (isObj(openApi.items)) {
    const keyed = openApi['x-kubernetes-list-type'] === 'map';
    const inside = keyed ? lost : (lost ?? path);
    errors.push(...schemaErrors(openApi.items, `${path}.items`, isEmbedded(openApi.items), inside));
  }
  const rules = rulesOf(openApi);
  const formal = rules.flatMap((rule, index) =>
    formErrors(rule, openApi, `${path}.x-kubernetes-validations[${index}]`),
  );
  if (formal.length > 0) return [...errors, ...formal];
  compiledRules(openApi, root).forEach((rule, index) => {
    errors.push(...ruleErrors(rule, `${path}.x-kubernetes-validations[${index}]`, lost));
  });
  return errors;
}

const isEmbedded = (schema: unknown) => objOf(schema)['x-kubernetes-embedded-resource'] === true;

function formErrors(rule: SchemaRule, openApi: Obj, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const blank = (text: string) => text !== '' && text.trim() === '';
  const broken = (text: string) => /[\n\r]/.test(text.trim());
  if (rule.rule.trim() === '') errors.push(requiredValue(`${path}.rule`, 'rule is not specified'));
  else if (blank(rule.message)) {
    errors.push(invalidValue(`${path}.message`, rule.message, 'must be non-empty if specified'));
  } else if (broken(rule.message)) {
    errors.push(invalidValue(`${path}.message`, rule.message, 'must not contain line breaks'));
  } else if (broken(rule.rule) && rule.message.trim() === '') {
    errors.push(requiredValue(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (blank(rule.messageExpression)) {
    errors.push(
      requiredValue(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'),
    );
  }
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) {
    errors.push(unsupportedValue(`${path}.reason`, rule.reason, REASONS));
  }
  if (blank(rule.fieldPath)) {
    errors.push(invalidValue(`${path}.fieldPath`, rule.fieldPath, 'must be non-empty if specified'));
  }
  if (/[\n\r]/.test(rule.fieldPath)) {
    errors.push(invalidValue(`${path}.fieldPath`, rule.fieldPath, 'must not contain line breaks'));
  }
  if (rule.fieldPath !== '' && !fieldSteps(rule.fieldPath, openApi)) {
    errors.push(invalidValue(`${path}.fieldPath`, rule.fieldPath, 'must be a valid path'));
  }
  return errors;
}

function ruleErrors(rule: CompiledRule, path: string, lost: string | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const { source } = rule;
  const broken = (field: string, detail: string): FieldError => ({
    field: `${path}.${field}`,
    type: 'Invalid',
    detail: `Invalid value: ${ruleText(source)}: ${detail}`,
  });
  if (rule.fault !== undefined) errors.push(broken('rule', rule.fault));
  if (rule.messageFault !== undefined) errors.push(broken('messageExpression', rule.messageFault));
  if (rule.usesOldSelf && lost !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${lost}`;
    errors.push(invalidValue(`${path}.rule`, source.rule, detail));
  }
  if (!rule.usesOldSelf && source.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    errors.push(invalidValue(`${path}.optionalOldSelf`, source.optionalOldSelf, detail));
  }
  return errors;
}

/** The rule as the server's own type, in Go's JSON. */
function ruleText(rule: SchemaRule): string {
  const shown = {
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
  return JSON.stringify(shown).replace(
    /[<>&]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
