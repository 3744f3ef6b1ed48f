/** Reads the Talos API of every machine whose VM runs, all at once. */

import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { TalosAccess } from '../clients/talos/access.js';
import type { RunningTalos, TalosClient } from '../clients/talos/client.js';
import { isTalosError } from '../clients/talos/errors.js';
import { RESOURCES } from '../clients/talos/resources.js';
import type { Design, NodeDesign } from '../design/design.js';
import { unmarkedConfig } from '../design/machine-config/config-mark.js';
import { machineConfigMeaning } from '../design/machine-config/meaning.js';
import { uuidOfVm } from '../formats/proxmox/smbios-uuid.js';
import { staticAddressOf } from '../formats/proxmox/static-address.js';
import { OxherdError } from '../model/error.js';
import { attempt } from './attempt.js';
import { findAddress } from './machine-address.js';
import { known, type Observed, type ObservedVm, unknown } from './observed.js';
import type {
  EtcdView,
  MachineConfigView,
  MachineDetails,
  MachineVolume,
  ObservedMachine,
} from './observed-machines.js';
import { findVm } from './observed-vms.js';
import { parseVolumeStatus } from './volume-status.js';

export async function observeMachines(
  access: TalosAccess,
  client: ProxmoxClient,
  design: Pick<Design, 'nodes'>,
  observed: Pick<Observed, 'vms' | 'taken'>,
): Promise<Record<string, ObservedMachine>> {
  const machines = await Promise.all(
    design.nodes.map((node) => observeMachine(access, client, node, observed)),
  );
  return Object.fromEntries(machines.map((machine) => [machine.node, machine]));
}

async function observeMachine(
  access: TalosAccess,
  client: ProxmoxClient,
  node: NodeDesign,
  observed: Pick<Observed, 'vms' | 'taken'>,
): Promise<ObservedMachine> {
  const answer = findVm(observed, node.talosVm.vmid);
  if (answer.state === 'hidden') return { node: node.name, presence: 'unread', details: unknown(answer.why) };
  if (answer.state === 'absent' || answer.vm.status === 'stopped')
    return { node: node.name, presence: 'off', details: unknown('its VM does not run') };
  const { vm } = answer;
  const presence = await access.probe(node.ip);
  const expected = uuidOfVm(vm) ?? '';
  const configured = presence === 'configured' ? await observeDetails(access, node, node.ip) : undefined;
  const uuid = configured?.details.known ? configured.details.value.uuid : undefined;
  // An address that answers is not an identity.
  const isOther = uuid !== undefined && expected !== '' && uuid !== expected;
  if (configured?.details.known && uuid === undefined && expected !== '') {
    const why = `its SMBIOS uuid could not be read: ${node.ip} may be another machine`;
    return { node: node.name, presence: 'configured', address: node.ip, details: unknown(why) };
  }
  if (configured && !isOther)
    return { node: node.name, presence: 'configured', address: node.ip, ...configured };
  const before = presence === 'maintenance' ? undefined : await atFormerAddress(access, node, vm, expected);
  if (before) return before;
  if (isOther) {
    const why = `another machine answers at ${node.ip} (SMBIOS uuid ${uuid})`;
    return { node: node.name, presence: 'absent', details: unknown(why), otherMachine: uuid };
  }
  if (presence === 'maintenance') {
    return { node: node.name, presence, address: node.ip, details: unknown('it waits for its config') };
  }
  const elsewhere = await findAddress(access, client, vm.host, node);
  if (elsewhere)
    return {
      node: node.name,
      presence: 'maintenance',
      address: elsewhere,
      details: unknown('it waits for its config'),
    };
  const why = `no answer from ${node.ip}`;
  if (vm.status === 'unknown')
    return {
      node: node.name,
      presence: 'unread',
      details: unknown(`whether its VM runs is not known: ${why}`),
    };
  return { node: node.name, presence: 'absent', details: unknown(why), onItsWay: why };
}

/** A machine whose address changes in oxherd.yaml still has the one that its cloud-init drive was given. */
async function atFormerAddress(
  access: TalosAccess,
  node: NodeDesign,
  vm: ObservedVm,
  expected: string,
): Promise<ObservedMachine | undefined> {
  const address = staticAddressOf(vm);
  if (address === undefined || address === node.ip || (await access.probe(address)) !== 'configured')
    return undefined;
  const seen = await observeDetails(access, node, address);
  if (!seen.details.known || seen.details.value.uuid !== expected) return undefined;
  return { node: node.name, presence: 'configured', address, ...seen };
}

/** Of Talos VMs that are not in oxherd.yaml: those whose machine accepts our certificate and has the VM's uuid. */
export async function acceptingMachines(access: TalosAccess, vms: readonly ObservedVm[]): Promise<number[]> {
  const asked = vms.map(async (vm) => {
    const address = vm.status === 'running' ? staticAddressOf(vm) : undefined;
    const expected = uuidOfVm(vm);
    const talos = address === undefined || expected === undefined ? undefined : access.admin(address);
    // A machine in maintenance mode accepts anyone.
    if (!talos || address === undefined || (await access.probe(address)) !== 'configured') return [];
    const uuid = await attempt(() => readUuid(talos));
    return uuid.known && uuid.value === expected ? [Number(vm.vmid)] : [];
  });
  return (await Promise.all(asked)).flat();
}

/** Stages that end in another boot, or in none: neither version nor config stay what they are. */
const GOING_DOWN: readonly string[] = ['installing', 'rebooting', 'resetting', 'shutting down', 'upgrading'];

export async function observeDetails(
  access: TalosAccess,
  node: Pick<NodeDesign, 'role'>,
  address: string,
): Promise<Pick<ObservedMachine, 'details' | 'onItsWay'>> {
  const talos = access.admin(address);
  if (!talos) return { details: unknown('cluster secrets not found') };
  try {
    const details = await readDetails(talos, node);
    const { stage } = details;
    return { details: known(details), ...(GOING_DOWN.includes(stage) && { onItsWay: `it is ${stage}` }) };
  } catch (error) {
    const why = OxherdError.from(error).message;
    // It answered a moment ago: services start or stop just now, or its clock is being set.
    const passing = isTalosError(
      error,
      'talos.unreachable',
      'talos.timeout',
      'talos.not-ready',
      'talos.certificate-refused',
    );
    return { details: unknown(why), ...(passing && { onItsWay: why }) };
  }
}

export async function readDetails(
  talos: RunningTalos,
  node: Pick<NodeDesign, 'role'>,
): Promise<MachineDetails> {
  const [uuid, version, status, config, services, volumes, time, extensions, etcd] = await Promise.all([
    attempt(() => readUuid(talos)),
    talos.version(),
    talos.get(RESOURCES.machineStatus, 'machine'),
    attempt(() => readConfig(talos)),
    talos.services(),
    readVolumes(talos),
    attempt(() => talos.get(RESOURCES.timeStatus, 'node')),
    attempt(() => talos.list(RESOURCES.extensionStatus)),
    node.role === 'controlplane' ? attempt(() => readEtcd(talos)) : undefined,
  ]);
  const spec = record(status?.spec);
  const condition = record(spec.status);
  return {
    ...(uuid.known && uuid.value !== '' && { uuid: uuid.value }),
    talosVersion: version.tag,
    schematic: extensions.known ? known(schematicIn(extensions.value)) : extensions,
    stage: text(spec.stage),
    ready: condition.ready === true,
    unmet: list(condition.unmetConditions).map((item) => ({
      name: text(item.name),
      reason: text(item.reason),
    })),
    config,
    services,
    volumes,
    timeSynced: time.known ? known(time.value && record(time.value.spec).synced === true) : time,
    ...(etcd && { etcd }),
  };
}

function schematicIn(extensions: readonly { readonly spec: unknown }[]): string | undefined {
  const schematic = extensions
    .map(({ spec }) => record(record(spec).metadata))
    .find(({ name }) => name === 'schematic');
  return schematic && text(schematic.version);
}

/** As the firmware tells it; also in maintenance mode. */
export async function readUuid(talos: Pick<TalosClient, 'get'>): Promise<string> {
  const { uuid } = record((await talos.get(RESOURCES.systemInformation, 'systeminformation'))?.spec);
  return text(uuid).toLowerCase();
}

async function readConfig(talos: RunningTalos): Promise<MachineConfigView> {
  const resource = await talos.get(RESOURCES.machineConfig, 'v1alpha1');
  const { text: config, mark } = unmarkedConfig(typeof resource?.spec === 'string' ? resource.spec : '');
  const active = machineConfigMeaning(config);
  const kept = await talos.get(RESOURCES.machineConfig, 'persistent');
  const disk = typeof kept?.spec === 'string' ? kept.spec : undefined;
  const persistent = disk === undefined ? active : machineConfigMeaning(unmarkedConfig(disk).text);
  return {
    ...active,
    ...(persistent.hash !== active.hash && { persistent }),
    ...(mark !== undefined && { mark }),
  };
}

/** A place other than a disk, such as a mapped device, proves nothing about a disk. */
const DISK_PATH = /^\/dev\/(?:sd|vd|nvme)/;

export async function readVolumes(talos: RunningTalos): Promise<MachineVolume[]> {
  const [volumes, disks] = await Promise.all([
    talos.list(RESOURCES.volumeStatus),
    talos.list(RESOURCES.disks),
  ]);
  const wwids = new Map(
    disks.map((disk) => {
      const spec = record(disk.spec);
      return [text(spec.dev_path) || `/dev/${disk.id}`, text(spec.wwid)] as const;
    }),
  );
  return volumes.map((volume) => {
    const { location, ...status } = parseVolumeStatus(volume);
    const wwid = wwids.get(location) ?? wwids.get(location.replace(/p?\d+$/, ''));
    // Talos never touches a volume again that was ready once: its status outlives its disk.
    const known = location === '' || DISK_PATH.test(location);
    const detached = status.phase === 'ready' && known && wwids.size > 0 && wwid === undefined;
    return { ...status, ...(wwid && { wwid }), ...(detached && { detached }) };
  });
}

export async function readEtcd(talos: RunningTalos): Promise<EtcdView> {
  const [members, status, alarms] = await Promise.all([
    talos.etcd.members(),
    talos.etcd.status(),
    talos.etcd.alarms(),
  ]);
  return {
    memberId: status.memberId.toString(16),
    leader: status.leader === 0n ? '' : status.leader.toString(16),
    learner: status.learner,
    errors: status.errors,
    raftIndex: String(status.raftIndex),
    raftTerm: String(status.raftTerm),
    members: members.map((member) => ({
      id: member.id.toString(16),
      hostname: member.hostname,
      learner: member.learner,
      addresses: member.peerUrls.flatMap((url) => hostOfUrl(url)),
    })),
    alarms: alarms.filter((alarm) => alarm.alarm !== 'NONE').map((alarm) => alarm.alarm),
  };
}

function hostOfUrl(url: string): string[] {
  return URL.canParse(url) ? [new URL(url).hostname.replace(/^\[|\]$/g, '')] : [];
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(record) : [];
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
