/** Objects of a cluster for a file that people pass on: without texts that may be secret, which a twin has from the config. */

import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { CSI_NAMESPACE, CSI_SECRET } from '../../design/kubernetes/csi-driver.js';
import { GITOPS_NOTE } from '../../design/kubernetes/gitops.js';
import { type ManagedObject, refKey, refOf } from '../../design/kubernetes/managed-object.js';
import { isMapping } from '../../formats/text/mapping.js';

export interface SeenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** What may be secret in an object: kept as names only. */
const FREE_FIELDS = ['data', 'stringData', 'binaryData'];
const REDACTED = '(redacted)';
/** Kinds whose revisions are templates of pods. */
const SETS: ReadonlySet<unknown> = new Set(['DaemonSet', 'StatefulSet']);

/** Values of secrets never leave this function, but for the name of the token that the CSI driver has. */
export function withoutSecret(object: SeenObject): SeenObject {
  const { data, metadata } = object;
  if (!isMapping(data)) return object;
  const isDriver = metadata.namespace === CSI_NAMESPACE && metadata.name === CSI_SECRET;
  const config = data[CSI_CONFIG];
  const kept = isDriver && typeof config === 'string' ? { [CSI_CONFIG]: tokenAlone(config) } : {};
  return { ...object, data: { ...namesOf(data), ...kept } };
}

const CSI_CONFIG = 'config.yaml';
const NO_SECRET = '00000000-0000-0000-0000-000000000000';

/** Only what a twin of the driver reads is written again: whatever else stands there may be secret too. */
function tokenAlone(config: string): string {
  const text = Buffer.from(config, 'base64').toString('utf8');
  const plain = (key: string) =>
    new RegExp(`^[\\s-]*${key}:\\s*["']?([\\w.@!-]+)["']?\\s*$`, 'm').exec(text)?.[1];
  const [token, region] = [plain('token_id'), plain('region')];
  if (token === undefined) return '';
  const cluster = { token_id: token, token_secret: NO_SECRET, ...(region !== undefined && { region }) };
  return Buffer.from(stringify({ clusters: [cluster] })).toString('base64');
}

/** Keys stay: what an object has is part of its shape, what it says is not. */
export function withoutValues(object: SeenObject): SeenObject {
  if (object.kind === 'Secret') return withoutSecret(withoutEnvironment(object));
  const { spec, data, ...rest } = withoutEnvironment(object);
  const freed = FREE_FIELDS.flatMap((field) => {
    const value = object[field];
    return isMapping(value) ? [[field, namesOf(value)] as const] : [];
  });
  // What a custom resource means is not known: its operator's password may stand anywhere in its spec.
  const kept = isBuiltIn(object) && spec !== undefined ? { spec } : {};
  return { ...rest, ...kept, ...Object.fromEntries(freed), ...(saysNothing(object) && { data }) };
}

/** A template of before, redacted as the template is that it was; and oxherd's own note. */
function saysNothing(object: SeenObject): boolean {
  const { kind, metadata } = object;
  const isNote =
    kind === 'ConfigMap' && metadata.namespace === 'kube-system' && metadata.name === GITOPS_NOTE;
  // Other controllers keep what they like in theirs.
  const isTemplate = kind === 'ControllerRevision' && ownersOf(object).some(({ kind: of }) => SETS.has(of));
  return isNote || isTemplate;
}

function namesOf(data: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.keys(data).map((key) => [key, '']));
}

function isBuiltIn({ apiVersion }: SeenObject): boolean {
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  return !group.includes('.') || group.endsWith('.k8s.io');
}

/** Values of environment variables, and arguments, of every container. */
function withoutEnvironment<T>(value: T): T;
function withoutEnvironment(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutEnvironment(item));
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key === 'managedFields' || key === 'kubectl.kubernetes.io/last-applied-configuration')
        return [key, undefined];
      if ((key === 'args' || key === 'command') && Array.isArray(item))
        return [key, item.map(() => REDACTED)];
      if (key === 'env' && Array.isArray(item)) return [key, item.map(withoutValue)];
      return [key, withoutEnvironment(item)];
    }),
  );
}

function withoutValue(variable: unknown): unknown {
  return isMapping(variable) && variable.value !== undefined ? { ...variable, value: REDACTED } : variable;
}

type Objects = Readonly<Record<string, readonly SeenObject[]>>;

/**
 * Objects that oxherd has applied, with the texts that the config has for them, unless they were changed by others: else
 * a twin would plan to change what is as it should be.
 */
export function withTexts(
  objects: Objects,
  designed: readonly ManagedObject[],
  changed: readonly string[] = [],
): Objects {
  const wanted = new Map(
    designed
      .filter(({ ref }) => !changed.includes(refKey(ref)))
      .map(({ ref, object }) => [refKey(ref), object]),
  );
  const filled = new Map<SeenObject, SeenObject>();
  for (const object of Object.values(objects).flat()) {
    const own = object.kind === 'Secret' ? undefined : wanted.get(refKey(refOf(object)));
    if (own) filled.set(object, filledFrom(object, own));
  }
  const sets = [...filled].flatMap(([before, after]) => templatesOf(before, after));
  return Object.fromEntries(
    Object.entries(objects).map(([resource, list]) => [
      resource,
      list.map((object) => filled.get(object) ?? withSameTemplate(object, sets)),
    ]),
  );
}

function filledFrom(saved: SeenObject, wanted: SeenObject): SeenObject {
  const texts = FREE_FIELDS.flatMap((field) => {
    const [has, asked] = [saved[field], wanted[field]];
    if (!isMapping(has) || !isMapping(asked)) return [];
    const whole = Object.entries(has).map(([key, text]) => [key, text === '' ? (asked[key] ?? '') : text]);
    return [[field, Object.fromEntries(whole)] as const];
  });
  const { spec = wanted.spec } = saved;
  return {
    ...saved,
    ...(spec !== undefined && { spec: filledIn(spec, wanted.spec) }),
    ...Object.fromEntries(texts),
  };
}

/** What was redacted, from the same place. */
function filledIn(saved: unknown, wanted: unknown): unknown {
  if (saved === REDACTED) return typeof wanted === 'string' ? wanted : saved;
  if (Array.isArray(saved) && Array.isArray(wanted))
    return saved.length === wanted.length
      ? saved.map((item: unknown, index) => filledIn(item, wanted[index]))
      : saved;
  if (!isMapping(saved) || !isMapping(wanted)) return saved;
  return Object.fromEntries(Object.entries(saved).map(([key, item]) => [key, filledIn(item, wanted[key])]));
}

interface Templates {
  readonly uid: unknown;
  readonly before: unknown;
  readonly after: unknown;
}

/** Of a Deployment, DaemonSet or StatefulSet. */
function templatesOf(before: SeenObject, after: SeenObject): Templates[] {
  const [old, filled] = [before, after].map(({ spec }) => (isMapping(spec) ? spec.template : undefined));
  return isMapping(filled) ? [{ uid: uidOf(before), before: old, after: filled }] : [];
}

function uidOf({ metadata }: SeenObject): unknown {
  return 'uid' in metadata ? metadata.uid : undefined;
}

/** What a set has kept of its own template is still of this template. */
function withSameTemplate(object: SeenObject, sets: readonly Templates[]): SeenObject {
  const key =
    object.kind === 'ReplicaSet' ? 'spec' : object.kind === 'ControllerRevision' ? 'data' : undefined;
  if (key === undefined) return object;
  const uids = ownersOf(object).map(({ uid }) => uid);
  const owner = sets.find(({ uid }) => uids.includes(uid));
  if (!owner) return object;
  return { ...object, [key]: exchanged(object[key], owner) };
}

function ownersOf({ metadata }: SeenObject): Readonly<Record<string, unknown>>[] {
  const owners: unknown = 'ownerReferences' in metadata ? metadata.ownerReferences : [];
  return Array.isArray(owners) ? owners.filter(isMapping) : [];
}

/** Templates in it that differ from that of before in marks of controllers alone. */
function exchanged(value: unknown, { before, after }: Pick<Templates, 'before' | 'after'>): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key !== 'template') return [key, exchanged(item, { before, after })];
      if (!isMapping(item) || !isMapping(before) || !isMapping(after)) return [key, item];
      return [key, isDeepStrictEqual(item.spec, before.spec) ? { ...item, spec: after.spec } : item];
    }),
  );
}
