import { at, isObj, listOf, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { quantityValue } from '../../schema/quantity.js';
import { selectorMatches } from '../../selectors/object-selector.js';
import { isOver } from '../pods/pods.js';
import type { Controller, World } from '../world.js';
import { claimsOf, classOf, PROVISIONER, SELECTED_NODE } from './volume-claims.js';

const CLAIMS = 'persistentvolumeclaims';
const VOLUMES = 'persistentvolumes';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Binds claims to volumes, asks for new ones where a class has a provisioner, and guards what is in use. */
export const bindingController: Controller = {
  reconcile(world) {
    for (const volume of world.list(VOLUMES)) follow(world, volume);
    for (const claim of world.list(CLAIMS)) {
      if (claim.metadata.deletionTimestamp !== undefined) release(world, claim);
      else if (textOf(at(claim, 'spec', 'volumeName')) === '') bind(world, claim);
      else complete(world, claim);
    }
    return undefined;
  },
};

function setPhase(world: World, volume: KubeObject, phase: string): void {
  world.setStatus(VOLUMES, volume, { ...objOf(volume.status), phase });
}

/** A volume's phase follows its claim. */
function follow(world: World, volume: KubeObject): void {
  const claimRef = at(volume, 'spec', 'claimRef');
  const phase = at(volume, 'status', 'phase');
  if (volume.metadata.deletionTimestamp !== undefined && phase !== 'Bound') {
    world.dropFinalizer(VOLUMES, volume, 'kubernetes.io/pv-protection');
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
}

/** A claim goes when no pod mounts it any more. */
function release(world: World, claim: KubeObject): void {
  const { namespace, name } = claim.metadata;
  const used = world
    .list('pods', namespace)
    .some((pod) => !isOver(pod) && claimsOf(world, pod).some(({ claimName }) => claimName === name));
  if (!used) world.dropFinalizer(CLAIMS, claim, 'kubernetes.io/pvc-protection');
}

function bind(world: World, claim: KubeObject): void {
  const storageClass = classOf(world, claim);
  const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const { annotations = {} } = claim.metadata;
  const volume = chosen(world, claim) ?? matching(world, claim);
  // A volume that names the claim is bound at once; the rest waits for a pod where the class says so.
  const reserved = volume && isObj(at(volume, 'spec', 'claimRef'));
  if (waits && annotations[SELECTED_NODE] === undefined && !reserved) return;
  if (volume) tie(world, claim, volume);
  else if (storageClass && storageClass.provisioner !== NO_PROVISIONER) {
    const asked = { ...annotations, [PROVISIONER]: textOf(storageClass.provisioner) };
    world.update(CLAIMS, { ...claim, metadata: { ...claim.metadata, annotations: asked } });
  }
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
