/** Reads what is there, all in parallel, in as few requests as the API allows; of foreign VMs only their configs. */
import type { VmResource } from '../clients/proxmox/calls/cluster.js';
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { Design } from '../design/design.js';
import { mayBeOurs, ownershipOf } from '../formats/marks/ownership.js';
import { vmConfigOf } from '../formats/proxmox/vm-config.js';
import type { Vmid } from '../model/identity.js';
import { attempt } from './attempt.js';
import { observeAccess } from './observe-access.js';
import { observeBackup } from './observe-backup.js';
import { outsiderOf, outsideUses, readOutsiders } from './observe-outsiders.js';
import { type Known, known, type Lookalike, type Observed, type ObservedVm, unknown } from './observed.js';
import { readVm } from './read-vm.js';

interface ObserveOptions {
  /** Nodes that begin again: with which secrets their data was made does not matter. */
  readonly fresh?: readonly string[];
  /** VMs on the ids of nodes count as ours whatever they carry: they may be taken over. */
  readonly adopt?: boolean;
}

export async function observe(
  client: ProxmoxClient,
  design: Design,
  options: ObserveOptions = {},
): Promise<Observed> {
  const [version, resources, status, permissions, access, replicated, pciMappings] = await Promise.all([
    client.version(),
    client.resources(),
    attempt(() => client.clusterStatus()),
    attempt(() => readPermissions(client)),
    observeAccess(client, design),
    attempt(() => client.replicationJobs()),
    usesMappings(design)
      ? attempt(() => readMappings(client))
      : unknown<Record<string, string[]>>('not used'),
  ]);
  const quorate = status.known ? known(status.value.quorate) : status;
  const up = new Set(
    status.known ? status.value.hosts.filter((host) => host.online).map(({ name }) => name) : [],
  );
  const hosts = Object.fromEntries(
    resources.hosts.map((host) => [
      host.node,
      {
        name: host.node,
        // A host that does not report its load is up all the same where the cluster counts it in.
        online: host.online || (host.unreported && up.has(host.node)),
        ...(host.cpus !== undefined && { cpus: host.cpus }),
        ...(host.memory !== undefined && { memory: host.memory }),
        ...(host.memoryUsed !== undefined && { memoryUsed: host.memoryUsed }),
      },
    ]),
  );
  const storages = Object.fromEntries(
    resources.storages.map((storage) => [
      `${storage.node}/${storage.storage}`,
      {
        host: storage.node,
        name: storage.storage,
        content: storage.content,
        shared: storage.shared,
        active: storage.available,
        type: storage.type,
        ...(storage.total !== undefined && { total: storage.total }),
        ...(storage.used !== undefined && { used: storage.used }),
      },
    ]),
  );
  const taken = Object.fromEntries(
    resources.vms.map((vm) => [
      vm.vmid,
      {
        vmid: vm.vmid as Vmid,
        name: vm.name ?? '',
        host: vm.node,
        tags: vm.tags,
        status: vm.status,
        ...(vm.cpus !== undefined && { cpus: vm.cpus }),
        ...(vm.memory !== undefined && { memory: vm.memory }),
        ...(vm.lock !== undefined && { lock: vm.lock }),
        ...(vm.haState !== undefined && { ha: vm.haState }),
      },
    ]),
  );
  const ids = new Set(
    design.nodes.flatMap((node) => [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])]),
  );
  const ours = resources.vms.filter(
    (vm) =>
      vm.type === 'qemu' &&
      (mayBeOurs(design.cluster, vm.tags) || (options.adopt === true && ids.has(vm.vmid as Vmid))) &&
      (ids.has(vm.vmid as Vmid) || !vm.template),
  );
  const isOnline = (host: string) => hosts[host]?.online === true;
  const states = readStates(client, ours, isOnline);
  const reading = Promise.all(
    ours.map(
      async (vm): Promise<ObservedVm> => ({
        vmid: vm.vmid as Vmid,
        host: vm.node,
        name: vm.name ?? '',
        status: (await states)(vm),
        tags: vm.tags,
        template: vm.template,
        config: isOnline(vm.node)
          ? await attempt(() => readVm(client, vm.node, vm.vmid))
          : unknown(`host ${vm.node} is down`),
      }),
    ),
  );
  const others = resources.vms.filter((vm) => !ours.includes(vm));
  const [vms, outsiders, places, bridges] = await Promise.all([
    reading,
    readOutsiders(client, others, isOnline),
    observePlaces(client, design, ours, storages, isOnline),
    Promise.all(
      hostsInUse(design, ours)
        .filter(isOnline)
        .map(async (host) => [host, await attempt(() => readBridges(client, host))] as const),
    ),
  ]);
  const backup = await observeBackup(client, design.backup, { storages, hosts });
  const sides = sorted(design, vms, options);
  const unread = outsiders.filter(({ namings }) => namings === undefined);
  return {
    proxmox: { version: version.version },
    quorate,
    hosts,
    taken,
    ...sides,
    outsiders: outsideUses(design, Object.values(sides.vms), [
      ...Object.values(sides.lookalikes).map(outsiderOf),
      ...outsiders,
    ]),
    ...(unread.length > 0 && { unread: unread.map(({ type, vmid, host }) => ({ type, vmid, host })) }),
    backup,
    ...(replicated.known && { replicated: replicated.value }),
    storages,
    ...places,
    bridges: Object.fromEntries(bridges),
    pciMappings,
    machines: {},
    access,
    permissions,
    tokenId: client.tokenId,
  };
}

/** Ours and what only looks like it. */
function sorted(
  { cluster, nodes }: Design,
  all: readonly ObservedVm[],
  { fresh = [], adopt = false }: ObserveOptions,
): Pick<Observed, 'vms' | 'lookalikes'> {
  const { secrets: _, ...anySecrets } = cluster;
  const begin = new Set(
    nodes
      .filter((node) => fresh.includes(node.name))
      .flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid]),
  );
  const named = new Set(nodes.flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid]));
  const vms: Record<number, ObservedVm> = {};
  const lookalikes: Record<number, Lookalike> = {};
  for (const vm of all) {
    const owner = begin.has(vm.vmid) ? anySecrets : cluster;
    const ownership = vm.config.known
      ? ownershipOf(owner, vm.vmid, vmConfigOf(vm.config.value).effective)
      : undefined;
    if (!ownership || ownership.ours || (adopt && named.has(vm.vmid))) vms[vm.vmid] = vm;
    // Else its tag went between two requests: it does not even look like ours any more.
    else if (ownership.because !== 'tag')
      lookalikes[vm.vmid] = { ...vm, why: ownership.why, because: ownership.because };
  }
  return { vms, lookalikes };
}

/**
 * What the cluster's list says is up to ten seconds old: a VM that a run stopped a moment ago would be taken for running.
 * Each host is asked once about its own.
 */
async function readStates(
  client: ProxmoxClient,
  vms: readonly VmResource[],
  isOnline: (host: string) => boolean,
): Promise<(vm: VmResource) => ObservedVm['status']> {
  const hosts = [...new Set(vms.map((vm) => vm.node))].filter(isOnline);
  const states = new Map(
    await Promise.all(hosts.map(async (host) => [host, await attempt(() => client.vmStates(host))] as const)),
  );
  return ({ node, vmid }) => {
    const listed = states.get(node);
    const status = listed?.known ? listed.value.get(vmid) : undefined;
    return status === 'paused' ? 'running' : (status ?? 'unknown');
  };
}

async function readPermissions(client: ProxmoxClient): Promise<Record<string, string[]>> {
  const permissions = await client.permissions();
  return Object.fromEntries(
    Object.entries(permissions).map(([path, held]) => [path, Object.keys(held).sort()]),
  );
}

function usesMappings(design: Design): boolean {
  return design.nodes.some((node) =>
    Object.keys(node.talosVm.options).some((key) => key.startsWith('hostpci')),
  );
}

async function readMappings(client: ProxmoxClient): Promise<Record<string, readonly string[]>> {
  return Object.fromEntries((await client.pciMappings()).map((mapping) => [mapping.id, mapping.nodes]));
}

async function readBridges(client: ProxmoxClient, host: string): Promise<string[]> {
  return (await client.bridges(host)).map((bridge) => bridge.iface).sort();
}

function hostsInUse(design: Design, ours: readonly { node: string }[]): string[] {
  return [...new Set([...design.nodes.map((node) => node.host), ...ours.map((vm) => vm.node)])].sort();
}

/** Images and volumes: one listing per host and storage in use, one for all hosts where the storage is shared. */
async function observePlaces(
  client: ProxmoxClient,
  design: Design,
  ours: readonly { node: string; vmid: number }[],
  storages: Observed['storages'],
  isOnline: (host: string) => boolean,
): Promise<Pick<Observed, 'images' | 'volumes'>> {
  const hosts = hostsInUse(design, ours);
  const imagePlaces = new Set(design.images.map((image) => `${image.host}/${image.storage}`));
  const volumePlaces = new Set([
    ...hosts.flatMap((host) => storagesOf(design).map((storage) => `${host}/${storage}`)),
    ...design.csiVolumes.map((volume) => `${volume.host}/${volume.storage}`),
  ]);
  const listings = new Map<string, Promise<Known<Awaited<ReturnType<ProxmoxClient['storageContent']>>>>>();
  const list = (place: string) => {
    const storage = storages[place];
    if (!storage) return Promise.resolve(unknown<never>('the storage does not exist'));
    if (!isOnline(storage.host)) return Promise.resolve(unknown<never>(`host ${storage.host} is down`));
    const key = storage.shared ? storage.name : place;
    const listing = listings.get(key) ?? attempt(() => client.storageContent(storage.host, storage.name));
    listings.set(key, listing);
    return listing;
  };
  const [images, volumes] = await Promise.all([
    Promise.all(
      [...imagePlaces].sort().map(async (place) => {
        const listing = await list(place);
        const wanted = new Set(design.images.map((image) => image.volid));
        return [
          place,
          listing.known
            ? known(
                listing.value
                  .map((entry) => entry.volid)
                  .filter((volid) => wanted.has(volid))
                  .sort(),
              )
            : listing,
        ] as const;
      }),
    ),
    Promise.all(
      [...volumePlaces].sort().map(async (place) => {
        const listing = await list(place);
        if (!listing.known) return [place, listing] as const;
        const disks = listing.value.filter((entry) => entry.content === 'images');
        return [
          place,
          known(
            Object.fromEntries(
              disks.map((entry) => [
                entry.volid,
                {
                  volid: entry.volid,
                  size: entry.size,
                  format: entry.format,
                  ...(entry.vmid !== undefined && { vmid: entry.vmid }),
                },
              ]),
            ),
          ),
        ] as const;
      }),
    ),
  ]);
  return { images: Object.fromEntries(images), volumes: Object.fromEntries(volumes) };
}

function storagesOf(design: Design): string[] {
  return [...new Set(design.nodes.flatMap((node) => node.drives.map((drive) => drive.storage)))].sort();
}
