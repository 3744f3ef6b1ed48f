/** `download-url` (recording download-url): what the file is, is found out when the request comes; it is there when the task ends. */
import { type Call, type FetchedFile, type Handlers, type Pve, PveError, type TaskContext } from '../api.js';
import type { VolumeRecord } from '../db.js';
import { nodeOf } from '../http/request.js';
import { newContents, putVolume, volumeAt } from '../volumes.js';
import { assertSpace } from './allocate.js';
import { checksumOf, type Download, examine, NOT_QCOW2, NOT_VMDK, THE_FILE } from './downloaded-file.js';
import { requireStorage, requireStorageOnNode } from './storages.js';
import { logTransfer } from './transfer-log.js';
import {
  ISO_EXTENSION,
  isFileStorage,
  parseVolumeName,
  TEMPLATE_EXTENSION,
  volumePath,
} from './volume-name.js';

const TASK = 'download';

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
  const name = safeFileName(call.text('filename') ?? '');
  const kind = fileKind(content, name);
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

/** Only the last part of a path counts, and what is not safe in a file name becomes `_`. */
export function safeFileName(name: string): string {
  return name.replace(/^.*[/\\]/, '').replace(/[^a-zA-Z0-9_.-]/g, '_');
}

export function fileKind(content: string, name: string): VolumeRecord['content'] {
  if (content === 'iso') {
    if (!ISO_EXTENSION.test(name.slice(1))) throw PveError.parameter({ filename: 'wrong file extension' });
    return 'iso';
  }
  if (content === 'vztmpl') {
    if (!TEMPLATE_EXTENSION.test(name.slice(1)))
      throw PveError.parameter({ filename: 'wrong file extension' });
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
  } catch (error) {
    const unresolved = error instanceof Error && /Name or service not known/.test(error.message);
    return unresolved ? { ...download, unresolved } : download;
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
  if (invalid === NOT_QCOW2 || invalid === NOT_VMDK) {
    const format = invalid === NOT_QCOW2 ? 'qcow2' : 'vmdk';
    task.log(
      `command '/usr/bin/qemu-img info '--output=json' ${temporary} -f ${format}' failed: exit code 1`,
    );
    throw new PveError(500, `failed to verify file: qemu-img: Could not open '${temporary}': ${invalid}`);
  }
  if (invalid || !file) throw new PveError(500, invalid?.replace(THE_FILE, temporary) ?? 'download failed');
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
    data: { ...file.data, token: newContents(pve.db) },
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
