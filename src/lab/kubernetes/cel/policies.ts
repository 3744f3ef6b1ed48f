import type { CelInput } from '@bufbuild/cel';
import { kubernetesFunctions } from '../../cel/overloads.js';
import { compile, isBool, isString, type Program } from '../../cel/program.js';
import {
  type CelType,
  celScalar,
  DYN,
  listOfType,
  mapOfType,
  objectType,
  readType,
  typeText,
} from '../../cel/types.js';
import { listOf, type Obj, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { ApiError, type FieldError, invalidValue, requiredValue, unsupportedValue } from '../status.js';
import { attempt } from './schema-rules.js';
import { freeValue } from './schema-types.js';

const STRING = celScalar('string');
const record = (name: string, fields: Record<string, CelType>) =>
  objectType(name, new Map(Object.entries(fields)));
const kind = record('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const resource = record('kubernetes.GroupVersionResource', {
  group: STRING,
  version: STRING,
  resource: STRING,
});
const REQUEST = record('kubernetes.AdmissionRequest', {
  kind,
  resource,
  subResource: STRING,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: record('kubernetes.UserInfo', {
    username: STRING,
    uid: STRING,
    groups: listOfType(STRING),
    extra: mapOfType(STRING, listOfType(STRING)),
  }),
  dryRun: celScalar('bool'),
  options: DYN,
});
const NAMESPACE = record('kubernetes.Namespace', {
  metadata: record('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: readType('map(string,string)'),
    annotations: readType('map(string,string)'),
    UID: STRING,
    creationTimestamp: celScalar('timestamp'),
    deletionGracePeriodSeconds: celScalar('int'),
    deletionTimestamp: celScalar('timestamp'),
    generation: celScalar('int'),
    resourceVersion: STRING,
    finalizers: listOfType(STRING),
  }),
  spec: record('kubernetes.NamespaceSpec', { finalizers: listOfType(STRING) }),
  status: record('kubernetes.NamespaceStatus', { conditions: listOfType(DYN), phase: STRING }),
});

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const CODES: Record<string, number> = {
  Forbidden: 403,
  Invalid: 422,
  RequestEntityTooLarge: 413,
};

interface Compiled {
  readonly variables: readonly { readonly name: string; readonly program: Program }[];
  readonly conditions: readonly Program[];
  readonly validations: readonly {
    readonly source: Obj;
    readonly program: Program;
    readonly message?: Program;
  }[];
}

type Found = { readonly errors: FieldError[]; readonly compiled: Compiled };

/** Policies are asked at every write: each object's expressions are compiled once. */
const known = new WeakMap<Obj, Found>();

function compiledPolicy(spec: Obj): Found {
  const found = known.get(spec) ?? compilePolicy(spec);
  known.set(spec, found);
  return found;
}

function compilePolicy(spec: Obj): Found {
  const errors: FieldError[] = [];
  const params = spec.paramKind === undefined ? {} : { params: DYN };
  const base: Record<string, CelType> = { object: DYN, oldObject: DYN, request: REQUEST, ...params };
  const fields = new Map<string, CelType>();
  const build = (
    source: string,
    path: string,
    variables: Record<string, CelType>,
    wanted?: 'bool' | 'string',
  ) => {
    const program = attempt(() => compile(source, { variables, functions: kubernetesFunctions() }));
    if (typeof program === 'string') {
      errors.push(invalidValue(path, source, `compilation failed: ${program}`));
      return undefined;
    }
    const fits = wanted === undefined || (wanted === 'bool' ? isBool : isString)(program.type);
    if (fits) return program;
    errors.push(invalidValue(path, source, `must evaluate to ${wanted} but got ${typeText(program.type)}`));
    return undefined;
  };
  const items = (name: string) => listOf(spec[name]).map(objOf);
  const conditions = items('matchConditions').map((condition, index) => {
    const path = `spec.matchConditions[${index}].expression`;
    const source = textOf(condition.expression).trim();
    if (source === '') errors.push(requiredValue(path));
    return source === '' ? undefined : build(source, path, base, 'bool');
  });
  const composed = {
    ...base,
    namespaceObject: NAMESPACE,
    variables: objectType('kubernetes.variables', fields),
  };
  const variables = items('variables').map(({ name, expression }, index) => {
    const path = `spec.variables[${index}].expression`;
    if (textOf(expression).trim() === '') {
      errors.push(requiredValue(path, 'expression is not specified'));
      return undefined;
    }
    const program = build(textOf(expression), path, composed);
    if (program) fields.set(textOf(name), program.type);
    return program && { name: textOf(name), program };
  });
  const validations = items('validations').map((source, index) => {
    const path = `spec.validations[${index}]`;
    const { messageExpression } = source;
    let program: Program | undefined;
    if (textOf(source.expression).trim() === '') {
      errors.push(requiredValue(`${path}.expression`, 'expression is not specified'));
    } else program = build(textOf(source.expression), `${path}.expression`, composed, 'bool');
    const message =
      textOf(messageExpression).trim() === ''
        ? undefined
        : build(textOf(messageExpression), `${path}.messageExpression`, composed, 'string');
    errors.push(...messageErrors(source, path));
    return program && { source, program, ...(message ? { message } : {}) };
  });
  const there = <T>(list: readonly (T | undefined)[]) => list.filter((item) => item !== undefined);
  return {
    errors,
    compiled: { variables: there(variables), conditions: there(conditions), validations: there(validations) },
  };
}

function messageErrors({ message, messageExpression, reason }: Obj, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const blank = (text: string) => text !== '' && text.trim() === '';
  if (blank(textOf(messageExpression))) {
    errors.push(
      invalidValue(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified'),
    );
  }
  if (blank(textOf(message))) {
    errors.push(invalidValue(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(textOf(message).trim())) {
    errors.push(invalidValue(`${path}.message`, message, 'must not contain line breaks'));
  }
  if (reason !== undefined && !REASONS.includes(textOf(reason))) {
    errors.push(unsupportedValue(`${path}.reason`, reason, REASONS));
  }
  return errors;
}

/** What is wrong with the expressions of a policy. */
export function policyErrors(spec: Obj): FieldError[] {
  return compiledPolicy(spec).errors;
}

interface Admitted {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly request: Obj;
  readonly namespace: KubeObject | undefined;
}

interface Decision {
  readonly message: string;
  readonly reason: string;
}

/** What the validations of a policy say against a request; nothing where its conditions do not hold. */
export function policyDecisions(spec: Obj, admitted: Admitted): Decision[] {
  const { compiled } = compiledPolicy(spec);
  const fails = spec.failurePolicy !== 'Ignore';
  const bindings: Record<string, CelInput> = {
    object: freeValue(admitted.object),
    oldObject: freeValue(admitted.oldObject),
    request: freeValue(admitted.request),
    namespaceObject: freeValue(admitted.namespace),
  };
  const faults: string[] = [];
  const run = (program: Program) => attempt(() => ({ value: program.run(bindings) }));
  for (const condition of compiled.conditions) {
    const outcome = run(condition);
    if (typeof outcome === 'string') faults.push(outcome);
    else if (outcome.value !== true) return [];
  }
  if (faults.length > 0) return fails ? [{ message: faults.join(', '), reason: '' }] : [];
  const values = new Map<string, CelInput>();
  bindings.variables = values;
  for (const { name, program } of compiled.variables) {
    const outcome = attempt(() => ({ value: program.run(bindings) }));
    // A variable that fails is missed by whoever asks for it.
    if (typeof outcome !== 'string') values.set(name, outcome.value);
  }
  return compiled.validations.flatMap(({ source, program, message }) => {
    const outcome = run(program);
    const expression = textOf(source.expression);
    if (typeof outcome === 'string') {
      return fails
        ? [{ message: `expression '${expression}' resulted in error: ${outcome}`, reason: '' }]
        : [];
    }
    if (outcome.value === true) return [];
    const said = message ? run(message) : undefined;
    const text = said === undefined || typeof said === 'string' ? '' : String(said.value).trim();
    const given = text === '' || text.includes('\n') ? textOf(source.message).trim() : text;
    const reason = textOf(source.reason) || 'Invalid';
    return [{ message: given || `failed expression: ${expression.trim()}`, reason }];
  });
}

/** The refusal of a request that a policy denies. */
export function denial(
  subject: string,
  about: { name: string; group?: string; kind: string },
  text: string,
  reason: string,
): ApiError {
  const why = REASONS.includes(reason) ? reason : 'Invalid';
  return new ApiError(CODES[why] ?? 422, why, `${subject} is forbidden: ${text}`, {
    ...about,
    causes: [{ message: text }],
  });
}
