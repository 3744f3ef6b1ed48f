/** How a key of the file is described: once, for messages, editors and docs/config.md alike. */
import type { z } from 'zod';

export interface KeyNotes {
  /** What holds when the key is absent; shown by editors and in the docs, applied by the resolver. */
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
  return (schema.exactOptional() as z.ZodExactOptional<S>).meta({ description, ...notes });
}
