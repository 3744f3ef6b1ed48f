/** What differs between two machine configs, and whether it can take effect without a reboot. */
import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import { canonicalJson } from '../../design/canonical-json.js';
import { shownPair } from '../../formats/redact/redact-talos.js';
import { isMapping } from '../../formats/text/mapping.js';
import {
  type ChangedField,
  COMPONENTS,
  type Component,
  componentOf,
  isLiveDocument,
  isLiveField,
  isQuietVolumeField,
  mayBeTried,
} from '../effects/talos-config.js';

export interface ConfigChange {
  /** `try`: Talos takes it back by itself unless it is made permanent. */
  readonly mode: 'no-reboot' | 'try' | 'staged';
  /** What restarts by it, in the order of their weight. */
  readonly restarts: readonly Component[];
  /** `machine.kubelet.extraArgs`, `VolumeConfig/EPHEMERAL.provisioning` */
  readonly paths: readonly string[];
  readonly rebootPaths: readonly string[];
  readonly diff: string;
}

type Documents = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** What is said where two configs differ in what is not shown alone. */
export const REDACTED_CHANGE = 'a value that is secret';

/** Both as JSON lists of redacted documents; `talosVersion` is the one the machine runs. */
export function configChange(from: string, to: string, talosVersion: string): ConfigChange {
  const before = documentsOf(from);
  const after = documentsOf(to);
  const shown = changedPaths(before, after).sort();
  // Which value it is cannot be seen here, so a reboot is the safe way.
  const paths = shown.length > 0 ? shown : [REDACTED_CHANGE];
  const rebootPaths = paths.filter((path) => !isLive(path, before, after, talosVersion));
  const diff = createTwoFilesPatch('now', 'wanted', ...shownYaml(before, after), '', '', { context: 2 });
  const fields = paths.map((path) => changedField(path, before, after));
  const restarts = COMPONENTS.filter((component) => fields.some((field) => componentOf(field) === component));
  if (rebootPaths.length > 0) return { mode: 'staged', restarts: [], paths, rebootPaths, diff };
  const tried = restarts.length > 0 && fields.every(mayBeTried);
  return { mode: tried ? 'try' : 'no-reboot', restarts, paths, rebootPaths, diff };
}

/** In one order, so that only what differs is in the diff. */
function shownYaml(before: Documents, after: Documents): [string, string] {
  const [old, wanted] = shownPair(Object.fromEntries(before), Object.fromEntries(after));
  return [yamlOf(old), yamlOf(wanted)];
}

function yamlOf(documents: unknown): string {
  return Object.entries(isMapping(documents) ? documents : {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, document]) => stringify(document, { sortMapEntries: true, lineWidth: 0 }))
    .join('---\n');
}

function documentsOf(json: string): Documents {
  const list: unknown = JSON.parse(json);
  const documents = Array.isArray(list) ? list : [];
  return new Map(
    documents.map((document: Record<string, unknown>) => {
      const kind = typeof document.kind === 'string' ? document.kind : '';
      return [document.name === undefined ? kind : `${kind}/${String(document.name)}`, document];
    }),
  );
}

function changedPaths(before: Documents, after: Documents): string[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].flatMap((id) => {
    const a = before.get(id);
    const b = after.get(id);
    if (!a || !b) return [id];
    return differences(a, b, id);
  });
}

/** Down to the third level: deep enough to say what it is about. A section that is not there has no fields. */
function differences(a: unknown, b: unknown, path: string, depth = 0): string[] {
  // The order of keys means nothing.
  if (canonicalJson(a ?? null) === canonicalJson(b ?? null)) return [];
  const [before, after] = [fieldsOf(a), fieldsOf(b)];
  if (!before || !after || depth === 3) return [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const below = [...keys].flatMap((key) =>
    differences(before[key], after[key], path === '' ? key : `${path}.${key}`, depth + 1),
  );
  return below.length > 0 ? below : [path];
}

function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined) return {};
  return isMapping(value) ? value : undefined;
}

function isLive(path: string, before: Documents, after: Documents, talosVersion: string): boolean {
  if (path === REDACTED_CHANGE) return false;
  const kind = path.split(/[/.]/)[0] ?? '';
  const isDocument = /^[A-Z]/.test(kind);
  if (!isDocument) return isLiveField(path, talosVersion);
  if (isLiveDocument(kind, !before.has(path) && after.has(path))) return true;
  const field = changedField(path, before, after);
  const id = path.slice(0, path.length - field.path.length - 1);
  const at = (documents: Documents): unknown =>
    field.path
      .split('.')
      .reduce<unknown>((inner, key) => (isMapping(inner) ? inner[key] : undefined), documents.get(id));
  return before.has(id) && after.has(id) && isQuietVolumeField(field, at(before), at(after));
}

/** Names of documents may hold dots: what comes after the name is the field. */
function changedField(path: string, before: Documents, after: Documents): ChangedField {
  const id = [...before.keys(), ...after.keys()].find(
    (one) => one !== '' && (path === one || path.startsWith(`${one}.`)),
  );
  return id === undefined
    ? { kind: '', path }
    : { kind: id.split('/')[0] ?? '', path: path.slice(id.length + 1) };
}
