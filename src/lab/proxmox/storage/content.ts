/** `/nodes/{node}/storage/{storage}/content` (recordings loose-volumes, storage-read, download-url). */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import type { StorageRecord, VolumeRecord } from '../db.js';
import { nodeOf } from '../http/request.js';
import { waitForTask } from '../tasks/wait-for-task.js';
import { volumeAt, volumeId, volumesOn } from '../volumes.js';
import { mayAccessVolume, requireVolumeAccess } from './access.js';
import { activate } from './add-checks.js';
import { allocate, free } from './allocate.js';
import { locate, requireStorage, requireStorageOnNode } from './storages.js';
import { isFileStorage, requireVolumeId, TEMPLATE_EXTENSION, volumePath } from './volume-name.js';
import { volumeOf } from './volume-of-call.js';
import { missingVolume, virtualSize } from './volume-operations.js';

const DELETE_TASK = 'imgdel';

export const contentHandlers: Handlers = {
  'GET /nodes/{node}/storage/{storage}/content': listContent,
  'POST /nodes/{node}/storage/{storage}/content': allocateContent,
  'GET /nodes/{node}/storage/{storage}/content/{volume}': readVolume,
  'DELETE /nodes/{node}/storage/{storage}/content/{volume}': deleteContent,
};

export function defineContentTasks(pve: Pve): void {
  pve.tasks.define<{ host: string; volid: string }>(DELETE_TASK, ({ host, volid }, task) => {
    activate(requireStorageOnNode(pve, requireVolumeId(volid).storage, host));
    free(pve, host, volid, (line) => task.log(line));
    task.log(`Removed volume '${volid}'`);
    return undefined;
  });
}

function listContent(call: Call): unknown {
  const storage = requireStorage(call.pve, call.text('storage') ?? '');
  activate(requireStorageOnNode(call.pve, storage.id, nodeOf(call)));
  const wanted = call.text('content');
  const vmid = call.number('vmid');
  const all = call.allows(`/storage/${storage.id}`, ['Datastore.Allocate']);
  // Of one VM's volumes only, unless the storage has what is listed for every VM.
  const common = storage.content.includes('import') || storage.content.includes('snippets');
  return volumesOn(call.pve.db, storage, nodeOf(call), common ? undefined : vmid)
    .filter((volume) => wanted === undefined || volume.content === wanted)
    .filter((volume) => !isFileStorage(storage) || !isHidden(volume.path))
    .filter((volume) => storage.content.includes(volume.content))
    .filter((volume) => vmid === undefined || belongsTo(volume, vmid))
    .filter((volume) => all || mayAccessVolume(call, volumeId(volume)))
    .map((volume) => describe(storage, volume))
    .sort((a, b) => (a.volid.toLowerCase() < b.volid.toLowerCase() ? -1 : 1));
}

/** A directory is read as a shell does. */
const isHidden = (path: string) => /(^|\/)\.[^/]*$/.test(path);

/** Asked for one VM, installation media are not listed, but snippets and import images are. */
function belongsTo(volume: VolumeRecord, vmid: number): boolean {
  if (volume.content === 'snippets' || volume.content === 'import') return true;
  return volume.owner === vmid;
}

function describe(storage: StorageRecord, volume: VolumeRecord): Record<string, unknown> & { volid: string } {
  const volid = volumeId(volume);
  const common = { volid, content: volume.content, format: listedFormat(volume) };
  if (volume.content !== 'images' && volume.content !== 'rootdir') {
    return {
      ...common,
      ctime: volume.ctime,
      size: fileSize(volume),
      ...(volume.owner === undefined ? {} : { vmid: volume.owner }),
      ...(volume.notes === undefined ? {} : { notes: volume.notes }),
      ...(volume.protected ? { protected: 1 } : {}),
      ...(volume.verification === undefined ? {} : { verification: volume.verification }),
    };
  }
  const image = { ...common, size: volume.size, vmid: volume.owner, parent: listedParent(storage, volume) };
  if (storage.type === 'zfspool') return { ...image, name: volume.path };
  return isFileStorage(storage) ? { ...image, ctime: volume.ctime, used: volume.used } : image;
}

function listedParent(storage: StorageRecord, volume: VolumeRecord): string | null {
  if (volume.parent === undefined) return null;
  return isFileStorage(storage) ? `../${volume.parent}` : `${volume.parent}@__base__`;
}

function listedFormat(volume: VolumeRecord): string {
  if (volume.content === 'iso') return 'iso';
  if (volume.content === 'snippets') return 'snippet';
  if (volume.content === 'vztmpl') {
    const match = TEMPLATE_EXTENSION.exec(volume.path);
    // Capitals count here, though not where names are checked.
    return match?.[2] === 'tar' ? 'tar' : `t${match?.[1] ?? match?.[2] ?? ''}`;
  }
  if (volume.content === 'backup') return volume.path.replace(/^.*?\.(?=tgz|tar|vma)/, '');
  return volume.format;
}

/** The file's own length: that of a qcow2 image is not what the guest sees. */
function fileSize(volume: VolumeRecord): number {
  return volume.format === 'qcow2' ? volume.used : volume.size;
}

function allocateContent(call: Call): string {
  const name = call.text('filename') ?? '';
  const named = /\.(raw|qcow2|vmdk)$/.exec(name)?.[1];
  const asked = call.text('format');
  if (named && asked && named !== asked) {
    throw PveError.parameter({ format: `different storage formats (${asked} != ${named})` });
  }
  const volume = allocate(call.pve, {
    host: nodeOf(call),
    storage: call.text('storage') ?? '',
    vmid: call.number('vmid') ?? 0,
    format: named ?? asked,
    // An empty name is none: the next free one is taken.
    name: name || undefined,
    size: allocationSize(call.text('size') ?? ''),
  });
  return volumeId(volume);
}

/** `1G`, `512M`, or a plain number of KiB. */
function allocationSize(text: string): number {
  const match = /^(\d+)([MG])?$/.exec(text);
  if (!match) throw PveError.parameter({ size: `unable to parse size '${text}'` });
  return Number(match[1]) * (match[2] === 'G' ? 1024 ** 3 : match[2] === 'M' ? 1024 ** 2 : 1024);
}

function readVolume(call: Call): unknown {
  const volid = volumeOf(call);
  requireVolumeAccess(call, volid);
  const { storage, volume: name } = locate(call.pve, volid);
  const volume = volumeAt(call.pve.db, storage, nodeOf(call), name.place);
  if (!volume) {
    if (isFileStorage(storage)) throw new PveError(500, `volume_size_info on '${volid}' failed - no format`);
    throw missingVolume(storage, name, volid);
  }
  return {
    path: volumePath(storage, name),
    size: virtualSize(volume),
    used: volume.used,
    format: name.format,
    ...(volume.notes === undefined ? {} : { notes: volume.notes }),
    ...(volume.protected ? { protected: 1 } : {}),
  };
}

async function deleteContent(call: Call): Promise<string | null> {
  const volid = volumeOf(call);
  const host = nodeOf(call);
  const { storage, volume } = locate(call.pve, volid);
  const place = `/storage/${storage.id}`;
  if (volume.type === 'backup' && volume.owner !== undefined) {
    call.require(place, ['Datastore.AllocateSpace']);
    call.require(`/vms/${volume.owner}`, ['VM.Backup']);
  } else {
    call.require(place, ['Datastore.Allocate']);
  }
  const owner = volume.owner === undefined ? '' : `${volume.owner}@`;
  const upid = call.pve.tasks.start(call, {
    node: host,
    type: DELETE_TASK,
    id: `${owner}${requireVolumeId(volid).storage}`,
    args: { host, volid },
    duration: 200,
  });
  const delay = call.number('delay') ?? 0;
  if (delay === 0) return upid;
  return (await waitForTask(call.pve, upid, delay, (status) => status)) ? null : upid;
}
