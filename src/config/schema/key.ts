/** How a key of oxherd.yaml is described: once, for messages, editors and docs/config.md alike. */
import { z } from 'zod';

interface KeyNotes {
  /** What holds when the key is absent, as one would write it: editors, docs and the resolver take it from here. */
  readonly byDefault?: unknown;
  readonly example?: unknown;
}

export function required<S extends z.ZodType>(schema: S, description: string, notes: KeyNotes = {}): S {
  return schema.meta({ description, ...notes });
}

export function optional<S extends z.ZodType>(
  schema: S,
  description: string,
  notes: KeyNotes = {},
): z.ZodExactOptional<S> {
  const key = schema.exactOptional() as z.ZodExactOptional<S>;
  // `meta` would make another one of it; there are hundreds.
  z.globalRegistry.add(key, { description, ...notes });
  return key;
}

const parsed = new WeakMap<z.ZodType, unknown>();

/** The documented default of a key, parsed as if it stood in oxherd.yaml. */
export function defaultOf<S extends z.ZodType>(key: z.ZodExactOptional<S>): z.output<S> {
  if (!parsed.has(key)) parsed.set(key, key.unwrap().parse(key.meta()?.byDefault));
  return parsed.get(key) as z.output<S>;
}

type Keys = Readonly<Record<string, z.ZodType>>;
type Defaulted<S> = S extends z.ZodExactOptional<infer T extends z.ZodType> ? z.output<T> : never;

/** Reads keys of a section: what oxherd.yaml has, else the documented default. */
export function withDefaults<K extends Keys>(
  keys: K,
  values: { readonly [N in keyof K]?: unknown } | undefined,
): <N extends keyof K & string>(name: N) => Defaulted<K[N]> {
  return (name) => (values?.[name] ?? defaultOf(keys[name] as z.ZodExactOptional<z.ZodType>)) as never;
}
