/** What a download brought: its checksum, its size, and whether it is what its name says. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { VolumeContent } from '../../lab.js';
import type { FetchedFile } from '../api.js';
import type { VolumeRecord } from '../db.js';

export interface Download {
  readonly host: string;
  readonly storage: string;
  readonly content: VolumeRecord['content'];
  /** Below the storage: `iso/talos.iso`. */
  readonly path: string;
  readonly url: string;
  readonly decompress: boolean;
  readonly checksum?: { algorithm: string; expected: string; got: string };
  /** Said before anything is fetched. */
  readonly refused?: string;
  /** The web server's answer; absent: nothing answered. */
  readonly answer?: { status: number; reason: string; size: number; contentType: string };
  readonly file?: { size: number; used: number; format: string; sha256: string; data: VolumeContent };
  /** The file came, but is not what its name says. */
  readonly invalid?: string;
  /** No host of that name. */
  readonly unresolved?: boolean;
}

export function checksumOf(fetched: FetchedFile, algorithm: string): string {
  if (algorithm === 'sha256') return fetched.sha256;
  // The factory's images are described, not made: the lab knows only their SHA-256.
  return fetched.body ? createHash(algorithm).update(fetched.body).digest('hex') : '';
}

export function examine(
  fetched: FetchedFile,
  download: Download,
  compression: string | undefined,
): Pick<Download, 'file' | 'invalid'> {
  const { sha256 } = fetched;
  const format = download.content === 'import' ? (/\.([a-z0-9]+)$/.exec(download.path)?.[1] ?? 'raw') : 'raw';
  if (fetched.image) {
    const { schematic, version, arch, virtualSize } = fetched.image;
    const packed = /^raw\.(\w+)$/.exec(fetched.image.format)?.[1];
    const data: VolumeContent = { system: { kind: 'talos', schematic, version, arch } };
    if (format === 'qcow2' && fetched.image.format !== 'qcow2') return { invalid: NOT_QCOW2 };
    if (compression !== undefined) {
      if (packed !== compression) return { invalid: unpackFailure(compression) };
      return { file: { size: virtualSize, used: virtualSize, format, sha256, data } };
    }
    const used = fetched.size;
    // Nothing boots from it while it is packed.
    if (packed !== undefined) return { file: { size: used, used, format, sha256, data: {} } };
    const size = download.content === 'iso' ? used : virtualSize;
    return { file: { size, used, format, sha256, data } };
  }
  let body: Buffer = Buffer.from(fetched.body ?? new Uint8Array());
  if (compression) {
    const unpacked = unpack(body, compression);
    if (typeof unpacked === 'string') return { invalid: unpacked };
    body = unpacked;
  }
  if (format === 'ova' && !hasOvf(body)) {
    return { invalid: 'failed to verify file: ova archive has no .ovf file inside' };
  }
  if (format === 'vmdk' && !/^(KDMV|COWD|# Disk DescriptorFile)/.test(body.toString('latin1', 0, 21))) {
    return { invalid: NOT_VMDK };
  }
  if (format !== 'qcow2') return { file: { size: body.length, used: body.length, format, sha256, data: {} } };
  const size = qcow2Size(body);
  if (size === undefined) return { invalid: NOT_QCOW2 };
  return { file: { size, used: body.length, format, sha256, data: {} } };
}

/** Stands for the path of the file in a message. */
export const THE_FILE = '<file>';

const UNPACK: Readonly<Record<string, { readonly command: string; readonly magic: string }>> = {
  gz: { command: 'zcat', magic: '1f8b' },
  lzo: { command: 'lzop -d -c', magic: '894c5a4f' },
  zst: { command: 'zstd -q -d -c', magic: '28b52ffd' },
  bz2: { command: 'bzcat -q', magic: '425a68' },
};

function unpackFailure(compression: string): string {
  const code = compression === 'bz2' ? 2 : 1;
  return `command '${UNPACK[compression]?.command ?? compression} ${THE_FILE}' failed: exit code ${code}`;
}

/** What came out, or what went wrong. zstd takes gzip's files too. */
function unpack(body: Buffer, compression: string): Buffer | string {
  const isA = (kind: string) => body.toString('hex', 0, 4).startsWith(UNPACK[kind]?.magic ?? '-');
  if (isA('gz') && (compression === 'gz' || compression === 'zst')) {
    try {
      return gunzipSync(body);
    } catch {
      return unpackFailure(compression);
    }
  }
  return isA(compression) ? `the lab decompresses gz only, not ${compression}` : unpackFailure(compression);
}

const BLOCK = 512;

/** Looks through the entries of a tar archive. */
function hasOvf(body: Buffer): boolean {
  let at = 0;
  while (at + BLOCK <= body.length) {
    const name = body.toString('latin1', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(body.toString('latin1', at + 124, at + 136), 8);
    if (name === '' || Number.isNaN(size)) return false;
    if (name.endsWith('.ovf')) return true;
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  return false;
}

export const NOT_VMDK = 'invalid VMDK image descriptor';
export const NOT_QCOW2 = 'Image is not in qcow2 format';

/** The virtual size that a qcow2 header tells. */
export function qcow2Size(body: Buffer): number | undefined {
  if (body.length < 32 || body.readUInt32BE(0) !== 0x514649fb) return undefined;
  return Number(body.readBigUInt64BE(24));
}
