/** Kubernetes objects: which of their texts may stand in a message about them. */
import { isMapping } from '../text/mapping.js';

/** Names, kinds and references: what an object is called, where it is, what it asks the scheduler for. */
const SHOWN_KEYS: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'name',
  'namespace',
  'generateName',
  'image',
  'type',
  'key',
  'operator',
  'effect',
  'protocol',
  'serviceAccountName',
  'storageClassName',
  'provisioner',
  'volumeBindingMode',
  'reclaimPolicy',
  'persistentVolumeReclaimPolicy',
  'accessModes',
  'storage',
  'cpu',
  'memory',
  'restartPolicy',
  'schedule',
  'priorityClassName',
  'clusterIP',
  'loadBalancerIP',
  'driver',
  'volumeHandle',
  'mountPath',
  'apiGroup',
  'apiGroups',
  'resources',
  'verbs',
  'group',
  'plural',
  'singular',
  'scope',
]);

/** Parts in which keys are people's own: there a `name` may be a secret as well. */
const FREE_PARTS: ReadonlySet<string> = new Set(['data', 'stringData', 'binaryData', 'annotations']);

/** Every text of an object that an answer about it must not repeat; values of a Secret also as they are stored. */
export function redactedTextsOf(object: unknown): string[] {
  const { metadata } = isMapping(object) ? object : {};
  const { name } = isMapping(metadata) ? metadata : {};
  // A label may say the same as the name, which every message about the object begins with.
  const labels = isMapping(metadata) && isMapping(metadata.labels) ? Object.values(metadata.labels) : [];
  const hidden = [...hiddenIn(object, '', false)];
  return labels.includes(name) ? hidden.filter((text) => text !== name) : hidden;
}

function* hiddenIn(value: unknown, key: string, free: boolean): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) yield* hiddenIn(item, key, free);
  } else if (isMapping(value)) {
    for (const [name, item] of Object.entries(value)) {
      yield* hiddenIn(item, name, free || FREE_PARTS.has(name));
    }
  } else if (typeof value === 'string' && value !== '' && (free || !SHOWN_KEYS.has(key))) {
    yield value;
    const stored = free ? decoded(value) : undefined;
    if (stored !== undefined) yield stored;
    else if (free) yield btoa(String.fromCharCode(...new TextEncoder().encode(value)));
  }
}

function decoded(value: string): string | undefined {
  if (value.length < 8 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) return undefined;
  try {
    return atob(value);
  } catch {
    return undefined;
  }
}
