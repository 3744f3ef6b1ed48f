/** Files that others wrote: no more of them is read than is allowed, whatever their size is said to be. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { OxherdError } from '../model/error.js';
import { MIB } from '../model/size.js';

/** Patches, manifests, secrets, keys, certificates. */
export const MAX_INCLUDED_BYTES = 16 * MIB;
/** Configs have a smaller limit of their own; saved plans and journals of large clusters are long. */
export const MAX_FILE_BYTES = 64 * MIB;

const CHUNK = 256 * 1024;

/** Throws what `readFileSync` does, and `file.too-large`. A device without an end is too large too. */
export function readFileLimited(path: string, limit: number): Buffer {
  const file = openSync(path, 'r');
  try {
    // The error of a read names no file.
    if (fstatSync(file).isDirectory())
      throw Object.assign(new Error(`EISDIR: ${path} is a folder`), { code: 'EISDIR', path });
    const chunks: Buffer[] = [];
    for (let size = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const read = readSync(file, chunk, 0, CHUNK, null);
      if (read === 0) return Buffer.concat(chunks, size);
      size += read;
      if (size > limit) {
        throw new OxherdError('file.too-large', `${path} is larger than ${limit / MIB} MiB`, {
          where: path,
          advice: 'name another file, or split it',
        });
      }
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

export function readTextLimited(path: string, limit: number): string {
  return readFileLimited(path, limit).toString('utf8');
}
