/** Parameter values: mostly such as clients send, some that no client should. */
import type { PropertySchema } from '../../../src/lab/proxmox/schema.js';
import type { SeededRandom } from './random.js';

/** What earlier answers named: tasks to ask about, volumes to attach. */
export interface Seen {
  readonly upids: string[];
  readonly volumes: string[];
  readonly digests: string[];
}

const NODES = [...Array(12).fill('pve1'), 'pve2', 'localhost', 'nope'];
const STORAGES = ['local', ...Array(6).fill('local-zfs'), ...Array(6).fill('vmdata'), 'nope'];
/** Not root: once disabled, he would be of no more use here. */
const USERS = ['fuzz@pve', 'other@pve', 'nobody@pve'];
const NAMES = ['one', 'two', 'three', 'current'];
const DRIVES = [
  'scsi0',
  'scsi1',
  'scsi2',
  'scsi30',
  'virtio0',
  'sata0',
  'ide0',
  'ide2',
  'efidisk0',
  'tpmstate0',
  'unused0',
  'unused1',
];
const DRIVE_OPTIONS = [
  'discard=on',
  'ssd=1',
  'iothread=1',
  'backup=0',
  'size=2G',
  'cache=none',
  'wwn=0x3000000000000001',
  'serial=abc',
  'media=cdrom',
  'format=raw',
  'format=qcow2',
  'import-from=local:import/talos.qcow2',
  'nonsense=1',
];
const JUNK = [
  '',
  ' ',
  '0',
  '-1',
  'true',
  '99999999999',
  'a b',
  '../../etc/passwd',
  "'",
  '%',
  ',',
  '=',
  'ä',
  '\u0000',
  'x'.repeat(300),
  '{}',
  '[]',
  'null',
  'constructor',
  '__proto__',
];

export const vmid = (random: SeededRandom): string => String(100 + random.below(5));

/** Values by the name a parameter has; they make requests that go all the way. */
const BY_NAME: Readonly<Record<string, (random: SeededRandom, seen: Seen) => string>> = {
  node: (random) => random.pick(NODES),
  target: (random) => random.pick(NODES),
  vmid,
  newid: vmid,
  'target-vmid': vmid,
  vms: (random) => Array.from({ length: 1 + random.below(2) }, () => vmid(random)).join(','),
  storage: (random) => random.pick(STORAGES),
  volume: (random, seen) => volume(random, seen),
  upid: (random, seen) => (seen.upids.length > 0 ? random.pick(seen.upids) : 'UPID:x'),
  digest: (random, seen) => (seen.digests.length > 0 ? random.pick(seen.digests) : '0'.repeat(40)),
  disk: (random) => (random.chance(0.7) ? random.pick(['scsi0', 'scsi1', 'unused0']) : random.pick(DRIVES)),
  'target-disk': (random) => random.pick(DRIVES),
  idlist: (random) => random.pick(DRIVES),
  delete: (random) => random.pick([...DRIVES, 'cores', 'net0', 'name', 'scsi0,scsi1', '1', '0']),
  size: (random) => random.pick(['1G', '+1G', '2G', '512M', '1048576', '10G', '0']),
  snapname: (random) => random.pick(NAMES),
  poolid: (random) => random.pick(NAMES),
  roleid: (random) => random.pick(['Fuzz', 'PVEAdmin', 'Nope']),
  roles: (random) => random.pick(['PVEAdmin', 'PVEAuditor', 'Nope', 'NoAccess']),
  privs: (random) => random.pick(['VM.Audit', 'VM.Audit,VM.Allocate', 'VM.Fly']),
  userid: (random) => random.pick(USERS),
  users: (random) => random.pick(USERS),
  tokenid: (random) => random.pick(['t1', 't2', 'x']),
  path: (random) => random.pick(['/', '/vms/100', '/storage/local', '/pool/one', 'bad', '/vms']),
  groupid: (random) => random.pick(NAMES),
  filename: (random) =>
    random.pick(['vm-100-fuzz', 'vm-101-fuzz.raw', 'vm-100-disk-9', 'talos.iso', 'new.qcow2', 'data']),
  format: (random) => random.pick(['raw', 'qcow2']),
  content: (random) => random.pick(['iso', 'import', 'images']),
  name: (random) => random.pick(['vm-a', 'vm-b', 'bad_name']),
  tags: (random) => random.pick(['a;b', 'B,a', 'x y', '!']),
  boot: (random) => random.pick(['order=scsi0', 'order=scsi0;net0', 'order=', 'cdn']),
  memory: (random) => random.pick(['512', '2048', '1']),
  cores: (random) => random.pick(['1', '4', '0', '1000']),
  cpu: (random) => random.pick(['x86-64-v2-AES', 'host', 'nope', 'host,flags=+aes']),
  agent: (random) => random.pick(['1', 'enabled=1,type=virtio', '0']),
  // The lab fetches from nowhere but loopback; these are refused or fail as tasks.
  url: (random) => random.pick(['https://127.0.0.1:1/x.iso', 'ftp://x', 'https://example.invalid/x.qcow2']),
  template: (random) => random.pick(['0', '1']),
  protection: (random) => random.pick(['0', '1']),
  lock: (random) => random.pick(['backup', 'migrate']),
  iface: () => 'vmbr0',
};

function volume(random: SeededRandom, seen: Seen): string {
  return seen.volumes.length > 0 && random.chance(0.7)
    ? random.pick(seen.volumes)
    : random.pick([
        'local:iso/talos.iso',
        'local:import/talos.qcow2',
        'local-zfs:vm-100-disk-0',
        'vmdata:101/vm-101-disk-0.raw',
      ]);
}

function drive(random: SeededRandom, seen: Seen): string {
  const file = random.chance(0.6)
    ? `${random.pick(STORAGES)}:${random.pick(['1', '2', '0', '0.5', 'cloudinit'])}`
    : random.chance(0.1)
      ? 'none'
      : volume(random, seen);
  const options = DRIVE_OPTIONS.filter(() => random.chance(0.1));
  return [file, ...options].join(',');
}

export function value(name: string, schema: PropertySchema, random: SeededRandom, seen: Seen): string {
  if (random.chance(0.03)) return random.pick(JUNK);
  const base = name.replace(/\d+$/, '');
  if (/^(scsi|virtio|sata|ide|efidisk|tpmstate)\d+$/.test(name)) return drive(random, seen);
  if (base === 'net')
    return random.pick([
      'virtio,bridge=vmbr0',
      'virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=20',
      'virtio,bridge=nope',
      'e1000',
    ]);
  if (base === 'unused') return volume(random, seen);
  const own = BY_NAME[name];
  if (own && random.chance(0.99)) return own(random, seen);
  if (schema.enum && schema.enum.length > 0) return random.pick(schema.enum);
  switch (schema.type) {
    case 'boolean':
      return random.pick(['0', '1']);
    case 'integer':
    case 'number':
      return String(
        (schema.minimum ?? 0) +
          random.below(Math.min(20, (schema.maximum ?? 20) - (schema.minimum ?? 0) + 1)),
      );
    default:
      return random.pick(['a', 'abc', 'x1', 'text']);
  }
}

export function junk(random: SeededRandom): string {
  return random.pick(JUNK);
}
