/** `download-url` (recording download-url): what the file is, is found out when the request comes; it is there when the task ends. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { VolumeContent } from '../../lab.js';
import { type Call, type FetchedFile, type Handlers, type Pve, PveError, type TaskContext } from '../api.js';
import type { VolumeRecord } from '../db.js';
import { nodeOf } from '../request.js';
import { putVolume, volumeAt } from '../volumes.js';
import { assertSpace } from './allocate.js';
import { requireStorage, requireStorageOnNode } from './storages.js';
import {
  ISO_EXTENSION,
  isFileStorage,
  parseVolumeName,
  TEMPLATE_EXTENSION,
  volumePath,
} from './volume-name.js';

const TASK = 'download';

interface Download {
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
  /** The web server's answer; absent: nobody answered. */
  readonly answer?: { status: number; reason: string; size: number; contentType: string };
  readonly file?: { size: number; used: number; format: string; sha256: string; data: VolumeContent };
  /** The file came, but is not what its name says. */
  readonly invalid?: string;
}

export const downloadHandlers: Handlers = {
  'POST /nodes/{node}/storage/{storage}/download-url': startDownload,
};

export function defineDownloadTask(pve: Pve): void {
  pve.tasks.define<Download>(TASK, (download, task) => {
    finishDownload(pve, download, task);
    return undefined;
  });
}

async function startDownload(call: Call): Promise<string> {
  const host = nodeOf(call);
  const storage = requireStorageOnNode(call.pve, call.text('storage') ?? '', host);
  if (!isFileStorage(storage)) {
    throw new PveError(500, `can't upload to storage type '${storage.type}', not a file based storage!`);
  }
  const content = call.text('content') ?? '';
  if (!storage.content.some((type) => type === content)) {
    throw new PveError(500, `storage '${storage.id}' is not configured for content-type '${content}'`);
  }
  // Only the last part of a path counts, and what is not safe in a file name becomes `_`.
  const name = (call.text('filename') ?? '').replace(/^.*[/\\]/, '').replace(/[^a-zA-Z0-9_.-]/g, '_');
  const kind = contentKind(content, name);
  const compression = call.text('compression');
  const download = await look(call, {
    host,
    storage: storage.id,
    content: kind,
    path: `${kind}/${name}`,
    url: call.text('url') ?? '',
    decompress: compression !== undefined && compression !== '',
  });
  return call.pve.tasks.start(call, {
    node: host,
    type: TASK,
    id: name.replace(
      /[:/\s]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    ),
    args: download,
    duration: 500 + ((download.answer?.size ?? 0) / BYTES_PER_SECOND) * 1000,
  });
}

const BYTES_PER_SECOND = 100_000_000;

function contentKind(content: string, name: string): VolumeRecord['content'] {
  if (content === 'iso') {
    if (!ISO_EXTENSION.test(name)) throw PveError.parameter({ filename: 'wrong file extension' });
    return 'iso';
  }
  if (content === 'vztmpl') {
    if (!TEMPLATE_EXTENSION.test(name)) throw PveError.parameter({ filename: 'wrong file extension' });
    return 'vztmpl';
  }
  if (content === 'import') {
    if (!/^[a-zA-Z0-9\-.+=_]+\.(ova|qcow2|raw|vmdk)$/.test(name)) {
      throw PveError.parameter({ filename: 'invalid filename or wrong extension' });
    }
    return 'import';
  }
  throw PveError.parameter({ content: `upload content-type '${content}' is not allowed` });
}

/** Proxmox knows these for ISO images; the schema lets any word pass. */
const DECOMPRESSORS = ['gz', 'lzo', 'zst', 'bz2'];

async function look(call: Call, download: Download): Promise<Download> {
  const compression = call.text('compression');
  if (download.decompress) {
    if (download.content !== 'iso') {
      return { ...download, refused: `decompression not supported for ${download.content}` };
    }
    if (!DECOMPRESSORS.includes(compression ?? '')) {
      return { ...download, refused: 'no decompression method found' };
    }
  }
  let fetched: FetchedFile;
  try {
    fetched = await call.pve.fetchUrl(download.url, {
      verify: call.params['verify-certificates'] === undefined || call.flag('verify-certificates'),
    });
  } catch {
    return download;
  }
  const { status, reason, size, contentType } = fetched;
  const answered = { ...download, answer: { status, reason, size, contentType } };
  if (status >= 400) return answered;
  const expected = call.text('checksum');
  const algorithm = call.text('checksum-algorithm') ?? 'sha256';
  const checked = expected
    ? { ...answered, checksum: { algorithm, expected, got: checksumOf(fetched, algorithm) } }
    : answered;
  return { ...checked, ...examine(fetched, download, compression) };
}

function checksumOf(fetched: FetchedFile, algorithm: string): string {
  if (algorithm === 'sha256') return fetched.sha256;
  // The factory's images are described, not made: the lab knows only their SHA-256.
  return fetched.body ? createHash(algorithm).update(fetched.body).digest('hex') : '';
}

function examine(
  fetched: FetchedFile,
  download: Download,
  compression: string | undefined,
): Pick<Download, 'file' | 'invalid'> {
  const { sha256 } = fetched;
  const format = download.content === 'import' ? (/\.([a-z0-9]+)$/.exec(download.path)?.[1] ?? 'raw') : 'raw';
  if (fetched.image) {
    const { schematic, version, arch, virtualSize } = fetched.image;
    const size = download.content === 'iso' ? fetched.size : virtualSize;
    const data: VolumeContent = { system: { kind: 'talos', schematic, version, arch } };
    if (format === 'qcow2' && fetched.image.format !== 'qcow2') return { invalid: NOT_QCOW2 };
    return { file: { size, used: fetched.size, format, sha256, data } };
  }
  let body = Buffer.from(fetched.body ?? new Uint8Array());
  if (compression === 'gz') {
    try {
      body = gunzipSync(body);
    } catch {
      return { invalid: "command 'zcat' failed: exit code 1" };
    }
  } else if (compression) {
    return { invalid: `the lab decompresses gz only, not ${compression}` };
  }
  if (format !== 'qcow2') return { file: { size: body.length, used: body.length, format, sha256, data: {} } };
  const size = qcow2Size(body);
  if (size === undefined) return { invalid: NOT_QCOW2 };
  return { file: { size, used: body.length, format, sha256, data: {} } };
}

const NOT_QCOW2 = 'Image is not in qcow2 format';

/** The virtual size that a qcow2 header tells. */
function qcow2Size(body: Buffer): number | undefined {
  if (body.length < 32 || body.readUInt32BE(0) !== 0x514649fb) return undefined;
  return Number(body.readBigUInt64BE(24));
}

function finishDownload(pve: Pve, download: Download, task: TaskContext): void {
  if (download.refused) throw new PveError(500, download.refused);
  const storage = requireStorage(pve, download.storage);
  const name = parseVolumeName(storage, download.path);
  const place = volumePath(storage, name);
  task.log(`downloading ${download.url} to ${place}`);
  const existing = volumeAt(pve.db, storage, download.host, name.place);
  if (existing && alreadyHere(existing, download, place, task)) return;
  const temporary = `${place}.tmp_dwnl.${Number.parseInt(task.upid.split(':')[2] ?? '0', 16)}`;
  logTransfer(pve, download, temporary, task);
  const { checksum, file, invalid } = download;
  if (checksum) {
    if (checksum.got.toLowerCase() !== checksum.expected.toLowerCase()) {
      task.log('calculating checksum...');
      throw new PveError(500, `checksum mismatch: got '${checksum.got}' != expect '${checksum.expected}'`);
    }
    task.log('calculating checksum...OK, checksum verified');
  }
  if (download.decompress) task.log(`decompressing ${temporary} to ${temporary.replace('dwnl', 'dcom')}`);
  if (invalid === NOT_QCOW2) {
    task.log(`command '/usr/bin/qemu-img info '--output=json' ${temporary} -f qcow2' failed: exit code 1`);
    throw new PveError(500, `failed to verify file: qemu-img: Could not open '${temporary}': ${NOT_QCOW2}`);
  }
  if (invalid || !file) throw new PveError(500, invalid ?? 'download failed');
  assertSpace(pve, storage, download.host, name.name, place, file.used);
  putVolume(pve.db, storage, {
    host: download.host,
    storage: storage.id,
    path: name.place,
    content: download.content,
    format: file.format,
    size: file.size,
    used: file.used,
    ctime: Math.floor(pve.core.clock.now() / 1000),
    data: file.data,
    snapshots: {},
    sha256: file.sha256,
  });
  task.log(`download of '${download.url}' to '${place}' finished`);
}

/** A file that is there is never overwritten; with the right checksum it counts as downloaded. */
function alreadyHere(existing: VolumeRecord, download: Download, place: string, task: TaskContext): boolean {
  if (!download.checksum) throw new PveError(500, `refusing to override existing file '${place}'`);
  const { algorithm, expected, got } = download.checksum;
  const actual = existing.sha256 === download.file?.sha256 ? got : (existing.sha256 ?? '');
  if (actual !== '' && actual.toLowerCase() === expected.toLowerCase()) {
    task.log('calculating checksum of existing file...OK, got correct file already, no need to download');
    return true;
  }
  task.log('calculating checksum of existing file...');
  const shown = algorithm === 'sha256' ? actual : '';
  throw new PveError(500, `checksum mismatch: got '${shown}' != expect '${expected}', aborting`);
}

function logTransfer(pve: Pve, download: Download, temporary: string, task: TaskContext): void {
  const { answer, url } = download;
  const stamp = new Date(pve.core.clock.now()).toISOString().slice(0, 19).replace('T', ' ');
  task.log(`--${stamp}--  ${url}`);
  const { hostname, port, protocol } = new URL(url);
  const place = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  if (!answer) {
    task.log(`Connecting to ${place}... failed: Connection refused.`);
    throw new PveError(500, 'download failed: exit code 4');
  }
  task.log(`Connecting to ${place}... connected.`);
  task.log(`HTTP request sent, awaiting response... ${answer.status} ${answer.reason}`);
  if (answer.status >= 400) {
    task.log(`${stamp} ERROR ${answer.status}: ${answer.reason}.`);
    throw new PveError(500, 'download failed: exit code 8');
  }
  task.log(`Length: ${answer.size}${shortSize(answer.size)} [${answer.contentType}]`);
  task.log(`Saving to: '${temporary}'`);
  task.log('     0K                                    100%  100M=0s');
  task.log(`${stamp} (100 MB/s) - '${temporary}' saved [${answer.size}/${answer.size}]`);
}

/** As wget adds it for people: ` (39K)`. */
function shortSize(bytes: number): string {
  if (bytes < 1024) return '';
  const power = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return ` (${value < 10 ? value.toFixed(1) : Math.floor(value)}${'KMG'[power - 1]})`;
}
