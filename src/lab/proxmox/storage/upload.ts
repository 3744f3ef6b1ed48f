/** `upload` (pve-storage, PVE/API2/Storage/Status.pm; recording `upload`): a file that is there is replaced. */
import { type Call, type Handlers, type Pve, PveError, type TaskContext } from '../api.js';
import type { VolumeRecord } from '../db.js';
import type { UploadedFile } from '../http/multipart.js';
import { nodeOf } from '../http/request.js';
import { newContents, putVolume } from '../volumes.js';
import { assertSpace } from './allocate.js';
import { COPY_TASK, copyVolume, type VolumeCopy } from './copy-content.js';
import { fileKind, safeFileName } from './download.js';
import { NOT_QCOW2, qcow2Size } from './downloaded-file.js';
import { requireStorage, requireStorageOnNode } from './storages.js';
import { isFileStorage, parseVolumeName, volumePath } from './volume-name.js';

interface Copy {
  readonly host: string;
  readonly storage: string;
  readonly content: VolumeRecord['content'];
  readonly path: string;
  readonly temporary: string;
  readonly size: number;
  readonly format: string;
  /** What the guest sees of it. */
  readonly virtualSize: number;
  readonly sha256: string;
  readonly checksum?: { readonly expected: string; readonly got: string };
  readonly invalid?: string;
}

/** Files that were received, until the request that they came with has been looked at. */
const received = new WeakMap<Pve['db'], Map<string, UploadedFile>>();

/** Returns the name under which the request finds the file. */
export function keepUpload(pve: Pve, file: UploadedFile): string {
  const files = received.get(pve.db) ?? new Map<string, UploadedFile>();
  received.set(pve.db, files);
  const name = `/var/tmp/pveupload-${file.hashes.md5 ?? ''}`;
  files.set(name, file);
  return name;
}

export function dropUpload(pve: Pve, name: string): void {
  received.get(pve.db)?.delete(name);
}

export const uploadHandlers: Handlers = {
  'POST /nodes/{node}/storage/{storage}/upload': startCopy,
};

export function defineCopyTask(pve: Pve): void {
  pve.tasks.define<Copy | VolumeCopy>(COPY_TASK, (copy, task) =>
    'source' in copy ? copyVolume(pve, copy) : finish(pve, copy, task),
  );
}

function startCopy(call: Call): string {
  const host = nodeOf(call);
  if (!call.pve.db.hosts.has(host)) {
    throw new PveError(
      500,
      `hostname lookup '${host}' failed - failed to get address info for: ${host}: Name or service not known`,
    );
  }
  const storage = requireStorageOnNode(call.pve, call.text('storage') ?? '', host);
  if (!isFileStorage(storage)) throw new PveError(500, `can't upload to storage type '${storage.type}'`);
  const temporary = call.text('tmpfilename') ?? '';
  const file = received.get(call.pve.db)?.get(temporary);
  if (!file) throw new PveError(500, `temporary file '${temporary}' does not exist`);
  const name = safeFileName(call.text('filename') ?? '');
  const content = fileKind(call.text('content') ?? '', name);
  if (!storage.content.includes(content)) {
    throw new PveError(500, `storage '${storage.id}' does not support '${content}' content`);
  }
  const expected = call.text('checksum');
  const algorithm = call.text('checksum-algorithm') ?? 'sha256';
  return call.pve.tasks.start(call, {
    node: call.host,
    type: COPY_TASK,
    id: '',
    args: {
      host,
      storage: storage.id,
      content,
      path: `${content}/${name}`,
      temporary,
      size: file.size,
      sha256: file.hashes.sha256 ?? '',
      ...described(content, name, file),
      ...(expected ? { checksum: { expected, got: file.hashes[algorithm] ?? '' } } : {}),
    },
    duration: 300 + (file.size / BYTES_PER_SECOND) * 1000,
  });
}

const BYTES_PER_SECOND = 100_000_000;

function described(
  content: string,
  name: string,
  { head, size }: UploadedFile,
): Pick<Copy, 'format' | 'virtualSize' | 'invalid'> {
  const format =
    content === 'import' ? (/\.([a-z0-9]+)$/.exec(name)?.[1] ?? 'raw') : content === 'iso' ? 'iso' : 'raw';
  const plain = { format, virtualSize: size };
  if (format === 'qcow2') {
    const virtualSize = qcow2Size(head);
    return virtualSize === undefined ? { ...plain, invalid: NOT_QCOW2 } : { format, virtualSize };
  }
  const vmdk =
    head.subarray(0, 4).toString('latin1') === 'KDMV' || /^# Disk DescriptorFile/.test(head.toString());
  if (format === 'vmdk' && !vmdk) return { ...plain, invalid: 'invalid VMDK image descriptor' };
  return plain;
}

function finish(pve: Pve, copy: Copy, task: TaskContext): undefined {
  task.log(`starting file import from: ${copy.temporary}`);
  const { checksum } = copy;
  if (checksum && checksum.got.toLowerCase() !== checksum.expected.toLowerCase()) {
    task.log('calculating checksum...');
    throw new PveError(500, `checksum mismatch: got '${checksum.got}' != expect '${checksum.expected}'`);
  }
  if (checksum) task.log('calculating checksum...OK, checksum verified');
  if (copy.invalid !== undefined) {
    throw new PveError(500, `qemu-img: Could not open '${copy.temporary}': ${copy.invalid}`);
  }
  const storage = requireStorage(pve, copy.storage);
  const name = parseVolumeName(storage, copy.path);
  const place = volumePath(storage, name);
  task.log(`target node: ${copy.host}`);
  task.log(`target file: ${place}`);
  task.log(`file size is: ${copy.size}`);
  task.log(`command: cp -- ${copy.temporary} ${place}`);
  assertSpace(pve, storage, copy.host, name.name, place, copy.size);
  putVolume(pve.db, storage, {
    host: copy.host,
    storage: storage.id,
    path: name.place,
    content: copy.content,
    format: copy.format,
    size: copy.virtualSize,
    used: copy.size,
    ctime: Math.floor(pve.core.clock.now() / 1000),
    data: { token: newContents(pve.db) },
    snapshots: {},
    sha256: copy.sha256,
  });
  task.log('finished file import successfully');
  return undefined;
}
