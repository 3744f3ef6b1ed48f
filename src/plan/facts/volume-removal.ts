/** The commands that remove a PersistentVolume while its disk, if there is one, is kept. */
import type { Observed } from '../../observe/observed.js';

/** A claim that is bound holds its volume: Kubernetes deletes the volume only after the claim. */
export function volumeRemoval({ kubernetes }: Pick<Observed, 'kubernetes'>, name: string): string {
  const volumes = kubernetes?.volumes;
  const claim = volumes?.known ? volumes.value.find((volume) => volume.name === name)?.claim : undefined;
  const first = claim ? `kubectl -n ${claim.namespace} delete pvc ${claim.name} && ` : '';
  return `${first}kubectl delete pv ${name}`;
}

/** Whether Kubernetes has a PersistentVolume of that name, as far as it answers. */
export function hasVolume({ kubernetes }: Pick<Observed, 'kubernetes'>, name: string): boolean {
  const volumes = kubernetes?.volumes;
  return volumes?.known === true && volumes.value.some((volume) => volume.name === name);
}
