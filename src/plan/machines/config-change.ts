/** What differs between two machine configs, and whether it can take effect without a reboot. */
import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import { canonicalJson } from '../../design/canonical-json.js';
import { shownPair } from '../../formats/redact/redact-talos.js';
import { isMapping } from '../../formats/text/mapping.js';
import { COMPONENTS, type Component, effectOf, type FieldChange } from '../effects/talos-config.js';

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
  const diff = createTwoFilesPatch('now', 'wanted', ...shownYaml(before, after), '', '', { context: 2 });
  const changes = changedFields(before, after).map((field) => ({
    ...field,
    ...effectOf(field, talosVersion),
  }));
  // Which value it is cannot be seen here, so a reboot is the safe way.
  const paths = changes.length > 0 ? changes.map(({ shown }) => shown).sort() : [REDACTED_CHANGE];
  const rebootPaths =
    changes.length > 0 ? changes.flatMap(({ live, shown }) => (live ? [] : [shown])).sort() : paths;
  if (rebootPaths.length > 0) return { mode: 'staged', restarts: [], paths, rebootPaths, diff };
  const restarts = COMPONENTS.filter((component) => changes.some((one) => one.restarts.includes(component)));
  const tried = restarts.length > 0 && changes.every((one) => one.mayBeTried);
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

/** A change as it is named in plans: `machine.kubelet.extraArgs`, `VolumeConfig/EPHEMERAL.provisioning`. */
interface ShownChange extends FieldChange {
  readonly shown: string;
}

function changedFields(before: Documents, after: Documents): ShownChange[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].flatMap((id) => {
    const [a, b] = [before.get(id), after.get(id)];
    const kind = id.split('/')[0] ?? '';
    if (!a || !b) return [{ kind, path: '', shown: id, before: a, after: b }];
    return differences(a, b).map((field) => ({
      ...field,
      kind,
      shown: [id, field.path].filter((part) => part !== '').join('.'),
    }));
  });
}

/** Down to the third level: deep enough to say what it is about. A section that is not there has no fields. */
function differences(a: unknown, b: unknown, path = '', depth = 0): Omit<FieldChange, 'kind'>[] {
  // The order of keys means nothing.
  if (canonicalJson(a ?? null) === canonicalJson(b ?? null)) return [];
  const here = { path, before: a, after: b };
  const [before, after] = [fieldsOf(a), fieldsOf(b)];
  if (!before || !after || depth === 3) return [here];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const below = [...keys].flatMap((key) =>
    differences(before[key], after[key], path === '' ? key : `${path}.${key}`, depth + 1),
  );
  return below.length > 0 ? below : [here];
}

function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined) return {};
  return isMapping(value) ? value : undefined;
}
