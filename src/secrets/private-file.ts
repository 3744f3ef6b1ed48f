/** Files that hold secrets: mode 0600, on disk completely or not at all. */

import { randomBytes } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OxherdError } from '../model/error.js';
import { MAX_INCLUDED_BYTES, readTextLimited } from './read-file.js';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return readTextLimited(path, MAX_INCLUDED_BYTES);
  } catch (error) {
    if (error instanceof OxherdError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    const { message, advice } = OxherdError.from(error);
    const told = advice === undefined ? `${path} cannot be read (${codeOf(error)})` : message;
    throw new OxherdError('file.read', told, {
      where: path,
      cause: error,
      ...(advice !== undefined && { advice }),
    });
  }
}

/** Refuses where anything of that name exists, also when another process makes it at the same moment. */
export async function writeNewPrivateFile(path: string, text: string): Promise<void> {
  const temporary = await writeTemporary(path, text);
  try {
    // Unlike a rename, a link never replaces its target.
    await link(temporary, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new OxherdError('file.exists', `${path} exists and is not overwritten`, {
      where: path,
      advice:
        'Move it elsewhere first if it is no longer needed. Without its secrets a cluster cannot be managed.',
      cause: error,
    });
  } finally {
    await rm(temporary, { force: true });
  }
}

/** For files that can be made again at any time, such as kubeconfig. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const temporary = await writeTemporary(path, text);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function writeTemporary(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  const file = await open(temporary, 'wx', PRIVATE_FILE);
  try {
    await writeWhole(file, text);
  } catch (error) {
    // On a full disk half of the secrets would stay.
    await rm(temporary, { force: true });
    throw OxherdError.from(error, 'file.write', path);
  }
  return temporary;
}

async function writeWhole(file: FileHandle, text: string): Promise<void> {
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
