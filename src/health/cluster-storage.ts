/** Claims, volumes and attachments, as Kubernetes sees them. */
import type { Design } from '../design/design.js';
import type { ObservedKubernetes } from '../observe/observed-kubernetes.js';
import { type Condition, conditionsOf } from './condition.js';

/** Longer than the driver ever needs to attach a disk. */
const ATTACHING_MS = 2 * 60_000;
const BINDING_MS = 2 * 60_000;

export function clusterStorageConditions(
  design: Design,
  observed: ObservedKubernetes | undefined,
  now: number,
): Condition[] {
  if (!observed || !Object.values(observed.endpoints).some((ready) => ready)) return [];
  return [...claims(observed, now), ...volumes(design, observed), ...attachments(observed, now)];
}

const { condition, unread } = conditionsOf('volumes');

/** A claim that no one mounts may wait for its first pod for ever. */
function claims(observed: ObservedKubernetes, now: number): Condition[] {
  if (!observed.claims.known) return [unread('claims-bound', observed.claims.why)];
  const all = observed.claims.value;
  const ill = all.filter(
    ({ phase, used, created }) =>
      phase !== 'Bound' && (used || phase === 'Lost') && now - created >= BINDING_MS,
  );
  if (ill.length === 0)
    return all.length === 0 ? [] : [condition('claims-bound', undefined, true, `${all.length} claims`, '')];
  return ill.map(({ namespace, name, phase, storageClass }) =>
    condition(
      'claims-bound',
      `${namespace}/${name}`,
      false,
      `the claim is ${phase}${storageClass === '' ? '' : ` (class ${storageClass})`}: a pod waits for it`,
      `kubectl -n ${namespace} describe pvc ${name}`,
    ),
  );
}

function volumes(design: Design, observed: ObservedKubernetes): Condition[] {
  if (!observed.volumes.known) return [unread('volume-phase', observed.volumes.why)];
  const there = observed.volumes.value;
  const ours = design.csiVolumes.map(({ name }) => {
    const volume = there.find((candidate) => candidate.name === name);
    const released = volume?.phase === 'Released';
    return condition(
      'volume-phase',
      name,
      volume !== undefined && !released && volume.phase !== 'Failed',
      volume
        ? released
          ? `its claim ${volume.claim?.namespace}/${volume.claim?.name} is gone; its claim was deleted, the data is kept, and no other claim can bind it`
          : `PersistentVolume ${volume.phase}`
        : 'it has no PersistentVolume',
      released
        ? `kubectl patch pv ${name} --type json -p '[{"op":"remove","path":"/spec/claimRef"}]' frees it for another claim`
        : 'run `oxherd plan`',
    );
  });
  const failed = there.filter(
    ({ name, phase }) => phase === 'Failed' && !design.csiVolumes.some((volume) => volume.name === name),
  );
  return [
    ...ours,
    ...failed.map(({ name, message }) =>
      condition(
        'volume-phase',
        name,
        false,
        `the volume has failed: ${message}`,
        `kubectl describe pv ${name}`,
      ),
    ),
  ];
}

function attachments(observed: ObservedKubernetes, now: number): Condition[] {
  if (!observed.attachments.known) return [unread('volume-attached', observed.attachments.why)];
  const all = observed.attachments.value;
  const stuck = all.filter(
    ({ attached, error, leaving, created }) =>
      error !== undefined || leaving || (!attached && now - created >= ATTACHING_MS),
  );
  if (stuck.length === 0)
    return all.length === 0
      ? []
      : [condition('volume-attached', undefined, true, `${all.length} attached`, '')];
  return stuck.map(({ name, volume, node, error, leaving }) =>
    condition(
      'volume-attached',
      volume,
      false,
      `it cannot be ${leaving ? 'detached from' : 'attached to'} ${node}${error === undefined ? '' : `: ${error}`}`,
      `kubectl describe volumeattachment ${name}; see the log of the CSI driver`,
    ),
  );
}
