import { OxherdError } from '../../model/error.js';
import type { KubernetesKind } from '../../model/kubernetes-kind.js';
import type { Store } from '../store.js';

const table = (store: Store) => store.table<KubernetesKind>('kubernetes/kind');

/** A lab that has a cluster keeps its kind: the objects are where they were written. */
export function chooseKind(store: Store, asked: KubernetesKind | undefined): KubernetesKind {
  const kept = table(store).get('kind');
  if (kept !== undefined && asked !== undefined && asked !== kept) {
    throw new OxherdError('lab.kubernetes', `the Kubernetes of this lab is ${kept}, not ${asked}`, {
      advice: `leave out --kubernetes, or start over with oxherd lab reset`,
    });
  }
  return asked ?? kept ?? 'simulated';
}

export function keepKind(store: Store, kind: KubernetesKind): void {
  if (table(store).get('kind') !== kind) table(store).put('kind', kind);
}
