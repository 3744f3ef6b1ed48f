/** Hosts that the design names: are they there, and have they what its VMs need? */
import type { NodeDesign } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import type { Problem } from '../plan.js';
import { type HostOffers, hostNeeds, unmetNeeds } from './host-needs.js';

/** Problems of the places a node's VMs are to be made or changed on. */
export function hostResourceProblems(node: NodeDesign, observed: Observed): Problem[] {
  const host = observed.hosts[node.host];
  const listed = vmsOf(node, observed).some((vm) => vm.host === node.host);
  if (!host && listed) return [hostRemoved(node)];
  if (!host) {
    return [
      {
        code: 'host-unknown',
        scope: 'plan',
        node: node.name,
        message: `there is no Proxmox host ${node.host}`,
        advice: `hosts there are: ${Object.keys(observed.hosts).sort().join(', ')}`,
      },
    ];
  }
  if (!host.online) return [hostDown(node, observed)];
  return unmetNeeds(hostNeeds(node), offersOf(observed, node.host)).map((need) => ({
    ...need,
    scope: 'node',
    node: node.name,
    message: `${node.name}: ${need.message}`,
  }));
}

/** `pvecm delnode` leaves the configs of a host's VMs behind, and their ids stay taken. */
function hostRemoved(node: NodeDesign): Problem {
  return {
    code: 'host-removed',
    scope: 'node',
    node: node.name,
    message: `Proxmox host ${node.host} was removed from the cluster, and the VMs of ${node.name} are still listed on it`,
    advice: lostAdvice(node.host),
  };
}

/** The way out for a host that never comes back. */
export function lostAdvice(host: string): string {
  return `if ${host} never comes back: oxherd host lost ${host} --confirm ${host}`;
}

function vmsOf({ talosVm, dataVm }: NodeDesign, observed: Observed) {
  return [talosVm.vmid, dataVm?.vmid].flatMap((vmid) => visibleVm(observed, vmid) ?? []);
}

/** A VM that cannot be reached may still run: nothing of its node is made anywhere else. */
function hostDown(node: NodeDesign, observed: Observed): Problem {
  const there =
    visibleVm(observed, node.dataVm?.vmid ?? node.talosVm.vmid) ?? visibleVm(observed, node.talosVm.vmid);
  const elsewhere = there && there.host !== node.host;
  return {
    code: 'host-down',
    scope: 'node',
    node: node.name,
    message: `Proxmox host ${node.host} is down; node ${node.name} is left as it is${
      elsewhere ? ` on ${there.host}` : there ? ', and nothing of it is created elsewhere' : ''
    }`,
    advice: `bring ${node.host} back, then run apply again${
      elsewhere ? `; or leave the node where it is and write host: ${there.host}` : ''
    }; ${lostAdvice(node.host)}`,
  };
}

function offersOf({ hosts, storages, bridges, pciMappings }: Observed, host: string): HostOffers {
  const read = bridges[host];
  return {
    cpus: hosts[host]?.cpus,
    ...(read?.known && { bridges: read.value }),
    // Whether a storage is active is old news there; it is asked before a node is drained.
    storages: Object.values(storages)
      .filter((storage) => storage.host === host)
      .map(({ name, content }) => ({ name, content })),
    ...(pciMappings.known && { mappings: pciMappings.value }),
  };
}
