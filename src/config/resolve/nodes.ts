/** Entries of `nodes` to machines: groups expanded, levels merged. */
import { addToIPv4 } from '../../model/address.js';
import { parseVmid } from '../../model/identity.js';
import type { ClusterConfig, NicConfig, NodeConfig, TalosConfig, VmOptions } from '../config.js';
import type { Fragment } from '../config-values.js';
import type { ConfigFile } from '../schema/file.js';
import { defaultOf, withDefaults } from '../schema/key.js';
import { haKeys, type MachineLevel, machineKeys } from '../schema/machine.js';
import type { NodeEntry } from '../schema/nodes.js';
import { formatPath, type Path } from '../yaml/position.js';
import type { ResolveContext } from './context.js';
import { type Level, levelsOf, lookUp, mergeDiskOptions, mergeLabels, mergeStartup } from './levels.js';
import { type Profile, profileOf } from './profiles.js';

/** Where a node came from, for messages about it. */
export interface NodeOrigin {
  /** `['nodes', 'cp']` */
  readonly path: Path;
  readonly levels: readonly Level[];
  /** Whether it is one of several made by a `count`. */
  readonly grouped: boolean;
}

export type NodeOrigins = ReadonlyMap<NodeConfig, NodeOrigin>;

interface Shared {
  readonly file: ConfigFile;
  readonly cluster: ClusterConfig;
  readonly talos: TalosConfig;
  readonly profile: Profile;
}

export function resolveNodes(
  file: ConfigFile,
  cluster: ClusterConfig,
  talos: TalosConfig,
  context: ResolveContext,
): { nodes: NodeConfig[]; origins: NodeOrigins } {
  const shared = { file, cluster, talos, profile: profileOf(file) };
  const resolved = Object.entries(file.nodes).flatMap(([name, entry]) =>
    expand(name, entry, shared, context),
  );
  const ordered = withStartupOrder(resolved, shared.profile);
  return {
    nodes: ordered.map(({ node }) => node),
    origins: new Map(ordered.map(({ node, origin }) => [node, origin])),
  };
}

interface Resolved {
  readonly node: NodeConfig;
  readonly origin: NodeOrigin;
}

function expand(name: string, entry: NodeEntry, shared: Shared, context: ResolveContext): Resolved[] {
  const path = ['nodes', name];
  const grouped = entry.count !== undefined;
  const levels = levelsOf(shared.file, entry.role, path, entry);
  const origin: NodeOrigin = { path, levels, grouped };
  const common = commonPart(entry, path, levels, shared, context);
  const result: Resolved[] = [];
  for (let i = 0; i < (entry.count ?? 1); i++) {
    const ip = addToIPv4(entry.ip, i);
    const vmid = parseVmid(entry.vmid + i);
    if (ip === undefined || vmid === undefined) {
      const key = ip === undefined ? 'ip' : 'vmid';
      context.report.error({
        code: 'node.count',
        path: [...path, key],
        message: `\`${formatPath([...path, key])}\`: counting up ${entry.count} of them runs past the last one`,
      });
      break;
    }
    const named = grouped ? { name: `${name}-${i + 1}`, group: name } : { name };
    const node = { ...named, ip, vmid, ...common, ...hostOf(entry, i) };
    result.push({ node, origin });
  }
  return result;
}

type CommonPart = Omit<NodeConfig, 'name' | 'group' | 'ip' | 'vmid' | 'host' | 'hostChoices'>;

function commonPart(
  entry: NodeEntry,
  path: Path,
  levels: readonly Level[],
  shared: Shared,
  context: ResolveContext,
): CommonPart {
  const machine = shared.profile.machine(entry.role);
  const layout = lookUp(levels, 'layout') ?? machine.layout;
  const dns = lookUp(levels, 'dns');
  const patches = (entry.patches ?? []).flatMap(
    (patch, i) => context.patch(patch, [...path, 'patches', i]) ?? [],
  );
  const schematic: Fragment | undefined =
    entry.schematic === undefined ? undefined : context.fragment(entry.schematic, [...path, 'schematic']);
  return {
    role: entry.role,
    layout,
    boot: lookUp(levels, 'boot') ?? machine.boot,
    ...haOf(lookUp(levels, 'ha')),
    vm: vmOptions(levels, machine, layout, shared),
    nics: nicsOf(entry, levels, machine.queues),
    ...(dns && { dns }),
    ...(entry.uuid !== undefined && { uuid: entry.uuid }),
    labels: mergeLabels(levels),
    taints: lookUp(levels, 'taints') ?? defaultOf(machineKeys.taints),
    patches,
    talosVersion: entry.talosVersion ?? shared.talos.version,
    schematic: schematic ?? shared.talos.schematic,
  };
}

function haOf(said: MachineLevel['ha']): Pick<NodeConfig, 'ha'> {
  if (said === undefined || said === false) return {};
  const get = withDefaults(haKeys, said === true ? {} : said);
  const hosts = said === true ? [] : (said.hosts ?? []);
  return {
    ha: { state: get('state'), hosts: [...hosts].sort(), strict: get('strict'), spread: get('spread') },
  };
}

function vmOptions(
  levels: readonly Level[],
  machine: ReturnType<Profile['machine']>,
  layout: NodeConfig['layout'],
  { cluster, talos }: Pick<Shared, 'cluster' | 'talos'>,
): VmOptions {
  const isArm = talos.arch === 'arm64';
  const { vm } = machine;
  const scsiHardware = lookUp(levels, 'scsiHardware') ?? vm.scsiHardware;
  const startup = mergeStartup(levels, vm.startup);
  const description = lookUp(levels, 'description');
  const balloon = lookUp(levels, 'balloon');
  return {
    cores: lookUp(levels, 'cores') ?? vm.cores,
    sockets: lookUp(levels, 'sockets') ?? vm.sockets,
    cpuType: lookUp(levels, 'cpuType') ?? (isArm ? 'host' : vm.cpuType),
    numa: lookUp(levels, 'numa') ?? vm.numa,
    memory: lookUp(levels, 'memory') ?? vm.memory,
    balloon: balloon === undefined || balloon === 0 ? vm.balloon : balloon,
    bios: lookUp(levels, 'bios') ?? vm.bios ?? (isArm || layout === 'single' ? 'ovmf' : 'seabios'),
    machine: lookUp(levels, 'machine') ?? (isArm ? 'virt' : vm.machine),
    scsiHardware,
    ostype: lookUp(levels, 'ostype') ?? vm.ostype,
    agent: lookUp(levels, 'agent') ?? vm.agent,
    onBoot: lookUp(levels, 'onBoot') ?? cluster.onBoot,
    tags: lookUp(levels, 'tags') ?? vm.tags,
    ...(description !== undefined && { description }),
    ...(Object.keys(startup).length > 0 && { startup }),
    storage: lookUp(levels, 'storage') ?? vm.storage,
    disk: lookUp(levels, 'disk') ?? vm.disk,
    osDisk: lookUp(levels, 'osDisk') ?? vm.osDisk,
    diskOptions: mergeDiskOptions(levels, {
      ...machine.diskOptions,
      // Other controllers have no thread per disk; Proxmox would ignore the flag with a warning.
      iothread: machine.diskOptions.iothread && scsiHardware === 'virtio-scsi-single',
    }),
    pci: (lookUp(levels, 'pci') ?? vm.pci).map((device) =>
      typeof device === 'string'
        ? { mapping: device, pcie: true, rombar: true, xvga: false }
        : { pcie: true, rombar: true, xvga: false, ...device },
    ),
  };
}

function nicsOf(entry: NodeEntry, levels: readonly Level[], queues: number | undefined): NicConfig[] {
  const first = {
    bridge: lookUp(levels, 'bridge') ?? defaultOf(machineKeys.bridge),
    mac: entry.mac,
    ...nicOptions({
      vlan: lookUp(levels, 'vlan'),
      mtu: lookUp(levels, 'mtu'),
      queues: lookUp(levels, 'queues') ?? queues,
      firewall: lookUp(levels, 'firewall'),
    }),
  };
  const further = (lookUp(levels, 'nics') ?? []).map((nic): NicConfig => {
    const address = nic.dhcp
      ? ('dhcp' as const)
      : nic.ip && nic.subnet && { ip: nic.ip, prefix: nic.subnet.prefix };
    return { bridge: nic.bridge, mac: nic.mac, ...nicOptions(nic), ...(address && { address }) };
  });
  return [first, ...further];
}

function nicOptions(nic: {
  readonly vlan?: number | undefined;
  readonly mtu?: number | undefined;
  readonly queues?: number | undefined;
  readonly firewall?: boolean | undefined;
}): Omit<NicConfig, 'bridge' | 'mac'> {
  return {
    ...(nic.vlan !== undefined && nic.vlan !== 0 && { vlan: nic.vlan }),
    ...(nic.mtu !== undefined && { mtu: nic.mtu }),
    ...(nic.queues !== undefined && { queues: nic.queues }),
    firewall: nic.firewall ?? false,
  };
}

function hostOf({ host, hosts }: NodeEntry, index: number): Pick<NodeConfig, 'host' | 'hostChoices'> {
  const list = Array.isArray(hosts) ? hosts : [];
  if (host !== undefined && host !== 'auto') return { host, hostChoices: [] };
  const turn = list[index % Math.max(list.length, 1)];
  if (host === 'auto' || turn === undefined) return { host: 'auto', hostChoices: list };
  return { host: turn, hostChoices: [] };
}

/** By vmid, so that the order of oxherd.yaml means nothing. Orders said in oxherd.yaml stay. */
function withStartupOrder(resolved: readonly Resolved[], profile: Profile): Resolved[] {
  const from = profile.startupOrderFrom;
  if (from === undefined) return [...resolved];
  const vmids = resolved.map(({ node }) => node.vmid).sort((a, b) => a - b);
  const place = new Map(vmids.map((vmid, i) => [vmid, Math.min(from + i, 100)]));
  return resolved.map(({ node, origin }) => {
    const order = node.vm.startup?.order ?? place.get(node.vmid) ?? from;
    return { node: { ...node, vm: { ...node.vm, startup: { ...node.vm.startup, order } } }, origin };
  });
}
