/** What the lab knows of a kind's fields, for built-in kinds and custom resources alike. */
export type Schema =
  | ScalarSchema
  /** Free-form JSON. */
  | { readonly kind: 'any' }
  | StructSchema
  | { readonly kind: 'map'; readonly of: Schema; readonly atomic: boolean; readonly go?: string }
  | ListSchema;

export type ScalarType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'float'
  | 'bytes'
  | 'int-or-string'
  | 'quantity'
  | 'time'
  | 'micro-time'
  | 'duration';

/** `go`: the type's name in Go's messages. */
export interface ScalarSchema {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  readonly go?: string;
}

export interface StructSchema {
  readonly kind: 'struct';
  /** `core.PodSpec`; empty for custom resources. */
  readonly id: string;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** One owner for the whole of it. */
  readonly atomic: boolean;
  /** Unknown fields are kept (`x-kubernetes-preserve-unknown-fields`). */
  readonly open: boolean;
}

export interface ListSchema {
  readonly kind: 'list';
  readonly of: Schema;
  /** Elements are told apart by these fields (`x-kubernetes-list-map-keys`); empty: one atomic list. */
  readonly keys: readonly string[];
  /** Scalars without order or duplicates (`x-kubernetes-list-type: set`). */
  readonly set: boolean;
  /** The key of a strategic merge patch, where it is not `keys[0]`. `undefined`: the patch replaces the list. */
  readonly mergeKey: string | undefined;
  /** A strategic merge patch adds to the scalars. */
  readonly mergeSet: boolean;
  readonly go?: string;
}

export interface FieldSchema {
  /** `null` is a value of its own (`nullable` of a custom kind). */
  readonly nullable?: boolean;
  readonly schema: Schema;
  readonly required: boolean;
  /** Written even when it was not given, since the Go type has no `omitempty`; `undefined`: left out. */
  readonly zero: unknown;
  /** `false` and `""` are the same as not given: the Go type is no pointer. */
  readonly dropZero: boolean;
  /** The embedded Go structs that it stands in. */
  readonly via?: readonly string[];
}

export const ANY: Schema = { kind: 'any' };

export function fieldOf(schema: Schema, name: string): Schema {
  if (schema.kind === 'struct') return schema.fields.get(name)?.schema ?? ANY;
  if (schema.kind === 'map') return schema.of;
  return ANY;
}
