/** The keys of a node that a VM's own options lead to. */
import { parsePropertyString, parseTags } from '../../formats/proxmox/property-string.js';
import { diskDrives } from '../../formats/proxmox/vm-config.js';
import { GIB, MIB } from '../../model/size.js';
import type { VmFacts } from './facts.js';

type Tree = Record<string, unknown>;

/** Tags that a node of the layout `data-vm` has anyway. */
const ROLE_TAGS = ['k8s', 'control-plane', 'worker'];

interface DescribedVm {
  readonly keys: Tree;
  /** What has no key, in words. */
  readonly notes: readonly string[];
}

export function describeVm({ vmid, host, values, dataVm }: VmFacts): DescribedVm {
  const drives = diskDrives(values);
  const [system, ...others] = drives;
  const layout = dataVm ? 'data-vm' : 'single';
  const ephemeral = dataVm && diskDrives(dataVm.values)[0];
  const tags = parseTags(values.tags ?? '').filter((tag) => layout === 'single' || !ROLE_TAGS.includes(tag));
  const iso = Object.entries(values).find(([key, value]) => /^ide\d$/.test(key) && /\.iso\b/.test(value));
  const keys: Tree = {
    host,
    vmid,
    uuid: parsePropertyString(values.smbios1 ?? '').uuid?.toLowerCase(),
    layout,
    boot: iso ? 'iso' : 'image',
    ...hardware(values),
    ...nic(values.net0 ?? ''),
    ...(tags.length > 0 && { tags }),
    ...(values.description !== undefined &&
      values.description.trim() !== '' && { description: values.description }),
    ...(system && {
      storage: system.file.split(':')[0],
      diskOptions: diskOptions(values[system.slot] ?? ''),
    }),
    ...(layout === 'single'
      ? { disk: sizeText(system?.size) }
      : { osDisk: sizeText(system?.size), disk: sizeText(ephemeral?.size) }),
    ...(values.nameserver !== undefined && {
      dns: values.nameserver.split(/[\s,;]+/).filter((each) => each !== ''),
    }),
    ...devices(values),
  };
  const extra =
    layout === 'single' ? others : others.filter(({ file }) => !file.includes(`:vm-${dataVm?.vmid}-`));
  const notes = [
    ...extra.map(
      ({ slot, file }) => `VM ${vmid}: ${slot} (${file}) is a disk that this layout has no key for`,
    ),
    ...drives
      .filter(({ slot }) => !slot.startsWith('scsi'))
      .map(
        ({ slot }) =>
          `VM ${vmid}: ${slot} cannot carry a WWN; move the disk to scsiN while the VM is stopped`,
      ),
  ];
  return { keys: withoutUndefined(keys), notes };
}

function hardware(values: Readonly<Record<string, string>>): Tree {
  const cpu = parsePropertyString(values.cpu ?? 'kvm64', 'cputype').cputype ?? 'kvm64';
  const agent = parsePropertyString(values.agent ?? '0', 'enabled').enabled;
  const balloon = Number(values.balloon ?? values.memory ?? 0);
  const startup = values.startup === undefined ? {} : parsePropertyString(values.startup, 'order');
  const numbers = Object.entries(startup).map(([key, value]) => [key, Number(value)] as const);
  return {
    cores: Number(values.cores ?? 1),
    sockets: Number(values.sockets ?? 1),
    cpuType: cpu,
    memory: `${Number(values.memory ?? 512)}MiB`,
    balloon: balloon === 0 ? 0 : `${balloon}MiB`,
    numa: values.numa === '1',
    bios: values.bios ?? 'seabios',
    machine: values.machine ?? 'pc',
    scsiHardware: values.scsihw ?? 'lsi',
    ostype: values.ostype ?? 'other',
    agent: agent === '1',
    onBoot: values.onboot === '1',
    ...(numbers.length > 0 && { startup: Object.fromEntries(numbers) }),
  };
}

function nic(net0: string): Tree {
  const properties = parsePropertyString(net0, 'model');
  const [, mac] =
    Object.entries(properties).find(([, value]) => /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/i.test(value)) ?? [];
  const number = (key: string) => (properties[key] === undefined ? undefined : Number(properties[key]));
  return {
    mac,
    bridge: properties.bridge,
    vlan: number('tag'),
    mtu: number('mtu'),
    queues: number('queues'),
    firewall: properties.firewall === '1' ? true : undefined,
  };
}

function diskOptions(line: string): Tree {
  const { discard, ssd, iothread, cache, aio, backup, replicate } = parsePropertyString(line, 'file');
  return withoutUndefined({
    discard: discard === 'on',
    ssd: ssd === '1',
    iothread: iothread === '1',
    cache: cache ?? 'default',
    aio: aio ?? 'default',
    // Proxmox backs up and replicates what does not say otherwise.
    backup: backup !== '0',
    replicate: replicate !== '0',
  });
}

function devices(values: Readonly<Record<string, string>>): Tree {
  const pci = Object.entries(values)
    .filter(([key]) => /^hostpci\d+$/.test(key))
    .flatMap(([, line]) => {
      const { mapping, pcie, rombar, 'x-vga': xvga } = parsePropertyString(line, 'host');
      if (mapping === undefined) return [];
      return [{ mapping, pcie: pcie === '1', rombar: rombar !== '0', xvga: xvga === '1' }];
    });
  return pci.length > 0 ? { pci } : {};
}

export function sizeText(size: number | undefined): string | undefined {
  if (size === undefined) return undefined;
  return size % GIB === 0 ? `${size / GIB}GiB` : `${Math.floor(size / MIB)}MiB`;
}

function withoutUndefined(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== undefined));
}
