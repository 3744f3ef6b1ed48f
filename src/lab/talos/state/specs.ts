import { bootState } from '../machine/boot-state.js';
import type { Machine } from '../machine/machine.js';
import { machineStatus, shownServices, staticPods } from '../machine/machine-status.js';
import { discoveredMembers } from '../network/discovery.js';
import { clockOffset, kubeletRestarts, timeSynced } from '../services/services.js';
import { diskObject, viewDisks } from '../volumes/disks.js';
import { discoveredVolumes, mountedVolumes, mountStatuses, volumeStatuses } from './block-specs.js';
import {
  apiServerConfigs,
  controllerManagerConfigs,
  kubeletSpecs,
  kubernetesRootSecrets,
  osRootSecrets,
  schedulerConfigs,
} from './component-specs.js';
import { findKind, KINDS, NAMESPACES } from './kinds.js';
import { manifestSpecs } from './manifest-specs.js';
import {
  addressStatuses,
  hostnameStatus,
  linkStatuses,
  networkStatus,
  nodeAddresses,
  platformAddressSpecs,
  resolverStatus,
  routeStatuses,
  timeServerStatus,
} from './network-specs.js';

/** A resource as it is now: everything is computed from the machine when it is asked for. */
export interface ResourceSpec {
  readonly type: string;
  readonly namespace: string;
  readonly id: string;
  readonly owner?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: unknown;
}

type Specs = (machine: Machine) => { id: string; spec: unknown; namespace?: string }[];

const one = (id: string, spec: unknown) => [{ id, spec }];

const SPECS: Readonly<Record<string, Specs>> = {
  'MachineStatuses.runtime.talos.dev': (machine) => one('machine', machineStatus(machine)),
  'Versions.runtime.talos.dev': (machine) =>
    one('version', { name: 'Talos', version: machine.record.system?.version ?? '' }),
  'ExtensionStatuses.runtime.talos.dev': extensionStatuses,
  // One that was stopped has no resource.
  'Services.v1alpha1.talos.dev': (machine) =>
    shownServices(machine).flatMap(({ id, state, running, healthy, unknown }) =>
      state === 'Finished' || (id === 'kubelet' && kubeletRestarts(machine))
        ? []
        : [{ id, spec: { running, healthy, unknown } }],
    ),
  'TimeStatuses.v1alpha1.talos.dev': (machine) =>
    one('node', {
      synced: timeSynced(machine),
      // Counts jumps of more than a quarter of an hour: certificates are issued again.
      epoch: clockOffset(machine) === 0 ? 0 : 1,
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
  'Affiliates.cluster.talos.dev': affiliates,
  'Identities.cluster.talos.dev': (machine) =>
    machine.state ? one('local', { nodeId: machine.state.nodeId }) : [],
  'NodeAddresses.net.talos.dev': nodeAddresses,
  'AddressSpecs.net.talos.dev': platformAddressSpecs,
  'AddressStatuses.net.talos.dev': addressStatuses,
  'LinkStatuses.net.talos.dev': linkStatuses,
  'HostnameStatuses.net.talos.dev': hostnameStatus,
  'NetworkStatuses.net.talos.dev': networkStatus,
  'ResolverStatuses.net.talos.dev': resolverStatus,
  'TimeServerStatuses.net.talos.dev': timeServerStatus,
  'RouteStatuses.net.talos.dev': routeStatuses,
  'EtcdMembers.etcd.talos.dev': (machine) => {
    const data = machine.service('etcd')?.state === 'Running' ? machine.etcdData : undefined;
    return data ? one('local', { memberID: BigInt(data.memberId).toString(16) }) : [];
  },
  'Environments.runtime.talos.dev': (machine) => {
    const variables = Object.entries(bootState(machine).environment);
    return one('machined', { variables: variables.map(([name, value]) => `${name}=${value}`) });
  },
  // A value with choices stays when it leaves the config: the controller fails to write the old one back.
  'KernelParamStatuses.runtime.talos.dev': (machine) =>
    Object.entries(bootState(machine).sysfs).map(([key, current]) => ({
      id: `sys.${key}`,
      spec: { current, default: '', unsupported: false },
    })),
  'Manifests.kubernetes.talos.dev': manifestSpecs,
  'KubeletSpecs.kubernetes.talos.dev': kubeletSpecs,
  'APIServerConfigs.kubernetes.talos.dev': apiServerConfigs,
  'ControllerManagerConfigs.kubernetes.talos.dev': controllerManagerConfigs,
  'SchedulerConfigs.kubernetes.talos.dev': schedulerConfigs,
  'OSRootSecrets.secrets.talos.dev': osRootSecrets,
  'KubernetesRootSecrets.secrets.talos.dev': kubernetesRootSecrets,
  'NodeIPs.kubernetes.talos.dev': (machine) =>
    machine.configured ? one('kubelet', { addresses: machine.addresses.map(({ ip }) => ip) }) : [],
  'SystemInformations.hardware.talos.dev': ({ hardware }) =>
    one('systeminformation', {
      manufacturer: 'QEMU',
      productName: 'Standard PC (Q35 + ICH9, 2009)',
      version: 'pc-q35-10.1',
      uuid: hardware.uuid.toLowerCase(),
      wakeUpType: 'Power Switch',
    }),
  'MountStatuses.block.talos.dev': mountStatuses,
  'MountStatuses.runtime.talos.dev': mountedVolumes,
  'Nodenames.kubernetes.talos.dev': (machine) =>
    machine.configured
      ? one('nodename', {
          nodename: machine.nodeName,
          hostnameVersion: '1',
          skipNodeRegistration: false,
        })
      : [],
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
  const kind = findKind(type);
  if (kind?.type !== type) return [];
  if (kind.namespace === 'meta') return metaResources(type);
  return (SPECS[type]?.(machine) ?? [])
    .map((resource) => ({
      type,
      namespace: kind.namespace,
      // Says that the spec is the config's own text, which may be several documents.
      ...(type === 'MachineConfigs.config.talos.dev' ? { annotations: { 'talos.dev/yaml-spec': '1' } } : {}),
      ...resource,
    }))
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
      allAliases: kind.allAliases,
      printColumns: kind.columns,
      ...(kind.sensitive ? { sensitivity: 'sensitive' } : {}),
    },
  }));
}

/** Empty texts are left out, as in the recording of `List Disks`. */
function shownDisk(disk: ReturnType<typeof diskObject>): Record<string, unknown> {
  const shown = (value: unknown) => value !== '' && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(disk).filter(([, value]) => shown(value)));
}

/** Members as they tell of themselves, by their identity. */
function affiliates(machine: Machine) {
  return discoveredMembers(machine).map(({ id, spec }) => {
    const { nodeId, addresses, hostname, operatingSystem, machineType, ...rest } = spec;
    return {
      id: nodeId,
      spec: { nodeId, addresses, hostname, nodename: id, operatingSystem, machineType, ...rest },
    };
  });
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

function nodeStatus(machine: Machine) {
  const cluster = machine.facts?.cluster.id;
  if (cluster === undefined || machine.service('kubelet')?.state !== 'Running') return [];
  const nodeReady = machine.room.kubernetes
    ? machine.room.kubernetes.nodeReady(cluster, machine.nodeName)
    : true;
  return nodeReady === undefined
    ? []
    : one(machine.nodeName, {
        nodename: machine.nodeName,
        nodeReady,
        unschedulable: false,
        labels: {},
        annotations: {},
        podCIDRs: [],
      });
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
