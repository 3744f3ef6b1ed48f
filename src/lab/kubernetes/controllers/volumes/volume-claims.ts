import { at, isObj, listOf, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { World } from '../world.js';

interface PodVolume {
  readonly claimName: string;
  readonly claim: KubeObject | undefined;
  readonly volume: KubeObject | undefined;
}

const NO_CLAIMS: readonly PodVolume[] = [];
const mounting = new WeakMap<KubeObject, boolean>();

/** Whether a pod mounts any claim: most do not. */
export function mountsClaims(pod: KubeObject): boolean {
  let mounts = mounting.get(pod);
  if (mounts === undefined) {
    mounts = listOf(at(pod, 'spec', 'volumes')).some((volume) => isObj(objOf(volume).persistentVolumeClaim));
    mounting.set(pod, mounts);
  }
  return mounts;
}

const byMounting = (pod: KubeObject) => (mountsClaims(pod) ? 'mounts' : undefined);

export function podsWithClaims(world: World): readonly KubeObject[] {
  return world.objects.group('pods', byMounting, 'mounts');
}

/** The claims a pod mounts, with the volumes they are bound to. */
export function claimsOf(world: World, pod: KubeObject): readonly PodVolume[] {
  if (!mountsClaims(pod)) return NO_CLAIMS;
  const { namespace } = pod.metadata;
  return listOf(at(pod, 'spec', 'volumes'))
    .map((volume) => objOf(volume).persistentVolumeClaim)
    .filter(isObj)
    .map((source) => {
      const claimName = textOf(source.claimName);
      const claim = world.find('persistentvolumeclaims', namespace, claimName);
      const name = textOf(at(claim, 'spec', 'volumeName'));
      const volume = name === '' ? undefined : world.find('persistentvolumes', undefined, name);
      return { claimName, claim, volume };
    });
}

/** Written by the scheduler: where a volume is wanted. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** Written by the volume controller: who is to make a volume for the claim. */
export const PROVISIONER = 'volume.kubernetes.io/storage-provisioner';

export function classOf(world: World, claim: KubeObject): KubeObject | undefined {
  const name = textOf(at(claim, 'spec', 'storageClassName'));
  return world.find('storageclasses.storage.k8s.io', undefined, name);
}
