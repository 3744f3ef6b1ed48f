import { discoveredMembers } from '../discovery.js';
import { diskObject, viewDisks } from '../disks.js';
import type { Machine } from '../machine.js';
import { machineStatus, networkReadiness, shownServices, staticPods } from '../machine-status.js';
import { linkMtu, routedAddresses } from '../network-path.js';
import { timeSynced } from '../services.js';
import { discoveredVolumes, volumeStatuses } from './block-specs.js';
import { KINDS, NAMESPACES } from './kinds.js';
import { manifestSpecs } from './manifest-specs.js';

/** A resource as it is now: everything is computed from the machine when it is asked for. */
export interface ResourceSpec {
  readonly type: string;
  readonly namespace: string;
  readonly id: string;
  readonly owner?: string;
  readonly spec: unknown;
}

type Specs = (machine: Machine) => { id: string; spec: unknown }[];

const one = (id: string, spec: unknown) => [{ id, spec }];

const SPECS: Readonly<Record<string, Specs>> = {
  'MachineStatuses.runtime.talos.dev': (machine) => one('machine', machineStatus(machine)),
  'Versions.runtime.talos.dev': (machine) =>
    one('version', { version: machine.record.system?.version ?? '' }),
  'SystemInformations.hardware.talos.dev': ({ hardware: { uuid } }) =>
    one('systeminformation', { manufacturer: 'QEMU', productName: 'Standard PC', uuid: uuid.toLowerCase() }),
  'ExtensionStatuses.runtime.talos.dev': extensionStatuses,
  'Services.v1alpha1.talos.dev': (machine) =>
    shownServices(machine).map(({ id, running, healthy, unknown }) => ({
      id,
      spec: { running, healthy, unknown },
    })),
  'TimeStatuses.v1alpha1.talos.dev': (machine) =>
    one('node', {
      synced: timeSynced(machine),
      epoch: 0,
      syncDisabled: false,
    }),
  'Disks.block.talos.dev': (machine) =>
    viewDisks(machine.hardware).map((disk) => ({ id: disk.id, spec: shownDisk(diskObject(disk)) })),
  'SystemDisks.block.talos.dev': systemDisk,
  'DiscoveredVolumes.block.talos.dev': discoveredVolumes,
  'VolumeStatuses.block.talos.dev': volumeStatuses,
  'MachineConfigs.config.talos.dev': machineConfigs,
  'MachineTypes.config.talos.dev': (machine) => one('machine-type', machine.facts?.type ?? 'unknown'),
  'Members.cluster.talos.dev': discoveredMembers,
  'Identities.cluster.talos.dev': (machine) =>
    machine.state ? one('local', { nodeId: machine.state.nodeId }) : [],
  'NodeAddresses.net.talos.dev': nodeAddresses,
  'AddressStatuses.net.talos.dev': (machine) =>
    allAddresses(machine).map(({ link, cidr }) => ({
      id: `${link}/${cidr}`,
      spec: { address: cidr, linkName: link, family: 'inet4', scope: 'global' },
    })),
  'LinkStatuses.net.talos.dev': (machine) =>
    machine.hardware.nics.map((nic, index) => ({
      id: `eth${index}`,
      spec: {
        index: index + 2,
        type: 'ether',
        hardwareAddr: nic.mac.toLowerCase(),
        permanentAddr: nic.mac.toLowerCase(),
        mtu: linkMtu(machine, index),
        operationalState: 'up',
        driver: 'virtio_net',
        linkState: true,
      },
    })),
  'HostnameStatuses.net.talos.dev': hostnameStatus,
  'NetworkStatuses.net.talos.dev': (machine) => {
    const { addressReady, connectivityReady } = networkReadiness(machine);
    return one('status', {
      addressReady,
      connectivityReady,
      hostnameReady: true,
      etcFilesReady: true,
    });
  },
  'RouteStatuses.net.talos.dev': (machine) =>
    routedAddresses(machine).map((address) => ({
      id: `inet4/${address.gateway}//1024`,
      spec: { family: 'inet4', dst: '', gateway: address.gateway, outLinkName: `eth${address.nic}` },
    })),
  'EtcdMembers.etcd.talos.dev': (machine) => {
    const data = machine.service('etcd')?.state === 'Running' ? machine.etcdData : undefined;
    return data ? one('local', { memberId: BigInt(data.memberId).toString(16) }) : [];
  },
  'Manifests.kubernetes.talos.dev': manifestSpecs,
  'Nodenames.kubernetes.talos.dev': (machine) =>
    machine.configured ? one('nodename', { nodename: machine.nodeName, hostnameVersion: '1' }) : [],
  'NodeStatuses.kubernetes.talos.dev': nodeStatus,
  'StaticPodStatuses.kubernetes.talos.dev': (machine) =>
    staticPods(machine).map((pod) => ({
      id: `kube-system/${pod.name}`,
      spec: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: pod.ready ? 'True' : 'False' }],
      },
    })),
};

/** All resources of a kind, in order of id; for kinds the lab knows but fills with nothing, none. */
export function resourcesOf(machine: Machine, type: string): ResourceSpec[] {
  const kind = KINDS.find((known) => known.type === type);
  if (!kind) return [];
  if (kind.namespace === 'meta') return metaResources(type);
  return (SPECS[type]?.(machine) ?? [])
    .map((resource) => ({ type, namespace: kind.namespace, ...resource }))
    .sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
}

function metaResources(type: string): ResourceSpec[] {
  const meta = { type, namespace: 'meta', owner: 'meta' };
  if (type === 'Namespaces.meta.cosi.dev') {
    return Object.entries(NAMESPACES).map(([id, description]) => ({ ...meta, id, spec: { description } }));
  }
  return KINDS.map((kind) => ({
    ...meta,
    id: kind.type.toLowerCase(),
    spec: {
      type: kind.type,
      displayType: kind.display,
      defaultNamespace: kind.namespace,
      aliases: kind.aliases,
      sensitivity: kind.sensitive ? 'sensitive' : '',
    },
  }));
}

/** Empty texts are left out, as in the recording of `List Disks`. */
function shownDisk(disk: ReturnType<typeof diskObject>): Record<string, unknown> {
  const shown = (value: unknown) => value !== '' && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(disk).filter(([, value]) => shown(value)));
}

function systemDisk(machine: Machine) {
  const slot = machine.systemDrive?.slot;
  const disk = viewDisks(machine.hardware).find((one) => one.slot === slot);
  return disk ? one('system-disk', { diskID: disk.id, devPath: disk.devPath }) : [];
}

/** The running config and, where a staged one waits on the disk, that too. */
function machineConfigs(machine: Machine) {
  const { config, state } = machine;
  return [
    ...(config === undefined ? [] : one('v1alpha1', config)),
    ...(state?.config === undefined ? [] : one('persistent', state.config)),
  ];
}

function hostnameStatus(machine: Machine) {
  const [hostname = '', ...domain] = machine.fqdn.split('.');
  return one('hostname', { hostname, domainname: domain.join('.') });
}

export function allAddresses(machine: Machine): { link: string; cidr: string }[] {
  const own = machine.addresses.map(({ ip, prefix, nic }) => ({
    link: `eth${nic}`,
    cidr: `${ip}/${prefix}`,
  }));
  return [...own, ...machine.heldVips.map((vip) => ({ link: own[0]?.link ?? 'eth0', cidr: `${vip}/32` }))];
}

function nodeAddresses(machine: Machine) {
  const addresses = allAddresses(machine).map(({ cidr }) => cidr);
  const spec = { addresses, sortAlgorithm: 'v1' };
  return ['accumulative', 'current', 'routed']
    .map((id) => ({ id, spec }))
    .concat(
      one('default', { ...spec, addresses: addresses.slice(0, 1) }) as { id: string; spec: typeof spec }[],
    );
}

function nodeStatus(machine: Machine) {
  const cluster = machine.facts?.cluster.id;
  if (cluster === undefined || machine.service('kubelet')?.state !== 'Running') return [];
  const nodeReady = machine.room.kubernetes
    ? machine.room.kubernetes.nodeReady(cluster, machine.nodeName)
    : true;
  return nodeReady === undefined ? [] : one(machine.nodeName, { nodename: machine.nodeName, nodeReady });
}

function extensionStatuses(machine: Machine) {
  const { system } = machine.record;
  const names = machine.room.images.extensions(system?.schematic ?? '');
  return [
    ...names.map((name, index) => ({
      id: String(index),
      spec: { image: `${name}:${system?.version ?? ''}`, metadata: { name: name.split('/').at(-1) ?? name } },
    })),
    // The factory adds an extension that says which schematic it is.
    {
      id: String(names.length),
      spec: { image: 'schematic', metadata: { name: 'schematic', version: system?.schematic ?? '' } },
    },
  ];
}
