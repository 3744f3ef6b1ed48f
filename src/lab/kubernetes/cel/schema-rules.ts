import { kubernetesFunctions } from '../../cel/overloads.js';
import { compile, isBool, isString, type Program } from '../../cel/program.js';
import { CelFault } from '../../cel/source.js';
import { type CelType, optionalOf } from '../../cel/types.js';
import { isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import { schemaType } from './schema-types.js';

/** One entry of `x-kubernetes-validations`. */
export interface SchemaRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

export interface CompiledRule {
  readonly source: SchemaRule;
  readonly program?: Program;
  readonly fault?: string;
  readonly message?: Program;
  readonly messageFault?: string;
  readonly usesOldSelf: boolean;
}

export function rulesOf(openApi: Obj): SchemaRule[] {
  return listOf(openApi['x-kubernetes-validations'])
    .map(objOf)
    .map((rule) => ({
      rule: textOf(rule.rule),
      message: textOf(rule.message),
      messageExpression: textOf(rule.messageExpression),
      reason: typeof rule.reason === 'string' ? rule.reason : undefined,
      fieldPath: textOf(rule.fieldPath),
      optionalOldSelf: typeof rule.optionalOldSelf === 'boolean' ? rule.optionalOldSelf : undefined,
    }));
}

/** Definitions live long and are asked often: each schema's rules are compiled once. */
const compiled = new WeakMap<Obj, readonly CompiledRule[]>();

export function compiledRules(openApi: Obj, root: boolean): readonly CompiledRule[] {
  const known = compiled.get(openApi);
  if (known) return known;
  const type = schemaType(openApi, root);
  const rules = type ? rulesOf(openApi).map((rule) => compileRule(rule, type)) : [];
  compiled.set(openApi, rules);
  return rules;
}

function compileRule(source: SchemaRule, self: CelType): CompiledRule {
  const oldSelf = source.optionalOldSelf === true ? optionalOf(self) : self;
  const scope = { variables: { self, oldSelf }, functions: kubernetesFunctions() };
  const built = attempt(() => compile(source.rule, scope));
  if (typeof built === 'string') return { source, usesOldSelf: false, fault: `compilation failed: ${built}` };
  const usesOldSelf = built.uses.has('oldSelf');
  if (!isBool(built.type))
    return { source, usesOldSelf: false, fault: 'cel expression must evaluate to a bool' };
  if (source.messageExpression === '') return { source, usesOldSelf, program: built };
  const message = attempt(() => compile(source.messageExpression, scope));
  if (typeof message === 'string') {
    return {
      source,
      usesOldSelf,
      program: built,
      messageFault: `messageExpression compilation failed: ${message}`,
    };
  }
  if (!isString(message.type)) {
    return {
      source,
      usesOldSelf,
      program: built,
      messageFault: 'messageExpression must evaluate to a string',
    };
  }
  return { source, usesOldSelf, program: built, message };
}

/** What `make` makes, or the text of the fault in its expression. */
export function attempt<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    if (error instanceof CelFault) return error.message;
    throw error;
  }
}

/**
 * `.spec['a-b'].c` as the steps it takes; `undefined`: no path, or not one of this schema.
 * A step into a map is a key, not a field.
 */
export function fieldSteps(path: string, openApi: Obj): { name: string; key: boolean }[] | undefined {
  const steps: { name: string; key: boolean }[] = [];
  let schema = openApi;
  let rest = path;
  while (rest !== '') {
    const found = /^\.([^.[\]]+)|^\['((?:\\.|[^'\\])*)'\]/.exec(rest);
    if (!found) return undefined;
    rest = rest.slice(found[0].length);
    const name = found[1] ?? (found[2] ?? '').replace(/\\(.)/g, '$1');
    const fields = objOf(schema.properties);
    if (isObj(schema.properties)) {
      const field = fields[name];
      if (!isObj(field)) return undefined;
      schema = field;
      steps.push({ name, key: false });
    } else if (isObj(schema.additionalProperties)) {
      schema = schema.additionalProperties;
      steps.push({ name, key: true });
    } else return undefined;
  }
  return steps;
}

export function stepsText(path: string, steps: readonly { name: string; key: boolean }[]): string {
  let text = path;
  for (const { name, key } of steps) text = key ? `${text}[${name}]` : text === '' ? name : `${text}.${name}`;
  return text;
}
