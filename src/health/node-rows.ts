/** One row per node: what it runs, how it is, its part in etcd. */

import type { Design } from '../design/design.js';
import type { Observed } from '../observe/observed.js';
import { kubeNodeOf } from '../observe/observed-kubernetes.js';
import { visibleVm } from '../observe/observed-vms.js';
import type { Condition } from './condition.js';

export interface NodeRow {
  readonly node: string;
  readonly role: string;
  /** Where its VM is, else where it is to be. */
  readonly host: string;
  readonly vmid: number;
  /** As it says itself; absent: not known. */
  readonly talos?: string;
  readonly kubelet?: string;
  /** The worst of its conditions. */
  readonly health: 'ok' | 'note' | 'unknown' | 'failed';
  readonly etcd?: 'leader' | 'member' | 'learner';
  /** Names of the conditions that do not hold, and what is worth knowing. */
  readonly notes: readonly string[];
}

const BY_WEIGHT = ['failed', 'unknown', 'note'] as const;

export function nodeRows(design: Design, observed: Observed, conditions: readonly Condition[]): NodeRow[] {
  return design.nodes.map((node): NodeRow => {
    const vm = visibleVm(observed, node.talosVm.vmid);
    const machine = observed.machines[node.name];
    const details = machine?.details.known ? machine.details.value : undefined;
    const { kubernetes } = observed;
    const object = kubernetes?.nodes.known ? kubeNodeOf(node.name, kubernetes.nodes.value) : undefined;
    const own = conditions.filter((condition) => condition.subject === node.name);
    const notes = own.filter(({ state }) => state !== 'ok' && state !== 'skipped').map(({ name }) => name);
    const etcd = details?.etcd?.known ? details.etcd.value : undefined;
    return {
      node: node.name,
      role: node.role,
      host: vm?.host ?? node.host,
      vmid: node.talosVm.vmid,
      ...(details && { talos: details.talosVersion }),
      ...(object && { kubelet: object.kubeletVersion }),
      health: BY_WEIGHT.find((state) => own.some((condition) => condition.state === state)) ?? 'ok',
      ...(etcd && {
        etcd: etcd.learner ? 'learner' : etcd.memberId === etcd.leader ? 'leader' : 'member',
      }),
      notes: [
        ...(vm && vm.status !== 'running' ? [`VM ${vm.status}`] : []),
        ...(object?.unschedulable ? ['cordoned'] : []),
        ...new Set(notes),
      ],
    };
  });
}
