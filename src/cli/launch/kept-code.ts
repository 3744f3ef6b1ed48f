/**
 * The compiled form of the program's parts in the user's cache folder, so that the next command need not compile them. It
 * is only ever a saving: what is missing, damaged, of another program or of another user is passed over, and what cannot
 * be written is not kept.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const DIGEST_BYTES = 32;
const USES = 'uses';
/** Folders that stay when one is added: of other versions of the program and of Node. */
const OTHERS = 3;

/**
 * One for each program, known by its first part, and Node. `undefined`: nothing is to be kept. The variables are Node's own
 * for its compile cache, and that of the XDG.
 */
export function codeFolder(env: NodeJS.ProcessEnv, main: Buffer): string | undefined {
  const cache = cacheFolder(env);
  if (env.NODE_DISABLE_COMPILE_CACHE || cache === undefined) return undefined;
  const program = createHash('sha256').update(main).digest('hex').slice(0, 12);
  return join(cache, 'oxherd', `code-${program}-${process.version}-${process.arch}`);
}

/** A user without an entry, as in a container, has no home. */
function cacheFolder(env: NodeJS.ProcessEnv): string | undefined {
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME;
  try {
    return join(homedir(), '.cache');
  } catch {
    return undefined;
  }
}

/** What was kept for a part with exactly this source. */
export function readCode(folder: string, name: string, source: Buffer): Buffer | undefined {
  try {
    const file = openSync(join(folder, name), 'r');
    try {
      // Compiled code is as good as code: that of another user is not run, though it lies in a folder that is ours.
      const { uid, mode } = fstatSync(file);
      if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return undefined;
      const kept = readFileSync(file);
      const data = kept.subarray(DIGEST_BYTES);
      return kept.subarray(0, DIGEST_BYTES).equals(digest(source, data)) ? data : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Whole or not at all: another command may be reading or writing the same. */
export function writeCode(
  folder: string,
  name: string,
  { source, data }: Record<'source' | 'data', Buffer>,
): void {
  writeWhole(folder, name, Buffer.concat([digest(source, data), data]));
}

/** What the program was started for while code was kept. */
export function readUses(folder: string): string[] {
  try {
    return readFileSync(join(folder, USES), 'utf8').split('\n');
  } catch {
    return [];
  }
}

export function writeUses(folder: string, uses: readonly string[]): void {
  writeWhole(folder, USES, uses.join('\n'));
}

function writeWhole(folder: string, name: string, content: Buffer | string): void {
  const path = join(folder, name);
  const fresh = `${path}.${process.pid}`;
  try {
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) forgetOld(folder);
  } catch {
    return;
  }
  try {
    writeFileSync(fresh, content, { mode: 0o600 });
    renameSync(fresh, path);
  } catch {
    rmSync(fresh, { force: true });
  }
}

function forgetOld(added: string): void {
  const all = dirname(added);
  const others = readdirSync(all)
    .filter((name) => name.startsWith('code-'))
    .map((name) => join(all, name))
    .filter((path) => path !== added)
    .map((path) => ({ path, time: statSync(path).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of others.slice(OTHERS)) rmSync(path, { recursive: true, force: true });
}

function digest(source: Buffer, data: Buffer): Buffer {
  return createHash('sha256').update(source).update(data).digest();
}
