/** Where a lab's state lives: in memory, or in a folder that one process at a time holds. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LockHolder, takeLock } from './lock.js';
import { type StoredKeys, storedKeys } from './proxmox/host-keys.js';
import { fileStore, memoryStore, type SavedTables, type Store } from './store.js';

export interface LabState {
  readonly store: Store;
  readKeys(): StoredKeys | undefined;
  writeKeys(keys: StoredKeys): void;
  readToken(): string | undefined;
  writeToken(token: string): void;
  close(): void;
}

/** Everything that another lab could go on from. */
export interface KeptState {
  readonly tables: SavedTables;
  readonly keys?: StoredKeys;
  readonly token?: string;
}

export function memoryState(kept?: KeptState): LabState & { keep(): KeptState } {
  const store = memoryStore(kept?.tables);
  let { keys, token } = kept ?? {};
  return {
    store,
    readKeys: () => keys,
    writeKeys: (made) => {
      keys = made;
    },
    readToken: () => token,
    writeToken: (made) => {
      token = made;
    },
    keep: () => ({ tables: store.dump(), ...(keys && { keys }), ...(token !== undefined && { token }) }),
    close: () => store.close(),
  };
}

/** Secrets have files of their own (0600), apart from the state proper. */
const KEYS_FILE = 'keys.json';
const TOKEN_FILE = 'token';

/** Waits a little for the folder's holder, then fails naming it. */
export async function folderState(
  folder: string,
  options: { wait?: number } = {},
): Promise<LabState & { lock: LockHolder }> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await takeLock(folder, options.wait);
  const store = fileStore(folder);
  return {
    store,
    lock,
    readKeys() {
      const text = readPrivate(join(folder, KEYS_FILE));
      return text === undefined ? undefined : storedKeys.parse(JSON.parse(text));
    },
    writeKeys: (keys) => writePrivate(join(folder, KEYS_FILE), JSON.stringify(keys)),
    readToken: () => readPrivate(join(folder, TOKEN_FILE))?.trim(),
    writeToken: (token) => writePrivate(join(folder, TOKEN_FILE), `${token}\n`),
    close() {
      store.close();
      lock.release();
    },
  };
}

/** Folder of a real etcd and API server; no cluster can be called so. */
export const REAL_KUBERNETES = '_kubernetes';

/** What the lab itself writes. */
const STATE_NAMES = [
  KEYS_FILE,
  TOKEN_FILE,
  'snapshot.json',
  'snapshot.json.new',
  'changes.log',
  REAL_KUBERNETES,
  // Of version 0.1.0, which had one for all clusters of a lab.
  'secrets.yaml',
];
/** What commands write for a cluster of the lab. */
const CLUSTER_FILES =
  /^(secrets\.yaml|kubeconfig|talosconfig|upgrade\.json|chaos\.json|prediction\.json|runs|etcd-.+\.snapshot(\.json)?)$/;

export function isLabFolder(folder: string): boolean {
  return readdirSync(folder).some((name) => STATE_NAMES.includes(name) || name.startsWith('lock.json'));
}

/** Everything of the lab but the lock, which whoever calls this holds. What else lies there stays, and is named. */
export function forgetState(folder: string): string[] {
  return readdirSync(folder).filter((name) => {
    if (name.startsWith('lock.json')) return false;
    const path = join(folder, name);
    if (!STATE_NAMES.includes(name) && !isClusterFolder(path)) return true;
    rmSync(path, { recursive: true, force: true });
    return false;
  });
}

function isClusterFolder(path: string): boolean {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && readdirSync(path).every((name) => CLUSTER_FILES.test(name));
}

function readPrivate(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export function writePrivate(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  // The mode above only counts for a new file.
  chmodSync(file, 0o600);
}
