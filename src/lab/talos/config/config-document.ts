import { readYamlDocuments } from '../../../formats/text/yaml-text.js';
import { memoize } from '../../../model/memoize.js';

/** One document of a machine config. */
export interface ConfigDocument {
  /** `v1alpha1` for the document that has no kind. */
  readonly kind: string;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The documents of a config that was accepted before; texts that are no mappings are left out. */
export const readDocuments = memoize((text: string): readonly ConfigDocument[] =>
  readYamlDocuments(text)
    .map(record)
    .filter((body) => Object.keys(body).length > 0)
    .map((body) => ({ kind: string(body.kind) ?? 'v1alpha1', name: string(body.name) ?? '', body })),
);

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function strings(value: unknown): string[] {
  return list(value).filter((item): item is string => typeof item === 'string');
}

/** A value deep inside: `at(body, 'machine', 'install', 'image')`. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => record(inner)[key], value);
}

export function stringMap(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(record(value)).map(([key, item]) => [key, String(item ?? '')]));
}
