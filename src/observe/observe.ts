/**
 * Room `observe`: what is there, as data.
 * May touch: the APIs, through clients and for reading alone.
 *
 * Reads what is there, all in parallel, in as few requests as the API allows; of foreign VMs only their configs.
 */

import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { Design } from '../design/design.js';
import { netsOf } from '../formats/proxmox/nets-of.js';
import { attempt } from './attempt.js';
import { observeAccess } from './observe-access.js';
import { type OutsiderMemory, outsiderOf, outsideUses, readOutsiders } from './observe-outsiders.js';
import { notAsked, type Observed } from './observed.js';
import { visibleVms } from './observed-vms.js';
import { hostsOf, storagesOf, takenIds } from './proxmox/cluster-lists.js';
import { withVersions } from './proxmox/host-versions.js';
import { observeBackup } from './proxmox/observe-backup.js';
import { observeHa } from './proxmox/observe-ha.js';
import { observeQuorum } from './proxmox/observe-quorum.js';
import { byOwner, candidates, type OwnershipOptions, readVms } from './proxmox/own-vms.js';
import { readBridges } from './proxmox/read-bridges.js';
import { hostsInUse, observeStorages } from './proxmox/storage-contents.js';
import { withEvidence } from './proxmox/unlisted-vms.js';

export async function observe(
  client: ProxmoxClient,
  design: Design,
  options: OwnershipOptions & { readonly outsiders?: OutsiderMemory } = {},
): Promise<Observed> {
  const rights = attempt(() => client.permissions());
  const [version, resources, status, permissions, access, replicated, pciMappings] = await Promise.all([
    client.version(),
    client.resources(),
    attempt(() => client.clusterStatus()),
    rights,
    observeAccess(client, design, rights),
    attempt(() => client.replicationJobs()),
    usesMappings(design) ? attempt(() => readMappings(client)) : notAsked<Record<string, string[]>>(),
  ]);
  const up = status.known ? status.value.hosts.filter((host) => host.online).map(({ name }) => name) : [];
  const hosts = hostsOf(resources, new Set(up));
  const storages = storagesOf(resources);
  const isOnline = (host: string) => hosts[host]?.online === true;
  const ours = candidates(design, resources.vms, options);
  const others = resources.vms.filter((vm) => !ours.includes(vm));
  const concernsHa =
    design.ha !== undefined || ours.some((vm) => vm.haState !== undefined || !isOnline(vm.node));
  const largest = largestMtu(design);
  const placed = new Map(design.nodes.map((node) => [Number(node.talosVm.vmid), node.host]));
  const mayMove = ours.some((vm) => placed.has(vm.vmid) && placed.get(vm.vmid) !== vm.node);
  const [vms, outsiders, contents, bridges, ha, versioned, backup, quorate] = await Promise.all([
    readVms(client, ours, isOnline),
    readOutsiders(client, others, isOnline, options.outsiders),
    observeStorages(client, design, ours, { storages, permissions }, isOnline),
    Promise.all(
      hostsInUse(design, ours)
        .filter(isOnline)
        .map(async (host) => [host, await attempt(() => readBridges(client, host, largest))] as const),
    ),
    concernsHa ? observeHa(client) : undefined,
    concernsHa || mayMove ? withVersions(client, hosts) : hosts,
    observeBackup(client, design.backup, { storages, hosts }),
    observeQuorum(client, status),
  ]);
  const { vms: listed, lookalikes } = byOwner(design, vms, options);
  const sides = {
    vms: await withEvidence(client, design, { vms: listed, resources, permissions }),
    lookalikes,
  };
  const unread = outsiders.filter(({ namings }) => namings === undefined);
  return {
    proxmox: { version: version.version },
    quorate,
    hosts: versioned,
    taken: takenIds(resources),
    ...sides,
    outsiders: outsideUses(design, visibleVms(sides), [
      ...Object.values(lookalikes).map(outsiderOf),
      ...outsiders,
    ]),
    ...(unread.length > 0 && { unread: unread.map(({ type, vmid, host }) => ({ type, vmid, host })) }),
    backup,
    replicated,
    ...(ha && { ha }),
    storages,
    ...contents,
    bridges: Object.fromEntries(bridges),
    pciMappings,
    machines: {},
    access,
    permissions,
    tokenId: client.tokenId,
  };
}

/** Of all NICs that the design has. */
export function largestMtu({ nodes }: Design): number {
  return Math.max(1, ...nodes.flatMap(({ talosVm }) => netsOf(talosVm.options)).map(({ mtu = 1 }) => mtu));
}

function usesMappings(design: Design): boolean {
  return design.nodes.some((node) =>
    Object.keys(node.talosVm.options).some((key) => key.startsWith('hostpci')),
  );
}

async function readMappings(client: ProxmoxClient): Promise<Record<string, readonly string[]>> {
  return Object.fromEntries((await client.pciMappings()).map((mapping) => [mapping.id, mapping.nodes]));
}
