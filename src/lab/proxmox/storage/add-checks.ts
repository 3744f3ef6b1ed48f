/** What the plugins of pve-storage look at when a storage is added, beyond its options. */
import { type Pve, PveError } from '../api.js';
import type { StorageRecord } from '../db.js';
import { jsonProblem } from '../http/json-body.js';
import type { Settings } from '../section-config.js';
import type { StorageType } from './types.js';
import { splitVolumeId } from './volume-name.js';

const DIRECTORIES: ReadonlySet<StorageType> = new Set(['dir', 'btrfs']);

/** Paths of directories are plain, and written without slashes that say nothing. */
export function checkPath(type: StorageType, settings: Settings): Settings {
  if (!DIRECTORIES.has(type)) return settings;
  const path = String(settings.path);
  if (!/^\/[-/a-zA-Z0-9_.@]+$/.test(path)) {
    throw new PveError(500, `illegal path for directory storage: ${path}`);
  }
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return { ...settings, path: `/${parts.join('/')}` };
}

const ISCSI_PROVIDERS: Readonly<Record<string, string>> = {
  comstar: '/dev/zvol/rdsk',
  istgt: '/dev/zvol',
  iet: '/dev/zvol',
  LIO: '/dev/zvol',
};

/** The plugin's part before the config is written; gives what it answers beside the storage's id and type. */
export function onAdd(
  pve: Pve,
  type: StorageType,
  settings: Settings,
  secrets: Readonly<Settings>,
): Settings | undefined {
  if (type === 'lvm') checkBase(pve, settings);
  if (type === 'esxi' && secrets.password === undefined) throw new PveError(500, 'missing password');
  if (type === 'zfs' && !settings['zfs-base-path']) {
    const provider = String(settings.iscsiprovider);
    const base = ISCSI_PROVIDERS[provider];
    if (base === undefined) {
      throw new PveError(
        500,
        `${provider}: unknown iscsi provider. Available [comstar, istgt, iet, LIO] at /usr/share/perl5/PVE/Storage/ZFSPlugin.pm line 37.`,
      );
    }
    settings['zfs-base-path'] = base;
  }
  if (type !== 'pbs') return undefined;
  if (secrets['master-pubkey'] !== undefined && secrets['encryption-key'] === undefined) {
    throw new PveError(500, "'master-pubkey' can only be used together with 'encryption-key'");
  }
  return takeKeys(settings, secrets);
}

/** Of keys for backups the config has the fingerprint, and the answer the key itself. */
export function takeKeys(settings: Settings, secrets: Readonly<Settings>): Settings {
  if (secrets['master-pubkey'] !== undefined) settings['master-pubkey'] = 1;
  const key = secrets['encryption-key'];
  if (key === undefined) return {};
  settings['encryption-key'] = key === 'autogen' ? 1 : fingerprintOf(String(key));
  return key === 'autogen' ? {} : { 'encryption-key': key };
}

function fingerprintOf(key: string): string | number {
  const invalid = new PveError(500, 'Value does not seems like a valid, JSON formatted encryption key!');
  if (jsonProblem(key) !== undefined) throw invalid;
  const parsed: unknown = JSON.parse(key);
  if (parsed === null || typeof parsed !== 'object' || !('data' in parsed)) throw invalid;
  return 'fingerprint' in parsed && typeof parsed.fingerprint === 'string' ? parsed.fingerprint : 1;
}

function checkBase({ db }: Pve, { base }: Settings): void {
  if (!base) return;
  const id = splitVolumeId(String(base))?.storage ?? '';
  const storage = db.storages.get(id);
  if (!storage) throw new PveError(500, `base storage ID '${id}' does not exist`);
  if (storage.type !== 'iscsi') {
    throw new PveError(
      500,
      `unsupported base type '${storage.type}' at /usr/share/perl5/PVE/Storage/LVMPlugin.pm line 500.`,
    );
  }
}

/** Why a host cannot use a directory; nothing is mounted on the lab's hosts but what they boot from. */
function inactiveBecause(storage: StorageRecord): string | undefined {
  if (!DIRECTORIES.has(storage.type)) return undefined;
  const mount = mountPoint(storage);
  if (mount !== undefined && mount !== '/') {
    return `unable to activate storage '${storage.id}' - directory is expected to be a mount point but is not mounted: '${mount}'`;
  }
  return storage.content.includes('none') ? "unknown vtype 'none'" : undefined;
}

function mountPoint({ options, path }: StorageRecord): string | undefined {
  const given = options?.is_mountpoint;
  if (given === undefined) return undefined;
  if (/^(1|on|yes|true)$/i.test(String(given))) return path;
  return /^(0|off|no|false)$/i.test(String(given)) ? undefined : String(given);
}

export function isActive(storage: StorageRecord): boolean {
  return inactiveBecause(storage) === undefined;
}

export function activate(storage: StorageRecord): void {
  const reason = inactiveBecause(storage);
  if (reason !== undefined) throw new PveError(500, reason);
}
