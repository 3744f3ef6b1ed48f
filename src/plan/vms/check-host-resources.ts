/** Hosts, storages and bridges that the design names: are they there, and can they be used? */
import type { NodeDesign } from '../../design/design.js';
import { parseNet } from '../../formats/proxmox/property-string.js';
import type { Observed } from '../../observe/observed.js';
import type { Problem } from '../plan.js';

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
  return [
    ...storageProblems(node, observed),
    ...bridgeProblems(node, observed),
    ...mappingProblems(node, observed),
  ];
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

function vmsOf({ talosVm, dataVm }: NodeDesign, { vms }: Observed) {
  return [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])].flatMap((vmid) => vms[vmid] ?? []);
}

/** A VM that cannot be reached may still run: nothing of its node is made anywhere else. */
function hostDown(node: NodeDesign, observed: Observed): Problem {
  const there = observed.vms[node.dataVm?.vmid ?? node.talosVm.vmid] ?? observed.vms[node.talosVm.vmid];
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

function storageProblems(node: NodeDesign, observed: Observed): Problem[] {
  const names = new Set(node.drives.map((drive) => drive.storage));
  for (const drive of [node.talosVm, ...(node.dataVm ? [node.dataVm] : [])].flatMap((vm) =>
    Object.values(vm.auxiliary),
  )) {
    if ('storage' in drive) names.add(drive.storage);
  }
  return [...names].sort().flatMap((name): Problem[] => {
    const storage = observed.storages[`${node.host}/${name}`];
    if (!storage) {
      const there = Object.values(observed.storages).filter((candidate) => candidate.host === node.host);
      return [
        {
          code: 'storage-unknown',
          scope: 'plan',
          node: node.name,
          message: `there is no storage ${name} on ${node.host}`,
          advice: `storages there: ${
            there
              .map((candidate) => candidate.name)
              .sort()
              .join(', ') || 'none that the API token may see'
          }`,
        },
      ];
    }
    if (!storage.content.includes('images')) {
      return [
        {
          code: 'storage-content',
          scope: 'plan',
          node: node.name,
          message: `storage ${name} on ${node.host} does not take disks (content: ${storage.content.join(',')})`,
          advice: `use another storage, or: pvesm set ${name} --content ${[...storage.content, 'images'].join(',')}`,
        },
      ];
    }
    return [];
  });
}

function bridgeProblems(node: NodeDesign, observed: Observed): Problem[] {
  const bridges = observed.bridges[node.host];
  if (!bridges?.known) return [];
  const wanted = Object.entries(node.talosVm.options)
    .filter(([key]) => /^net\d+$/.test(key))
    .map(([, value]) => parseNet(String(value)).options.bridge)
    .filter((bridge) => bridge !== undefined);
  return [...new Set(wanted)]
    .filter((bridge) => !bridges.value.includes(bridge))
    .map((bridge) => ({
      code: 'bridge-unknown',
      scope: 'plan' as const,
      node: node.name,
      // Proxmox takes any bridge at create and fails at start.
      message: `there is no bridge ${bridge} on ${node.host}; the VM would not start`,
      advice: `bridges there: ${bridges.value.join(', ') || 'none'}`,
    }));
}

function mappingProblems(node: NodeDesign, observed: Observed): Problem[] {
  const mappings = observed.pciMappings;
  if (!mappings.known) return [];
  return Object.entries(node.talosVm.options).flatMap(([key, value]): Problem[] => {
    const mapping = /^hostpci\d+$/.test(key) ? /(?:^|,)mapping=([^,]+)/.exec(String(value))?.[1] : undefined;
    if (mapping === undefined || mappings.value[mapping]?.includes(node.host)) return [];
    const there = mappings.value[mapping] !== undefined;
    return [
      {
        code: 'mapping-unknown',
        scope: 'plan',
        node: node.name,
        message: there
          ? `PCI mapping ${mapping} has no device on ${node.host}`
          : `there is no PCI mapping ${mapping}`,
        advice: 'add it in Proxmox under Datacenter → Resource Mappings',
      },
    ];
  });
}
