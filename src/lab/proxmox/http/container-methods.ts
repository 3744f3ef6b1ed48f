/** Methods of containers (pve-container): the generated part of the API has none. */
import type { MethodSchema, PropertySchema } from '../schema.js';
import { like, method, perm } from './method.js';

const text = (more: Partial<PropertySchema> = {}): PropertySchema => ({
  type: 'string',
  optional: true,
  ...more,
});
const flag: PropertySchema = { type: 'boolean', optional: true };
const number = (minimum: number, maximum?: number): PropertySchema => ({
  type: 'integer',
  optional: true,
  minimum,
  ...(maximum !== undefined && { maximum }),
});
const VMID: PropertySchema = { type: 'integer', format: 'pve-vmid', minimum: 100, maximum: 999_999_999 };
const LARGEST_CORES = 8192;

const OPTIONS: Readonly<Record<string, PropertySchema>> = {
  arch: text({ enum: ['amd64', 'i386', 'arm64', 'armhf', 'riscv32', 'riscv64'] }),
  cmode: text({ enum: ['shell', 'console', 'tty'] }),
  console: flag,
  cores: number(1, LARGEST_CORES),
  cpulimit: { type: 'number', optional: true, minimum: 0, maximum: LARGEST_CORES },
  cpuunits: number(0, 500_000),
  debug: flag,
  description: text({ maxLength: 8192 }),
  'dev[n]': text(),
  entrypoint: text({ pattern: '[^\\x00-\\x08\\x0a-\\x1F\\x7F]+' }),
  env: text(),
  features: text(),
  hookscript: text({ format: 'pve-volume-id' }),
  hostname: text({ format: 'dns-name', maxLength: 255 }),
  lock: text({
    enum: 'backup create destroyed disk fstrim migrate mounted rollback snapshot snapshot-delete'.split(' '),
  }),
  memory: number(16),
  'mp[n]': text(),
  nameserver: text(),
  'net[n]': text(),
  onboot: flag,
  ostype: text({
    enum: 'debian devuan ubuntu centos fedora opensuse archlinux alpine gentoo nixos unmanaged'.split(' '),
  }),
  protection: flag,
  rootfs: text(),
  searchdomain: text({ format: 'dns-name-list' }),
  startup: text({ format: 'pve-startup-order' }),
  swap: number(0),
  tags: text({ format: 'pve-tag-list' }),
  template: flag,
  timezone: text(),
  tty: number(0, 6),
  unprivileged: flag,
  'unused[n]': text({ format: 'pve-volume-id' }),
};

const CREATE: Readonly<Record<string, PropertySchema>> = {
  ...OPTIONS,
  vmid: VMID,
  bwlimit: { type: 'number', optional: true, minimum: 0 },
  force: flag,
  'ha-managed': flag,
  'ignore-unpack-errors': flag,
  ostemplate: { type: 'string', maxLength: 255 },
  password: text({ minLength: 5 }),
  pool: text({ format: 'pve-poolid' }),
  restore: flag,
  'ssh-public-keys': text(),
  start: flag,
  storage: text({ format: 'pve-storage-id' }),
  unique: flag,
};

const LIST = '/nodes/{node}/lxc';
const ONE = `${LIST}/{vmid}`;
const AUDIT = perm('/vms/{vmid}', 'VM.Audit');
const POWER = perm('/vms/{vmid}', 'VM.PowerMgmt');
const own = { vmid: VMID };
const DIGEST = text({ maxLength: 64 });

const VM_FIREWALL = '/nodes/{node}/qemu/{vmid}/firewall';
const FIREWALL_PATHS = [
  'GET ',
  'GET /aliases',
  'POST /aliases',
  'GET /aliases/{name}',
  'PUT /aliases/{name}',
  'DELETE /aliases/{name}',
  'GET /ipset',
  'POST /ipset',
  'GET /ipset/{name}',
  'POST /ipset/{name}',
  'DELETE /ipset/{name}',
  'GET /ipset/{name}/{cidr}',
  'PUT /ipset/{name}/{cidr}',
  'DELETE /ipset/{name}/{cidr}',
  'GET /log',
  'GET /options',
  'PUT /options',
  'GET /refs',
  'GET /rules',
  'POST /rules',
  'GET /rules/{pos}',
  'PUT /rules/{pos}',
  'DELETE /rules/{pos}',
];

/** As those of VMs. */
function firewallMethods(): MethodSchema[] {
  return FIREWALL_PATHS.map((line) => {
    const [verb = '', path = ''] = line.split(' ');
    const rights = verb === 'GET' ? AUDIT : perm('/vms/{vmid}', 'VM.Config.Network');
    return like(`${verb} ${VM_FIREWALL}${path}`, `${ONE}/firewall${path}`, rights, own);
  });
}

export const CONTAINER_METHODS: readonly MethodSchema[] = [
  method('GET', LIST, { user: 'all' }, {}),
  method('POST', LIST, { user: 'all' }, CREATE),
  method('GET', ONE, { user: 'all' }, own),
  method('DELETE', ONE, perm('/vms/{vmid}', 'VM.Allocate'), {
    ...own,
    force: flag,
    purge: flag,
    'destroy-unreferenced-disks': flag,
  }),
  method('GET', `${ONE}/config`, AUDIT, { ...own, current: flag, snapshot: text() }),
  method(
    'PUT',
    `${ONE}/config`,
    { user: 'all' },
    {
      ...OPTIONS,
      ...own,
      delete: text({ format: 'pve-configid-list' }),
      digest: DIGEST,
      revert: text({ format: 'pve-configid-list' }),
    },
  ),
  ...['pending', 'snapshot', 'status/current', 'interfaces'].map((what) =>
    method('GET', `${ONE}/${what}`, AUDIT, own),
  ),
  method('GET', `${ONE}/status`, { user: 'all' }, own),
  method('POST', `${ONE}/status/start`, POWER, { ...own, debug: flag, skiplock: flag }),
  method('POST', `${ONE}/status/stop`, POWER, { ...own, 'overrule-shutdown': flag, skiplock: flag }),
  method('POST', `${ONE}/status/shutdown`, POWER, { ...own, forceStop: flag, timeout: number(0) }),
  method('POST', `${ONE}/status/reboot`, POWER, { ...own, timeout: number(0) }),
  method('PUT', `${ONE}/resize`, perm('/vms/{vmid}', 'VM.Config.Disk'), {
    ...own,
    digest: DIGEST,
    disk: { type: 'string' },
    size: { type: 'string', pattern: '\\+?\\d+(\\.\\d+)?[KMGT]?' },
  }),
  method('POST', `${ONE}/clone`, perm('/vms/{vmid}', 'VM.Clone'), {
    ...own,
    bwlimit: { type: 'number', optional: true, minimum: 0 },
    description: text(),
    full: flag,
    hostname: text({ format: 'dns-name' }),
    newid: VMID,
    pool: text({ format: 'pve-poolid' }),
    snapname: text({ format: 'pve-configid', maxLength: 40 }),
    storage: text({ format: 'pve-storage-id' }),
    target: text({ format: 'pve-node' }),
  }),
  method('POST', `${ONE}/template`, perm('/vms/{vmid}', 'VM.Allocate'), own),
  ...firewallMethods(),
];
