/** `POST …/content/{volume}`: a volume under another name (pve-storage, PVE/API2/Storage/Content.pm). */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { nodeOf } from '../http/request.js';
import { putVolume, volumeAt } from '../volumes.js';
import { locate } from './storages.js';
import { qualified, volumeOf } from './volume-of-call.js';
import { requireVolume } from './volume-operations.js';

/** Of uploads too, which copy what was received (`upload.ts`). */
export const COPY_TASK = 'imgcopy';

export interface VolumeCopy {
  readonly host: string;
  readonly source: string;
  readonly target: string;
  readonly targetHost: string;
}

export const copyHandlers: Handlers = {
  'POST /nodes/{node}/storage/{storage}/content/{volume}': copyContent,
};

/** Root's alone: a volume under another name, on this host or another. */
function copyContent(call: Call): string {
  const args: VolumeCopy = {
    host: nodeOf(call),
    source: volumeOf(call),
    target: qualified(call, 'target'),
    targetHost: call.text('target_node') ?? call.host,
  };
  return call.pve.tasks.start(call, { node: args.host, type: COPY_TASK, id: '', args, duration: 3_000 });
}

export function copyVolume(pve: Pve, { host, source, target, targetHost }: VolumeCopy): undefined {
  const {
    host: _host,
    storage: _storage,
    path: _path,
    owner: _owner,
    parent: _parent,
    ...kept
  } = requireVolume(pve, host, source);
  const { storage, volume: name } = locate(pve, target);
  if (volumeAt(pve.db, storage, targetHost, name.place)) {
    throw new PveError(500, `volume '${target}' already exists`);
  }
  const owned = name.owner === undefined ? {} : { owner: name.owner };
  putVolume(pve.db, storage, {
    ...kept,
    ...owned,
    host: targetHost,
    storage: storage.id,
    path: name.place,
    snapshots: {},
  });
}
