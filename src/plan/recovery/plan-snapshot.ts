import { staticAddressOf } from '../../formats/proxmox/static-address.js';
import { addressNow } from '../facts/address-now.js';
import { mayBeControlPlane, removedVms } from '../facts/removed-vms.js';
import type { Draft } from '../planned.js';

type SnapshotContext = Pick<Draft, 'list' | 'design' | 'observed'>;

/** Once in a plan, before the first member of etcd leaves for good; after `needs`, where nothing took it before. */
export function planSnapshot(context: SnapshotContext, needs: readonly string[] = []): string {
  const { list } = context;
  const taken = list.steps.find((step) => step.kind === 'take-snapshot');
  if (taken) return taken.id;
  return list.add('etcd', {
    kind: 'take-snapshot',
    title: 'take and verify an etcd snapshot',
    reasons: ['a member is removed from etcd'],
    impact: 'none',
    needs,
    controlPlanes: snapshotGivers(context),
  });
}

/** A member that leaves may be the only one that votes: those that replace it are still learners. */
function snapshotGivers({ design, observed }: SnapshotContext): { name: string; ip: string }[] {
  const staying = design.nodes
    .filter((node) => node.role === 'controlplane')
    .flatMap((node) =>
      [...new Set([addressNow(node, observed), node.ip])].map((ip) => ({ name: node.name, ip })),
    );
  const leaving = removedVms(design, observed)
    .filter((vm) => mayBeControlPlane(vm, observed))
    .flatMap((vm) => {
      const ip = observed.removedMachines?.[vm.vmid]?.address ?? staticAddressOf(vm);
      return ip === undefined ? [] : [{ name: vm.name, ip }];
    });
  return [...staying, ...leaving];
}
