import type { CsiBackend } from '../feed.js';
import { at, isObj, listOf, type Obj, objOf, stringsOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { quantityValue } from '../schema/quantity.js';
import { selectorMatches } from '../selectors/object-selector.js';
import { sidecarRuns } from './csi-driver.js';
import { isOver } from './pods.js';
import { claimsOf } from './volume-claims.js';
import type { Controller, World } from './world.js';

const CLAIMS = 'persistentvolumeclaims';
const VOLUMES = 'persistentvolumes';
const SELECTED = 'volume.kubernetes.io/selected-node';

/** Binds claims to volumes, provisions where a class does, and guards what is in use. */
export function bindingController(backend: CsiBackend): Controller {
  return {
    reconcile(world) {
      for (const volume of world.list(VOLUMES)) follow(world, volume, backend);
      for (const claim of world.list(CLAIMS)) {
        if (claim.metadata.deletionTimestamp !== undefined) release(world, claim);
        else if (textOf(at(claim, 'spec', 'volumeName')) === '') bind(world, claim, backend);
        else complete(world, claim);
      }
      return undefined;
    },
  };
}

function setPhase(world: World, volume: KubeObject, phase: string): void {
  world.setStatus(VOLUMES, volume, { ...objOf(volume.status), phase });
}

/** A volume's phase follows its claim. */
function follow(world: World, volume: KubeObject, backend: CsiBackend): void {
  const claimRef = at(volume, 'spec', 'claimRef');
  const phase = at(volume, 'status', 'phase');
  if (volume.metadata.deletionTimestamp !== undefined && phase !== 'Bound') {
    unprotect(world, VOLUMES, volume, 'kubernetes.io/pv-protection');
    return;
  }
  if (!isObj(claimRef) || textOf(claimRef.uid) === '') {
    if (phase !== 'Available') setPhase(world, volume, 'Available');
    return;
  }
  const claim = world.find(CLAIMS, textOf(claimRef.namespace), textOf(claimRef.name));
  if (claim && claim.metadata.uid === claimRef.uid) {
    if (phase !== 'Bound') setPhase(world, volume, 'Bound');
    return;
  }
  if (phase !== 'Released') setPhase(world, volume, 'Released');
  if (at(volume, 'spec', 'persistentVolumeReclaimPolicy') !== 'Delete') return;
  if (!sidecarRuns(world, textOf(at(volume, 'spec', 'csi', 'driver')), 'csi-provisioner')) return;
  backend.delete?.(textOf(at(volume, 'spec', 'csi', 'volumeHandle')));
  world.remove(VOLUMES, volume);
}

function unprotect(world: World, resource: string, object: KubeObject, finalizer: string): void {
  const { finalizers = [], ...metadata } = object.metadata;
  if (!finalizers.includes(finalizer)) return;
  const rest = finalizers.filter((item) => item !== finalizer);
  world.update(resource, {
    ...object,
    metadata: { ...metadata, ...(rest.length > 0 ? { finalizers: rest } : {}) },
  });
}

/** A claim goes when no pod mounts it any more. */
function release(world: World, claim: KubeObject): void {
  const { namespace, name } = claim.metadata;
  const used = world
    .list('pods', namespace)
    .some((pod) => !isOver(pod) && claimsOf(world, pod).some(({ claimName }) => claimName === name));
  if (!used) unprotect(world, CLAIMS, claim, 'kubernetes.io/pvc-protection');
}

function bind(world: World, claim: KubeObject, backend: CsiBackend): void {
  const spec = objOf(claim.spec);
  const storageClass = world.find('storageclasses.storage.k8s.io', undefined, textOf(spec.storageClassName));
  const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const node = claim.metadata.annotations?.[SELECTED];
  const volume = chosen(world, claim) ?? matching(world, claim);
  // A volume that names the claim is bound at once; the rest waits for a pod where the class says so.
  const reserved = volume && isObj(at(volume, 'spec', 'claimRef'));
  if (waits && node === undefined && !reserved) return;
  const found = volume ?? (storageClass ? provision(world, claim, storageClass, node, backend) : undefined);
  if (found) tie(world, claim, found);
}

/** A volume that was made for this claim by name. */
function chosen(world: World, claim: KubeObject): KubeObject | undefined {
  return world.list(VOLUMES).find((volume) => {
    const reference = objOf(at(volume, 'spec', 'claimRef'));
    return (
      reference.name === claim.metadata.name &&
      reference.namespace === claim.metadata.namespace &&
      (textOf(reference.uid) === '' || reference.uid === claim.metadata.uid)
    );
  });
}

function matching(world: World, claim: KubeObject): KubeObject | undefined {
  const spec = objOf(claim.spec);
  const wanted = quantityValue(textOf(at(spec, 'resources', 'requests', 'storage')));
  const size = (volume: KubeObject) => quantityValue(textOf(at(volume, 'spec', 'capacity', 'storage')));
  return world
    .list(VOLUMES)
    .filter((volume) => {
      const has = objOf(volume.spec);
      if (isObj(has.claimRef) || volume.metadata.deletionTimestamp !== undefined) return false;
      if (textOf(has.storageClassName) !== textOf(spec.storageClassName)) return false;
      if (isObj(spec.selector) && !selectorMatches(spec.selector, volume.metadata.labels ?? {})) return false;
      return (
        size(volume) >= wanted &&
        listOf(spec.accessModes).every((mode) => listOf(has.accessModes).includes(mode))
      );
    })
    .sort((a, b) => size(a) - size(b))[0];
}

function provision(
  world: World,
  claim: KubeObject,
  storageClass: KubeObject,
  nodeName: string | undefined,
  backend: CsiBackend,
): KubeObject | undefined {
  const driver = textOf(storageClass.provisioner);
  if (!backend.create || !sidecarRuns(world, driver, 'csi-provisioner')) return undefined;
  const { namespace, name: claimName, uid } = claim.metadata;
  const name = `pvc-${textOf(uid)}`;
  const node = nodeName === undefined ? undefined : world.find('nodes', undefined, nodeName);
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'] ?? '';
  const region = node?.metadata.labels?.['topology.kubernetes.io/region'] ?? '';
  const storage = textOf(at(claim, 'spec', 'resources', 'requests', 'storage'));
  const parameters = stringsOf(storageClass.parameters);
  let volumeHandle: string;
  try {
    volumeHandle = backend.create({ name, bytes: quantityValue(storage), parameters, zone });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const text = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${message}`;
    world.event(claim, 'Warning', 'ProvisioningFailed', text, driver);
    return undefined;
  }
  const place: Obj =
    zone === ''
      ? {}
      : {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'topology.kubernetes.io/region', operator: 'In', values: [region] },
                    { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] },
                  ],
                },
              ],
            },
          },
        };
  return world.create(VOLUMES, undefined, {
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': driver } },
    spec: {
      capacity: { storage },
      accessModes: at(claim, 'spec', 'accessModes'),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claimName, uid },
      csi: { driver, volumeHandle, fsType: 'ext4', volumeAttributes: attributesOf(parameters) },
      ...place,
    },
  });
}

/** Parameters of the class reach the driver again when it attaches; those for the provisioner itself do not. */
function attributesOf(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).filter(([key]) => !key.startsWith('csi.storage.k8s.io/')),
  );
}

function tie(world: World, claim: KubeObject, volume: KubeObject): void {
  const { namespace, name, uid } = claim.metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid };
  const current = world.find(VOLUMES, undefined, volume.metadata.name) ?? volume;
  world.update(VOLUMES, {
    ...current,
    spec: { ...objOf(current.spec), claimRef: { ...objOf(at(current, 'spec', 'claimRef')), ...claimRef } },
  });
  const annotations = { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' };
  const spec = { ...objOf(claim.spec), volumeName: volume.metadata.name };
  world.update(CLAIMS, { ...claim, metadata: { ...claim.metadata, annotations }, spec });
}

function complete(world: World, claim: KubeObject): void {
  const volume = world.find(VOLUMES, undefined, textOf(at(claim, 'spec', 'volumeName')));
  if (!volume) {
    if (at(claim, 'status', 'phase') === 'Bound')
      world.setStatus(CLAIMS, claim, { ...objOf(claim.status), phase: 'Lost' });
    return;
  }
  const reference = objOf(at(volume, 'spec', 'claimRef'));
  if (textOf(reference.uid) === '') tie(world, claim, volume);
  else if (reference.uid !== claim.metadata.uid) return;
  world.setStatus(CLAIMS, claim, {
    ...objOf(claim.status),
    phase: 'Bound',
    accessModes: at(volume, 'spec', 'accessModes'),
    capacity: at(volume, 'spec', 'capacity'),
  });
}
