/** What a machine config means, apart from how it is written: for comparing, hashing and showing it. */

import { redactDocuments } from '../../formats/redact/redact-talos.js';
import {
  documentId,
  formatTalosDocuments,
  MAIN_KIND,
  parseTalosDocuments,
} from '../../formats/talos/talos-documents.js';
import { hashParts } from '../../formats/text/hash.js';
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import { readYamlDocuments } from '../../formats/text/yaml-text.js';
import { memoize } from '../../model/memoize.js';
import { PLACEHOLDER } from './placeholders.js';

/** Values of the secrets bundle in the main document. They differ from a plan's placeholders and mean the same. */
const BUNDLE_PATHS: readonly (readonly string[])[] = [
  ['machine', 'token'],
  ['machine', 'ca', 'crt'],
  ['machine', 'ca', 'key'],
  ['cluster', 'id'],
  ['cluster', 'secret'],
  ['cluster', 'token'],
  ['cluster', 'secretboxEncryptionSecret'],
  ['cluster', 'aescbcEncryptionSecret'],
  ['cluster', 'ca', 'crt'],
  ['cluster', 'ca', 'key'],
  ['cluster', 'aggregatorCA', 'crt'],
  ['cluster', 'aggregatorCA', 'key'],
  ['cluster', 'serviceAccount', 'key'],
  ['cluster', 'etcd', 'ca', 'crt'],
  ['cluster', 'etcd', 'ca', 'key'],
];

/** Where the main document has values of the secrets bundle. */
export function bundlePaths(): readonly (readonly string[])[] {
  return BUNDLE_PATHS;
}

/** Two configs with one hash make the same machine, given the same secrets. */
export function machineConfigHash(text: string): string {
  return machineConfigMeaning(text).hash;
}

/** Its hash, and its documents without secrets as text to compare. */
export const machineConfigMeaning = memoize((text: string): { hash: string; redacted: string } => {
  const documents = parseTalosDocuments(text).map(({ value }) => value);
  return { hash: documentsHash(documents), redacted: comparable(documents) };
});

export function documentsHash(documents: readonly Mapping[]): string {
  const parts = documents.map((value) => [idOf(value), canonical(withoutBundle(value))] as const);
  return hashParts(parts.sort(([a], [b]) => (a < b ? -1 : 1)).flat());
}

/** As JSON, for comparing: `configChange` makes what is shown of it. */
export function comparable(documents: readonly Mapping[]): string {
  return JSON.stringify(redactDocuments(documents.map(withoutBundle)), null, 2);
}

/** The text of a config with a placeholder for every value of the secrets bundle. */
export function configWithoutSecrets(text: string): string {
  return formatTalosDocuments(parseTalosDocuments(text).map(({ value }) => withoutBundle(value)));
}

/** The same without any text that is not known to be harmless; placeholders stay placeholders. */
export function redactedConfig(text: string): string {
  const documents = readYamlDocuments(text).map(asMapping);
  return formatTalosDocuments(redactDocuments(documents).map(withoutBundle));
}

/** The same text with values for the placeholders: `valueAt` is asked for each place that has one. */
export function configWithSecrets(text: string, valueAt: (path: string) => string): string {
  // A placeholder is no base64, which Talos's own reader would refuse.
  const documents = readYamlDocuments(text).map((value) =>
    BUNDLE_PATHS.reduce<Mapping>((document, path) => {
      const has = at(document, path) === PLACEHOLDER;
      return has ? asMapping(replaceAt(document, path, valueAt(path.join('.')))) : document;
    }, asMapping(value)),
  );
  return formatTalosDocuments(documents);
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isMapping(part) ? part[key] : undefined), value);
}

export function idOf(value: Mapping): string {
  const text = (key: string): string => (typeof value[key] === 'string' ? String(value[key]) : '');
  return documentId({ apiVersion: text('apiVersion'), kind: text('kind') || MAIN_KIND, name: text('name') });
}

function withoutBundle(value: Mapping): Mapping {
  if (value.machine === undefined && value.cluster === undefined) return value;
  return BUNDLE_PATHS.reduce<Mapping>((document, path) => asMapping(replaceAt(document, path)), value);
}

/** An empty value stays: a worker has no keys, and that is no secret. */
function replaceAt(value: unknown, path: readonly string[], by: string = PLACEHOLDER): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value === '' || value === undefined ? value : by;
  if (!isMapping(value) || value[key] === undefined) return value;
  return { ...value, [key]: replaceAt(value[key], rest, by) };
}

/** Nodes of a role share most of their main document. */
const written = new WeakMap<Mapping, string>();

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isMapping(value)) return JSON.stringify(value ?? null);
  const known = written.get(value);
  if (known !== undefined) return known;
  const keys = Object.keys(value).sort();
  const text = `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
  written.set(value, text);
  return text;
}

function asMapping(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}
