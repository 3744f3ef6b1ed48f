/**
 * The MAC addresses of all nodes of a cluster, no two alike. There are 16 million of them: among a thousand nodes two would
 * have the same one in three clusters of a hundred. The node with the lower vmid keeps it.
 */
import type { Mac, Vmid } from '../../model/identity.js';
import { type ClusterIdentity, macOf } from './identities.js';

interface NodeNics {
  readonly vmid: Vmid;
  readonly nics: readonly { readonly mac?: Mac | undefined }[];
}

interface ClusterNics {
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly NodeNics[];
}

const known = new WeakMap<ClusterNics, ReadonlyMap<Vmid, readonly Mac[]>>();

/** One for each NIC of the node: the one that was written, or a computed one. */
export function nodeMacs(config: ClusterNics, { vmid, nics }: NodeNics): readonly Mac[] {
  const macs = known.get(config) ?? distinct(config);
  known.set(config, macs);
  return macs.get(vmid) ?? nics.map((nic, index) => nic.mac ?? macOf(config.cluster, vmid, index));
}

function distinct({ cluster, nodes }: ClusterNics): ReadonlyMap<Vmid, readonly Mac[]> {
  const taken = new Set(nodes.flatMap(({ nics }) => nics.flatMap(({ mac }) => mac ?? [])));
  const free = (vmid: Vmid, index: number): Mac => {
    for (let attempt = 0; ; attempt += 1) {
      const mac = macOf(cluster, vmid, index, attempt);
      if (taken.has(mac)) continue;
      taken.add(mac);
      return mac;
    }
  };
  const inOrder = [...nodes].sort((a, b) => Number(a.vmid) - Number(b.vmid));
  return new Map(
    inOrder.map(({ vmid, nics }) => [vmid, nics.map((nic, index) => nic.mac ?? free(vmid, index))]),
  );
}
