/** Words for structural schemas: each gives one node of an OpenAPI schema as CustomResourceDefinitions take it. */
export interface SchemaNode {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly [keyword: string]: unknown;
}

interface CelRule {
  readonly rule: string;
  readonly message: string;
}

export function text(description: string, more: Readonly<Record<string, unknown>> = {}): SchemaNode {
  return { type: 'string', description, ...more };
}

export function time(description: string): SchemaNode {
  return text(description, { format: 'date-time' });
}

export function whole(description: string, more: Readonly<Record<string, unknown>> = {}): SchemaNode {
  return { type: 'integer', description, ...more };
}

export function flag(description: string, value: boolean): SchemaNode {
  return { type: 'boolean', description, default: value };
}

export function oneOf(description: string, words: readonly string[], value?: string): SchemaNode {
  return text(description, { enum: words, ...(value !== undefined && { default: value }) });
}

export function list(description: string, items: SchemaNode, maxItems: number): SchemaNode {
  return { type: 'array', description, items, maxItems };
}

/** Entries with the same keys are one entry: server-side apply merges them. */
function listBy(
  description: string,
  keys: readonly string[],
  items: SchemaNode,
  maxItems: number,
): SchemaNode {
  return {
    ...list(description, items, maxItems),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  };
}

interface ObjectOptions {
  readonly required?: readonly string[];
  readonly rules?: readonly CelRule[];
  readonly default?: Readonly<Record<string, unknown>>;
}

export function record(
  description: string,
  properties: Readonly<Record<string, SchemaNode>>,
  { required = [], rules = [], default: value }: ObjectOptions = {},
): SchemaNode {
  return {
    type: 'object',
    description,
    properties,
    ...(required.length > 0 && { required }),
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
    ...(value && { default: value }),
  };
}

export const IMMUTABLE: CelRule = { rule: 'self == oldSelf', message: 'cannot be changed after creation' };

/** A DNS label or subdomain, as names of objects are. */
export function objectName(description: string): SchemaNode {
  return text(description, { minLength: 1, maxLength: 253, pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' });
}

/** `10m`, `1h30m`, `45s`. */
export function duration(description: string, value?: string): SchemaNode {
  return text(description, {
    pattern: '^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$',
    minLength: 2,
    maxLength: 16,
    ...(value !== undefined && { default: value }),
  });
}

export function reference(description: string, more: Readonly<Record<string, SchemaNode>> = {}): SchemaNode {
  return record(description, { name: objectName('Name of the object.'), ...more }, { required: ['name'] });
}

/** Conditions as every controller writes them. */
export const CONDITIONS: SchemaNode = listBy(
  'Status as kstatus, Flux and Argo CD read it.',
  ['type'],
  record(
    'One condition.',
    {
      type: text('What it is about.', { maxLength: 316 }),
      status: oneOf('Whether it holds.', ['True', 'False', 'Unknown']),
      reason: text('One word for programs.', { maxLength: 1024 }),
      message: text('A sentence for people.', { maxLength: 32768 }),
      lastTransitionTime: time('When the status last changed.'),
      observedGeneration: whole('The generation of the object that it was computed from.', { minimum: 0 }),
    },
    { required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] },
  ),
  32,
);
