/** The cluster's list of everything (pve-manager, PVE/API2/Cluster.pm); recordings `cluster-overview`, `pools`. */
import type { Call, Pve } from '../api.js';
import type { HostRecord, StorageRecord, VmRecord } from '../db.js';
import { readManager } from '../ha/state.js';
import { containerResource } from '../lxc/handlers.js';
import { hostIsUp } from '../quorum.js';
import { isUsable } from '../storage/storages.js';
import { usedOn } from '../volumes.js';
import { broadcastFigures, isHeardOf } from './broadcast.js';
import { hostFigures } from './host-figures.js';

export function listResources(call: Call): unknown {
  const type = call.text('type');
  const asked = (kind: string) => type === undefined || type === kind;
  return [
    ...(type === undefined ? pools(call) : []),
    ...(asked('vm') ? vms(call) : []),
    ...(asked('node') ? nodes(call) : []),
    ...(asked('storage') ? storages(call) : []),
    ...(type === undefined ? networks(call) : []),
  ];
}

function pools(call: Call): unknown[] {
  return [...call.pve.db.pools.values()]
    .filter(({ id }) => call.allows(`/pool/${id}`, ['Pool.Audit']))
    .map(({ id }) => ({ id: `/pool/${id}`, pool: id, type: 'pool' }));
}

export function vmResource(pve: Pve, vm: VmRecord): Record<string, unknown> {
  return {
    id: `qemu/${vm.vmid}`,
    vmid: vm.vmid,
    node: vm.host,
    type: 'qemu',
    status: 'unknown',
    ...broadcastFigures(pve, vm.vmid),
  };
}

function vms(call: Call): unknown[] {
  const { db } = call.pve;
  const poolOf = new Map(
    [...db.pools.values()].flatMap(({ id, vms: members }) => members.map((vmid) => [vmid, id])),
  );
  const containers = [...db.containers.values()]
    .filter(({ vmid }) => call.allows(`/vms/${vmid}`, ['VM.Audit']))
    .map(containerResource);
  const machines = [...db.vms.values()]
    .filter((vm) => call.allows(`/vms/${vm.vmid}`, ['VM.Audit']))
    .map((vm) => {
      const pool = poolOf.get(vm.vmid);
      const ha = db.haResources.get(`vm:${vm.vmid}`);
      // Lock and tags are read from the config itself, so they are never old.
      const { lock, tags } = vm.config;
      return {
        ...vmResource(call.pve, vm),
        ...(lock === undefined ? {} : { lock }),
        ...(tags === undefined ? {} : { tags }),
        ...(pool !== undefined && call.allows(`/pool/${pool}`, ['Pool.Audit']) ? { pool } : {}),
        // As the manager has it, and before that as it was asked for.
        ...(ha ? { hastate: db.haServices.get(ha.sid)?.state ?? ha.state ?? 'started' } : {}),
      };
    });
  return [...machines, ...containers];
}

/** Figures only for those who may see them. */
export function nodeResource(call: Call, host: HostRecord): Record<string, unknown> {
  const up = hostIsUp(call.pve, host.name);
  const audit = call.allows(`/nodes/${host.name}`, ['Sys.Audit']);
  return {
    id: `node/${host.name}`,
    node: host.name,
    type: 'node',
    status: up ? 'online' : 'offline',
    level: '',
    ...(up && audit ? hostFigures(call.pve, host) : {}),
  };
}

/** What the HA manager makes of a host, while it looks after something. */
function haStateOf(pve: Pve, node: string): { hastate?: string } {
  const known = readManager(pve).nodes[node];
  return known ? { hastate: known.state } : {};
}

function nodes(call: Call): unknown[] {
  return [...call.pve.db.hosts.values()].map((host) => ({
    ...nodeResource(call, host),
    // No one has heard of it for long: that does not mean that it is down.
    ...(hostIsUp(call.pve, host.name) && !isHeardOf(call.pve, host.name) ? { status: 'unknown' } : {}),
    'cgroup-mode': 2,
    'host-arch': 'x86_64',
    ...haStateOf(call.pve, host.name),
  }));
}

export function storageResource(pve: Pve, storage: StorageRecord, node: string): Record<string, unknown> {
  // As it was last reported, whether the host is there or not.
  const known = isHeardOf(pve, node);
  return {
    id: `storage/${node}/${storage.id}`,
    storage: storage.id,
    node,
    type: 'storage',
    plugintype: storage.type,
    status: known ? 'available' : 'unknown',
    shared: storage.shared ? 1 : 0,
    content: [...storage.content].sort().join(','),
    ...(known ? { maxdisk: storage.total, disk: usedOn(pve.db, storage, node) } : {}),
  };
}

function storages(call: Call): unknown[] {
  const hosts = [...call.pve.db.hosts.values()];
  return [...call.pve.db.storages.values()]
    .filter(({ id }) => call.allows(`/storage/${id}`, ['Datastore.Audit']))
    .flatMap((storage) =>
      hosts
        .filter((host) => isUsable(storage, host.name))
        .map((host) => storageResource(call.pve, storage, host.name)),
    );
}

function networks(call: Call): unknown[] {
  if (!call.allows('/sdn/zones/localnetwork', ['SDN.Audit'])) return [];
  return [...call.pve.db.hosts.values()].map(({ name }) => ({
    id: `network/${name}/zone/localnetwork`,
    type: 'network',
    'network-type': 'zone',
    network: 'localnetwork',
    node: name,
    status: 'ok',
  }));
}
