/** What a config document may hold. */
export type Shape =
  | string
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly enum: readonly unknown[] }
  | { readonly ref: string }
  | { readonly keys: Readonly<Record<string, Shape>> };

export type ScalarName =
  | 'any'
  | 'args'
  | 'string'
  | 'bool'
  | 'int'
  | 'duration'
  | 'prefix'
  | 'address'
  | 'size'
  | 'url'
  | 'disk-size'
  | 'disk-type';
