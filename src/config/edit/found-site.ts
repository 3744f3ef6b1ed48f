/** What was found of a Proxmox, and what a new config takes from it. */
import { addToIPv4, type Cidr, cidrContains, type IPv4, parseCidr, parseIPv4 } from '../../model/address.js';

export interface FoundHost {
  readonly name: string;
  /** `9.2.11`, where it could be read. */
  readonly version?: string;
  /** Bytes; absent: not known. */
  readonly memory?: { readonly total: number; readonly free: number };
  readonly storages: readonly {
    readonly id: string;
    readonly type: string;
    readonly content: readonly string[];
    readonly available: number;
  }[];
  readonly bridges: readonly {
    readonly name: string;
    readonly cidr?: string;
    readonly gateway?: string;
    readonly vlanAware: boolean;
  }[];
  readonly cpuTypes: readonly string[];
}

export interface FoundSite {
  /** Name of the Proxmox cluster; absent: a single host. */
  readonly cluster?: string;
  readonly hosts: readonly FoundHost[];
  readonly vmids: readonly number[];
  /** Addresses that answer, or that hosts have. */
  readonly addresses: readonly string[];
}

/** Of a new config: what is not asked, because it can be seen. */
export interface SiteChoice {
  readonly storage: string;
  readonly imageStorage: string;
  readonly bridge: string;
  readonly vlanAware: boolean;
  readonly cpuTypes: readonly string[];
  readonly notes: readonly string[];
}

/** Where Proxmox keeps volumes of VMs, the best kind first. */
const DISK_TYPES = ['zfspool', 'lvmthin', 'rbd', 'btrfs', 'lvm', 'dir', 'nfs', 'cifs'];

/** For these hosts: only what all of them have. */
export function chooseSite(found: FoundSite, names: readonly string[]): SiteChoice {
  const hosts = found.hosts.filter(({ name }) => names.includes(name));
  const disks = onAll(hosts, ({ storages }) =>
    storages.filter(({ content }) => content.includes('images')).map(({ id }) => id),
  );
  const weight = (id: string) => {
    const one = hosts[0]?.storages.find((storage) => storage.id === id);
    return DISK_TYPES.indexOf(one?.type ?? '') * 2 ** 50 - (one?.available ?? 0);
  };
  const storage = [...disks].sort((a, b) => weight(a) - weight(b))[0];
  const images = onAll(hosts, ({ storages }) =>
    storages.filter(({ content }) => content.includes('import')).map(({ id }) => id),
  );
  const imageStorage = images.includes('local') ? 'local' : images[0];
  const bridges = onAll(hosts, ({ bridges }) => bridges.map(({ name }) => name));
  const bridge =
    bridges.find((name) => bridgeOf(hosts[0], name)?.gateway !== undefined) ?? bridges[0] ?? 'vmbr0';
  return {
    storage: storage ?? 'local-zfs',
    imageStorage: imageStorage ?? fileStorage(hosts)?.id ?? 'local',
    bridge,
    vlanAware: bridgeOf(hosts[0], bridge)?.vlanAware ?? false,
    cpuTypes: onAll(hosts, ({ cpuTypes }) => cpuTypes),
    notes: [
      ...(storage === undefined ? ['no storage of these hosts takes disks of VMs (content images)'] : []),
      ...(imageStorage === undefined ? [importNote(hosts)] : []),
      ...(bridges.length === 0 ? ['these hosts have no bridge in common'] : []),
    ],
  };
}

function fileStorage(hosts: readonly FoundHost[]): FoundHost['storages'][number] | undefined {
  return hosts[0]?.storages.find(({ type }) => ['dir', 'btrfs', 'nfs', 'cifs', 'cephfs'].includes(type));
}

function importNote(hosts: readonly FoundHost[]): string {
  const storage = fileStorage(hosts);
  if (!storage)
    return 'no storage takes images (content import), and none keeps files: add a directory storage';
  const content = [...storage.content, 'import'].join(',');
  return `no storage takes images yet; on a host: pvesm set ${storage.id} --content ${content}`;
}

function onAll(hosts: readonly FoundHost[], read: (host: FoundHost) => readonly string[]): string[] {
  const [first, ...others] = hosts.map(read);
  return (first ?? []).filter((each) => others.every((list) => list.includes(each)));
}

function bridgeOf(host: FoundHost | undefined, name: string): FoundHost['bridges'][number] | undefined {
  return host?.bridges.find((bridge) => bridge.name === name);
}

/** The network that the hosts themselves are in. */
export function foundNetwork(found: FoundSite): { readonly subnet?: string; readonly gateway?: string } {
  const bridge = found.hosts
    .flatMap(({ bridges }) => bridges)
    .sort((a, b) => Number(b.gateway !== undefined) - Number(a.gateway !== undefined))
    .find(({ cidr }) => cidr !== undefined && parseCidrOf(cidr) !== undefined);
  const subnet = parseCidrOf(bridge?.cidr ?? '');
  if (!subnet) return {};
  const taken = new Set(found.addresses);
  const first = [1, 2 ** (32 - subnet.prefix) - 2]
    .map((offset) => addToIPv4(subnet.network, offset))
    .find((ip): ip is IPv4 => ip !== undefined && !taken.has(ip));
  const gateway = bridge?.gateway ?? first;
  return { subnet: `${subnet.network}/${subnet.prefix}`, ...(gateway !== undefined && { gateway }) };
}

/** `192.168.1.7/24` is an address in its network. */
function parseCidrOf(text: string): Cidr | undefined {
  const [address = '', prefix = ''] = text.split('/');
  const ip = parseIPv4(address);
  const size = Number(prefix);
  if (!ip || !Number.isInteger(size) || size < 8 || size > 30) return undefined;
  const parts = ip.split('.').map(Number);
  const number = parts.reduce((sum, part) => sum * 256 + part, 0);
  const network = Math.floor(number / 2 ** (32 - size)) * 2 ** (32 - size);
  const base = [24, 16, 8, 0].map((shift) => Math.floor(network / 2 ** shift) % 256).join('.');
  return parseCidr(`${base}/${size}`);
}

/** The first block of ids from 141 on that is free with the ids of its data VMs, which have a 0 behind. */
export function freeVmids(found: FoundSite | undefined, count: number): number {
  const taken = new Set(found?.vmids ?? []);
  for (let first = 141; first < 99_000; first += 10) {
    const ids = Array.from({ length: count }, (_, at) => first + at);
    if (ids.every((id) => !taken.has(id) && !taken.has(id * 10))) return first;
  }
  return 141;
}

const GIB = 2 ** 30;

/** Memory per node that leaves a fifth of the fullest host free; `undefined`: the usual sizes fit, or nothing is known. */
export function smallerMemory(
  found: FoundSite | undefined,
  hosts: readonly string[],
  nodes: number,
): number | undefined {
  const free = (found?.hosts ?? [])
    .filter(({ name }) => hosts.includes(name))
    .flatMap(({ memory }) => (memory ? [memory.free] : []));
  if (free.length === 0 || hosts.length === 0) return undefined;
  const each = (Math.min(...free) * 0.8) / Math.ceil(nodes / hosts.length) / GIB;
  return each >= 8 ? undefined : Math.max(2, Math.floor(each));
}

export function isTaken(found: FoundSite | undefined, subnet: Cidr, ip: IPv4): boolean {
  return cidrContains(subnet, ip) && (found?.addresses.includes(ip) ?? false);
}
