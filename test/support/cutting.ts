/** Steps whose calls are cut off at the k-th, for good: of Proxmox and of Kubernetes together. */
import { guardedProxmox } from '../../src/apply/guard/guarded-clients.js';
import type { StepContext } from '../../src/apply/support/context.js';
import type { KubernetesDesign } from '../../src/design/kubernetes/kubernetes-design.js';
import type { ClusterOwner } from '../../src/formats/marks/ownership.js';
import { CONFIRMED } from './apply/confirmed-guard.js';
import type { ClusterAccess } from './cluster.js';

export class Cut extends Error {}

export type Wrap = <T extends object>(client: T) => T;

/** Counts the calls of both clients together; the k-th is never sent, or its answer never read. */
export function cutting(at: number, when: 'before' | 'after'): Wrap {
  let calls = 0;
  const wrap = <T extends object>(client: T): T =>
    new Proxy(client, {
      get(target, key, receiver) {
        const value: unknown = Reflect.get(target, key, receiver);
        // Waiting is made of reads, and reading twice harms nobody.
        if (typeof value !== 'function' || key === 'waitFor' || key === 'runTask') return value;
        return async (...args: unknown[]) => {
          calls += 1;
          const cut = calls >= at;
          if (cut && (when === 'before' || calls > at)) throw new Cut();
          const answer: unknown = await Reflect.apply(value, target, args);
          if (cut) throw new Cut();
          return answer;
        };
      },
    });
  return wrap;
}

export function contextOf(
  { lab, hand, kubernetes }: ClusterAccess,
  { cluster, kubernetes: design }: { readonly cluster: ClusterOwner; readonly kubernetes: KubernetesDesign },
  wrap: Wrap,
): StepContext {
  return {
    client: guardedProxmox(wrap(hand)),
    clock: lab.clock,
    cluster,
    kubernetes: {
      client: wrap(kubernetes),
      design,
      download: async () => '',
      newSealedKey: async () => ({ certificate: '', key: '' }),
    },
    schematics: { register: async () => {} },
    guard: CONFIRMED,
    memory: new Map(),
    signal: new AbortController().signal,
    progress() {},
  };
}

export const untouched: Wrap = (client) => client;
