/** `/storage` and `/nodes/{node}/storage` (recording storage-read). */
import { createHash } from 'node:crypto';
import { type Call, type Handlers, PveError } from '../api.js';
import type { StorageRecord } from '../db.js';
import { nodeOf } from '../request.js';
import { isOnNode, requireStorage, spaceOf, takesFormat } from './storages.js';
import { isFileStorage } from './volume-name.js';

const MAY_SEE = ['Datastore.Audit', 'Datastore.AllocateSpace'];

export const storageStatusHandlers: Handlers = {
  'GET /storage': (call) =>
    visible(call)
      .filter((storage) => call.text('type') === undefined || storage.type === call.text('type'))
      .map((storage) => describeConfig(call, storage)),
  'GET /storage/{storage}': (call) =>
    describeConfig(call, requireStorage(call.pve, call.text('storage') ?? '')),
  'GET /nodes/{node}/storage': listStatus,
  'GET /nodes/{node}/storage/{storage}': () => SUBDIRS.map((subdir) => ({ subdir })),
  'GET /nodes/{node}/storage/{storage}/status': readStatus,
};

const SUBDIRS = [
  'content',
  'download-url',
  'file-restore',
  'import-metadata',
  'identity',
  'oci-registry-pull',
  'prunebackups',
  'rrd',
  'rrddata',
  'status',
  'upload',
];

function visible(call: Call): StorageRecord[] {
  return [...call.pve.db.storages.values()].filter((storage) =>
    call.allows(`/storage/${storage.id}`, MAY_SEE, { any: true }),
  );
}

function describeConfig(call: Call, storage: StorageRecord): unknown {
  return {
    storage: storage.id,
    type: storage.type,
    content: [...storage.content].sort().join(','),
    digest: configDigest(call),
    ...(storage.path === undefined ? {} : { path: storage.path }),
    ...(storage.pool === undefined ? {} : { pool: storage.pool }),
    ...(storage.sparse === undefined ? {} : { sparse: storage.sparse ? 1 : 0 }),
    ...(storage.nodes.length === 0 ? {} : { nodes: [...storage.nodes].sort().join(',') }),
    // A network storage is shared by nature; only others say so.
    ...(storage.shared && storage.type === 'dir' ? { shared: 1 } : {}),
  };
}

function configDigest(call: Call): string {
  const text = JSON.stringify([...call.pve.db.storages.values()]);
  return createHash('sha1').update(text).digest('hex');
}

function statusOf(call: Call, storage: StorageRecord): Record<string, unknown> {
  return {
    ...spaceOf(call.pve, storage, nodeOf(call)),
    type: storage.type,
    content: [...storage.content].sort().join(','),
    active: 1,
    enabled: 1,
    shared: storage.shared ? 1 : 0,
  };
}

function listStatus(call: Call): unknown {
  const node = nodeOf(call);
  const only = call.text('storage');
  const contents = (call.text('content') ?? '').split(/[,;\s]+/).filter((word) => word !== '');
  const target = call.text('target');
  const fits = (storage: StorageRecord) =>
    isOnNode(storage, node) &&
    (contents.length === 0 || contents.some((content) => storage.content.includes(content)));
  if (only !== undefined && ![...call.pve.db.storages.values()].some((s) => s.id === only && fits(s))) {
    throw PveError.parameter({ storage: 'No such storage.' });
  }
  return visible(call)
    .filter((storage) => fits(storage) && (only === undefined || storage.id === only))
    .filter(
      (storage) => target === undefined || target === node || (storage.shared && isOnNode(storage, target)),
    )
    .map((storage) => {
      const space = spaceOf(call.pve, storage, node);
      return {
        storage: storage.id,
        ...statusOf(call, storage),
        ...(space.total > 0 ? { used_fraction: space.used / space.total } : {}),
        ...(call.flag('format') ? { select_existing: 0, formats: formatsOf(storage) } : {}),
      };
    });
}

function formatsOf(storage: StorageRecord): unknown {
  const supported = ['qcow2', 'raw', 'vmdk', 'subvol'].filter((format) =>
    format === 'subvol' ? isFileStorage(storage) : takesFormat(storage, format),
  );
  return { supported, default: 'raw' };
}

function readStatus(call: Call): unknown {
  const storage = call.pve.db.storages.get(call.text('storage') ?? '');
  if (!storage || !isOnNode(storage, nodeOf(call))) {
    throw PveError.parameter({ storage: 'No such storage.' });
  }
  return statusOf(call, storage);
}
