/** Where a lab's state lives: in memory, or in a folder that one process at a time holds. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LockHolder, takeLock } from './lock.js';
import { fileStore, memoryStore, type Store } from './store.js';
import { type StoredKeys, storedKeys } from './tls.js';

export interface LabState {
  readonly store: Store;
  readKeys(): StoredKeys | undefined;
  writeKeys(keys: StoredKeys): void;
  readToken(): string | undefined;
  writeToken(token: string): void;
  close(): void;
}

export function memoryState(): LabState {
  const store = memoryStore();
  return {
    store,
    readKeys: () => undefined,
    writeKeys: () => {},
    readToken: () => undefined,
    writeToken: () => {},
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

/** Everything but the lock, which whoever calls this holds. */
export function forgetState(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith('lock.json')) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

export function readPrivate(file: string): string | undefined {
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
