import { readFileSync } from 'node:fs';
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';

/** A config in the recordings: a base with changes, or a whole text. */
export const recordedConfig = z.object({
  base: z.enum(['controlplane', 'worker']).nullable().optional(),
  merge: z.unknown().optional(),
  drop: z.array(z.string()).optional(),
  append: z.string().optional(),
  full: z.string().optional(),
});

export type RecordedConfig = z.infer<typeof recordedConfig>;

export function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
}

export function configText(recorded: RecordedConfig): string {
  if (recorded.full !== undefined) return recorded.full;
  const documents = parseAllDocuments(fixture(`base/${recorded.base}.yaml`)).map((document) =>
    document.toJS(),
  );
  const kept = documents.filter((document) => !recorded.drop?.includes(document.kind));
  if (recorded.merge !== undefined) kept[0] = mergePatch(kept[0], recorded.merge);
  const texts = kept.map((document) => stringify(document));
  return [...texts, ...(recorded.append === undefined ? [] : [recorded.append])].join('---\n');
}

/** RFC 7386: null deletes. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Line numbers are masked in the recordings. */
export function maskLines(message: string): string {
  return message.replaceAll(/line \d+/g, 'line <n>');
}
