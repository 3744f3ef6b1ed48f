/** Proxmox parameters of a node's VMs, as the API stores them. */
import type { Config, NodeConfig } from '../config/config.js';
import { clusterTag } from '../formats/marks/cluster-names.js';
import { DATA_TAG } from '../formats/marks/data-tag.js';
import { smbiosUuidOf } from '../formats/marks/identities.js';
import { printPropertyString, printTags } from '../formats/proxmox/property-string.js';
import { MIB } from '../model/size.js';
import { dataVmDescription, talosVmDescription } from './description.js';
import type { ImageDesign, VmDesign } from './design.js';
import { dataVmid } from './disks.js';
import {
  auxiliaryDrives,
  cloudInitOptions,
  netOptions,
  passthroughOptions,
  talosSmbios,
} from './vm-devices.js';
import { formOf } from './vm-form.js';

type Options = Readonly<Record<string, string | number>>;
type OptionalOptions = Readonly<Record<string, string | number | undefined>>;

/** The VM that runs Talos; all of it can be made again but its data. */
export function talosVm(
  config: Config,
  node: NodeConfig,
  { host, volid }: Pick<ImageDesign, 'host' | 'volid'>,
  secrets: string | undefined,
): VmDesign {
  const { vm } = node;
  const form = formOf(node.layout);
  return {
    vmid: node.vmid,
    name: node.name,
    host,
    kind: 'talos',
    options: settled({
      ...form.constants,
      agent: form.agent(vm.agent),
      balloon: Math.floor(vm.balloon / MIB),
      bios: vm.bios,
      boot: node.boot === 'iso' ? 'order=scsi0;ide2;net0' : 'order=scsi0',
      cores: vm.cores,
      cpu: vm.cpuType,
      description: talosVmDescription(node, secrets),
      machine: vm.machine,
      memory: Math.floor(vm.memory / MIB),
      numa: form.flag(vm.numa),
      onboot: form.flag(vm.onBoot),
      ostype: vm.ostype,
      protection: form.flag(false),
      scsihw: vm.scsiHardware,
      smbios1: talosSmbios(config, node),
      sockets: vm.sockets,
      startup: startupOption(vm.startup),
      tags: talosTags(config, node),
      ...netOptions(config, node),
      ...cloudInitOptions(config, node),
      ...passthroughOptions(node),
    }),
    auxiliary: auxiliaryDrives(config, node, volid),
    running: true,
  };
}

/**
 * The VM that owns a node's data and never runs. As small as the module's, but protected, and with no boot
 * order of ours: Proxmox's own names its first disk, and it boots nowhere.
 */
export function dataVm(
  config: Config,
  node: NodeConfig,
  host: string,
  secrets: string | undefined,
): VmDesign {
  const form = formOf(node.layout);
  const vmid = dataVmid(node);
  return {
    vmid,
    name: `${node.name}-data`,
    host,
    kind: 'data',
    options: settled({
      ...form.constants,
      agent: form.agent(false),
      balloon: 0,
      bios: 'seabios',
      cores: 1,
      cpu: 'qemu64',
      description: dataVmDescription(node, secrets),
      memory: 512,
      numa: form.flag(false),
      onboot: form.flag(false),
      ostype: 'other',
      protection: 1,
      scsihw: 'virtio-scsi-pci',
      smbios1: `uuid=${smbiosUuidOf(config.cluster, vmid)}`,
      sockets: 1,
      tags: printTags([clusterTag(config.cluster), DATA_TAG, 'k8s']),
    }),
    auxiliary: {},
    running: false,
  };
}

function talosTags(config: Config, node: NodeConfig): string {
  const role = node.role === 'controlplane' ? 'control-plane' : 'worker';
  const labels = formOf(node.layout).labelled ? ['k8s', role] : [];
  return printTags([clusterTag(config.cluster), ...labels, ...node.vm.tags]);
}

/** In the order in which people write it; Proxmox stores it as it was sent. */
function startupOption(startup: NodeConfig['vm']['startup']): string | undefined {
  if (startup === undefined) return undefined;
  const parts = (['order', 'up', 'down'] as const).flatMap((key) =>
    startup[key] === undefined ? [] : [printPropertyString({ [key]: startup[key] })],
  );
  return parts.length === 0 ? undefined : parts.join(',');
}

/** Without what is not set, keys in alphabetical order as Proxmox lists them. */
function settled(options: OptionalOptions): Options {
  const result: Record<string, string | number> = {};
  for (const key of Object.keys(options).sort()) {
    const value = options[key];
    if (value !== undefined) result[key] = value;
  }
  return result;
}
