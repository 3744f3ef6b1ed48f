import type { Machine } from './machine.js';

/** The files of a machine that people read: what the kernel tells of itself, and where volumes are mounted. */
export interface MachineFile {
  readonly path: string;
  /** `undefined`: a folder. */
  readonly content?: string;
}

interface Mount {
  /** The volume, where it is one. */
  readonly volume?: string;
  readonly source: string;
  readonly target: string;
  readonly filesystem: string;
  readonly size: number;
}

const ROOT_SIZE = 80 * 1024 ** 2;

/** What is mounted where; user volumes below /var/mnt. */
export function mountsOf(machine: Machine): Mount[] {
  const { memory } = machine.hardware;
  const tmpfs = (target: string): Mount => ({
    source: 'tmpfs',
    target,
    filesystem: 'tmpfs',
    size: memory / 2,
  });
  const volumes = machine.record.volumes.flatMap((volume): Mount[] => {
    const target = mountPoint(volume.id);
    if (volume.phase !== 'ready' || target === undefined || volume.size === undefined) return [];
    const source = volume.encryption ? `/dev/mapper/luks2-${volume.id}` : `/dev/disk/${volume.id}`;
    return [{ volume: volume.id, source, target, filesystem: volume.filesystem ?? 'xfs', size: volume.size }];
  });
  return [
    { source: 'devtmpfs', target: '/dev', filesystem: 'devtmpfs', size: memory / 2 },
    tmpfs('/run'),
    tmpfs('/system'),
    { source: '/dev/loop0', target: '/', filesystem: 'squashfs', size: ROOT_SIZE },
    tmpfs('/tmp'),
    ...volumes,
  ];
}

function mountPoint(volume: string): string | undefined {
  if (volume === 'EPHEMERAL') return '/var';
  if (volume === 'STATE') return '/system/state';
  if (volume === 'ETCD') return '/var/lib/etcd';
  return volume.startsWith('u-') ? `/var/mnt/${volume.slice(2)}` : undefined;
}

/** All files and folders, in order of their paths. */
export function filesOf(machine: Machine): MachineFile[] {
  const { hardware, fqdn, hostname } = machine;
  const { clock } = machine.room.core;
  const seconds = ((clock.now() - machine.record.bootedAt) / 1000).toFixed(2);
  const system = machine.record.system;
  const kilobytes = Math.floor(hardware.memory / 1024);
  const files: Record<string, string> = {
    '/proc/sys/kernel/random/boot_id': `${machine.bootId}\n`,
    '/proc/sys/kernel/hostname': `${hostname}\n`,
    '/proc/cmdline': 'talos.platform=nocloud console=tty1 console=ttyS0 net.ifnames=0\n',
    '/proc/uptime': `${seconds} ${seconds}\n`,
    '/proc/version': 'Linux version 6.18.5-talos\n',
    '/proc/meminfo': `MemTotal:       ${kilobytes} kB\nMemFree:        ${Math.floor(kilobytes / 2)} kB\n`,
    '/etc/hosts': `127.0.0.1       localhost\n${machine.ip ?? ''} ${[...new Set([fqdn, hostname])].join(' ')}\n`,
    '/etc/machine-id': `${machine.state?.nodeId.slice(0, 32) ?? ''}\n`,
    '/etc/os-release': `NAME="Talos"\nID=talos\nVERSION_ID=${system?.version ?? ''}\nPRETTY_NAME="Talos (${system?.version ?? ''})"\n`,
    '/etc/resolv.conf': 'nameserver 127.0.0.53\n',
    '/var/log/audit/kube/kube-apiserver.log': '',
    ...(machine.state?.config === undefined ? {} : { '/system/state/config.yaml': machine.state.config }),
    ...(machine.etcdData ? { '/var/lib/etcd/member/snap/db': '' } : {}),
  };
  const folders = new Set<string>(['/', '/opt', '/usr', ...mountsOf(machine).map(({ target }) => target)]);
  for (const path of Object.keys(files)) for (const folder of parents(path)) folders.add(folder);
  for (const target of [...folders]) for (const folder of parents(target)) folders.add(folder);
  return [
    ...[...folders].map((path): MachineFile => ({ path })),
    ...Object.entries(files).map(([path, content]): MachineFile => ({ path, content })),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function parents(path: string): string[] {
  const parts = path.split('/').slice(1, -1);
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}

/** With a slash in front and none behind, as Talos makes them. */
export function cleanPath(path: string): string {
  return `/${path.replaceAll(/^\/+|\/+$/g, '')}`;
}

/** A file or folder and what is below it, down to a depth; 0 is the thing itself. */
export function walk(
  machine: Machine,
  root: string,
  depth = Number.POSITIVE_INFINITY,
): { file: MachineFile; relative: string }[] | undefined {
  const files = filesOf(machine);
  if (!files.some(({ path }) => path === root)) return undefined;
  const prefix = root === '/' ? '/' : `${root}/`;
  return files
    .filter(({ path }) => path === root || path.startsWith(prefix))
    .map((file) => ({ file, relative: file.path === root ? '.' : file.path.slice(prefix.length) }))
    .filter(({ relative }) => relative === '.' || relative.split('/').length <= depth);
}
