import { withChangedText } from '../../formats/marks/applied-note.js';
import { notedSecrets, secretsNote } from '../../formats/marks/secrets-note.js';
import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import { isStorageType } from '../../lab/proxmox/storage/types.js';
import type { TwinHa, TwinState, TwinVm } from '../../lab/twin/twin-state.js';
import { labPciDevice, pciMap, type WorldHost } from '../../lab/world.js';
import type { Observed, ObservedHa, ObservedVm } from '../../observe/observed.js';
import { visibleIn } from '../../observe/observed-lists.js';
import { visibleVm, visibleVms } from '../../observe/observed-vms.js';
import { secretsFingerprint, type TalosSecrets } from '../../secrets/talos-secrets.js';
import type { Observation } from './observation.js';
import { orElse } from './or-else.js';
import { type SeenObject, withTexts } from './seen-objects.js';
import { etcdOf, machinesOf, type TwinParts } from './twin-machines.js';
import { volumesOf } from './twin-volumes.js';

const GIB = 1024 ** 3;
const ROOM = 4_000 * GIB;

export function twinStateOf(observation: Observation, parts: TwinParts): TwinState {
  const { observed, at } = observation;
  const machines = machinesOf(observation, parts);
  const members = etcdOf(parts.design, observed);
  return {
    at,
    world: {
      hosts: Object.values(observed.hosts).map(({ name, cpus, memory, version }) => ({
        name,
        pci: devicesOf(observed, name),
        ...(version !== undefined && { version }),
        ...(cpus !== undefined && { cpus }),
        ...(memory !== undefined && { memory }),
        bridges: bridgesOf(observed, name),
      })),
      storages: storagesOf(observed),
      pciMappings: mappingsOf(observed),
      cpuModels: parts.config.nodes
        .map((node) => node.vm.cpuType)
        .filter((type) => type.startsWith('custom-')),
    },
    offlineHosts: Object.values(observed.hosts)
      .filter(({ online }) => !online)
      .map(({ name }) => name),
    vms: [...ownVms(observed, parts.secrets), ...otherVms(observed)],
    volumes: volumesOf(parts.design, observed),
    access: {
      roles: Object.fromEntries(observed.access.roles.seen),
      users: visibleIn(observed.access.users).map(({ id }) => id),
      tokens: Object.fromEntries(observed.access.tokens.seen),
      acl: visibleIn(observed.access.acl),
      pools: Object.fromEntries(observed.access.pools.seen),
    },
    backupJobs: observed.backup ? orElse(observed.backup.jobs, {}) : {},
    ...(observed.ha?.known && { ha: haOf(observed.ha.value) }),
    machines,
    ...(members && { etcd: members }),
    objects: Object.fromEntries(
      Object.entries(withTexts(observation.objects, parts.objects, observation.changed)).map(
        ([resource, list]) => [resource, list.map(mutable)],
      ),
    ),
    schematics: schematicsOf(observation),
  };
}

function mutable(object: SeenObject) {
  return { ...object, metadata: { ...object.metadata } };
}

function bridgesOf(observed: Observed, host: string) {
  const bridges = observed.bridges[host];
  const found = bridges?.known ? bridges.value : [{ name: 'vmbr0' }];
  return found.map(({ name, ...mtu }) => ({ iface: name, ports: '', ...mtu }));
}

function haOf({ hosts, resources, rules }: ObservedHa): TwinHa {
  const maintenance = Object.keys(hosts).filter((host) => hosts[host] === 'maintenance');
  return { maintenance, resources, rules: orElse(rules, {}) };
}

/** Which devices they are is not known: each mapping has one of its own on each of its hosts. */
function mappingsOf({ pciMappings }: Observed) {
  return Object.entries(orElse(pciMappings, {})).map(([id, hosts], index) => ({
    id,
    map: hosts.map((host) => pciMap(host, labPciDevice(index))),
  }));
}

/** Those of mappings, and those that a VM names by their address. */
function devicesOf(observed: Observed, host: string): NonNullable<WorldHost['pci']> {
  const mapped = Object.values(orElse(observed.pciMappings, {})).flatMap((hosts, index) =>
    hosts.includes(host) ? [labPciDevice(index)] : [],
  );
  const named = visibleVms(observed)
    .filter((vm) => vm.host === host && vm.config.known)
    .flatMap((vm) => (vm.config.known ? Object.entries(vm.config.value.values) : []))
    .flatMap(([key, value]) => (/^hostpci\d+$/.test(key) ? addressesOf(value) : []));
  return [...mapped, ...named.map((id) => ({ ...labPciDevice(0), id }))];
}

function addressesOf(line: string): string[] {
  const { host = '' } = parsePropertyString(line, 'host');
  return host.split(';').flatMap((id) => (id === '' ? [] : [/^\w{4}:/.test(id) ? id : `0000:${id}`]));
}

function storagesOf({ storages }: Observed): TwinState['world']['storages'] {
  const names = [...new Set(Object.values(storages).map(({ name }) => name))];
  return names.map((id) => {
    const places = Object.values(storages).filter(({ name }) => name === id);
    const [first] = places;
    const type = first && isStorageType(first.type) ? first.type : 'dir';
    return {
      id,
      type,
      content: [...(first?.content ?? [])],
      ...(type === 'dir' && { path: `/var/lib/${id}` }),
      ...(type === 'zfspool' && { pool: id, sparse: true }),
      shared: first?.shared === true,
      disable: !places.some(({ active }) => active),
      nodes: places.map(({ host }) => host),
      total: Math.max(...places.map(({ total }) => total ?? ROOM)),
    };
  });
}

function ownVms(observed: Observed, secrets: TalosSecrets): TwinVm[] {
  return [...visibleVms(observed), ...Object.values(observed.lookalikes)].flatMap((vm) =>
    vm.config.known ? [ownVm(vm, secrets)] : [],
  );
}

function ownVm(vm: ObservedVm, secrets: TalosSecrets): TwinVm {
  const state = vm.config.known ? vm.config.value : undefined;
  const values = { ...state?.values };
  const noted = notedSecrets(values.description ?? '');
  // VMs of this cluster belong to this cluster's secrets, and so they do in the twin.
  if (noted !== undefined && values.description !== undefined && !('why' in vm))
    values.description = withChangedText(values.description, (text) =>
      text.replace(secretsNote(noted), secretsNote(secretsFingerprint(secrets))),
    );
  return {
    vmid: vm.vmid,
    host: vm.host,
    values,
    pending: state?.pending ?? {},
    snapshots: state?.snapshots ?? {},
    running: vm.status === 'running',
  };
}

/** VMs of others take their ids and their memory; what they do is not known, and nothing of it is done here. */
function otherVms(observed: Observed): TwinVm[] {
  return Object.values(observed.taken).flatMap((vm) => {
    if (visibleVm(observed, vm.vmid) || vm.vmid in observed.lookalikes) return [];
    const values = {
      name: vm.name,
      cores: String(vm.cpus ?? 1),
      memory: String(Math.round((vm.memory ?? GIB) / 1024 ** 2)),
      ...(vm.tags.length > 0 && { tags: vm.tags.join(';') }),
    };
    return [
      { vmid: vm.vmid, host: vm.host, values, pending: {}, snapshots: {}, running: vm.status === 'running' },
    ];
  });
}

function schematicsOf({ machines }: Observation): TwinState['schematics'] {
  return Object.fromEntries(
    Object.values(machines).flatMap(({ schematic, extensions }) =>
      schematic === undefined ? [] : [[schematic, extensions] as const],
    ),
  );
}
