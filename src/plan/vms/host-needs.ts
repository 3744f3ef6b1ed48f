/**
 * What a host must have so that a VM starts there. Proxmox takes any of it when a VM is changed and refuses at the start:
 * a node that was drained for the change would stay down.
 */
import type { NodeDesign } from '../../design/design.js';
import { type NetUse, netsOf } from '../../formats/proxmox/nets-of.js';
import type { ObservedBridge } from '../../observe/observed.js';

export interface HostNeeds {
  readonly host: string;
  readonly vcpus: number;
  readonly nets: readonly NetUse[];
  readonly storages: readonly string[];
  readonly mappings: readonly string[];
}

/** Each as far as it was read. */
export interface HostOffers {
  readonly cpus?: number | undefined;
  readonly bridges?: readonly ObservedBridge[] | undefined;
  readonly storages?:
    | readonly { readonly name: string; readonly content: readonly string[]; readonly active?: boolean }[]
    | undefined;
  /** Mapping → hosts that have a device for it. */
  readonly mappings?: Readonly<Record<string, readonly string[]>> | undefined;
}

interface UnmetNeed {
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

export function hostNeeds({ host, drives, talosVm, dataVm }: NodeDesign): HostNeeds {
  const { options } = talosVm;
  const auxiliary = [talosVm, ...(dataVm ? [dataVm] : [])].flatMap((vm) => Object.values(vm.auxiliary));
  const storages = [
    ...drives.map(({ storage }) => storage),
    ...auxiliary.flatMap((drive) => ('storage' in drive ? [drive.storage] : [])),
  ];
  return {
    host,
    vcpus: Number(options.cores ?? 1) * Number(options.sockets ?? 1),
    nets: netsOf(options),
    storages: [...new Set(storages)].sort(),
    mappings: Object.entries(options).flatMap(([key, value]) =>
      /^hostpci\d+$/.test(key) ? (/(?:^|,)mapping=([^,]+)/.exec(String(value))?.[1] ?? []) : [],
    ),
  };
}

export function unmetNeeds(needs: HostNeeds, offers: HostOffers): UnmetNeed[] {
  return [
    ...cpuNeed(needs, offers),
    ...storageNeeds(needs, offers),
    ...netNeeds(needs, offers),
    ...mappingNeeds(needs, offers),
  ];
}

/** Whatever the sum of all VMs is: `MAX 4 vcpus allowed per VM on this node`. */
function cpuNeed({ host, vcpus }: HostNeeds, { cpus }: HostOffers): UnmetNeed[] {
  if (cpus === undefined || vcpus <= cpus) return [];
  return [
    {
      code: 'host-cpus',
      message: `${vcpus} vCPUs are requested, and ${host} has ${cpus} CPUs: the VM would not start`,
      advice: `lower \`cores\` (times \`sockets\`) to at most ${cpus}, or choose another host`,
    },
  ];
}

function storageNeeds({ host, storages }: HostNeeds, { storages: there }: HostOffers): UnmetNeed[] {
  if (!there) return [];
  return storages.flatMap((name): UnmetNeed[] => {
    const storage = there.find((one) => one.name === name);
    if (!storage) {
      const names = there.map((one) => one.name).sort();
      return [
        {
          code: 'storage-unknown',
          message: `there is no storage ${name} on ${host}`,
          advice: `storages there: ${names.join(', ') || 'none that the API token may see'}`,
        },
      ];
    }
    if (storage.active === false)
      return [
        {
          code: 'storage-inactive',
          message: `storage ${name} on ${host} is not active`,
          advice: `see: pvesm status --storage ${name}`,
        },
      ];
    if (storage.content.includes('images')) return [];
    return [
      {
        code: 'storage-content',
        message: `storage ${name} on ${host} does not take disks (content: ${storage.content.join(',')})`,
        advice: `use another storage, or: pvesm set ${name} --content ${[...storage.content, 'images'].join(',')}`,
      },
    ];
  });
}

function netNeeds({ host, nets }: HostNeeds, { bridges }: HostOffers): UnmetNeed[] {
  return bridges ? netProblems(host, nets, bridges) : [];
}

export function netProblems(
  host: string,
  nets: readonly NetUse[],
  bridges: readonly ObservedBridge[],
): UnmetNeed[] {
  const missing = [...new Set(nets.map(({ bridge }) => bridge))]
    .filter((bridge) => !bridges.some(({ name }) => name === bridge))
    .map((bridge) => ({
      code: 'bridge-unknown',
      message: `there is no bridge ${bridge} on ${host}; the VM would not start`,
      advice: `bridges there: ${bridges.map(({ name }) => name).join(', ') || 'none'}`,
    }));
  const tooLarge = nets.flatMap(({ bridge, mtu = 1 }): UnmetNeed[] => {
    const has = bridges.find(({ name }) => name === bridge)?.mtu;
    if (has === undefined || mtu <= has) return [];
    return [
      {
        code: 'bridge-mtu',
        // Proxmox unplugs the old NIC of a running VM before it refuses the new one.
        message: `an MTU of ${mtu} is requested, and ${bridge} on ${host} has ${has}: Proxmox would leave the VM without this NIC`,
        advice: `lower \`mtu\` to at most ${has}, or raise it on ${host} first: mtu ${mtu} for ${bridge} and its ports in /etc/network/interfaces, then ifreload -a`,
      },
    ];
  });
  return [...missing, ...new Map(tooLarge.map((one) => [one.message, one])).values()];
}

function mappingNeeds({ host, mappings }: HostNeeds, { mappings: there }: HostOffers): UnmetNeed[] {
  if (!there) return [];
  return mappings
    .filter((mapping) => !there[mapping]?.includes(host))
    .map((mapping) => ({
      code: 'mapping-unknown',
      message:
        there[mapping] === undefined
          ? `there is no PCI mapping ${mapping}`
          : `PCI mapping ${mapping} has no device on ${host}`,
      advice: 'add it in Proxmox under Datacenter → Resource Mappings',
    }));
}
