/** `/storage` and `/nodes/{node}/storage` (recording storage-read). */
import { type Call, type Handlers, PveError } from '../api.js';
import type { StorageRecord } from '../db.js';
import { nodeOf } from '../http/request.js';
import { splitList } from '../validation/formats.js';
import { isActive } from './add-checks.js';
import { describeStorage } from './describe.js';
import { isOnNode, isUsable, requireStorage, requireStorageOnNode, type Space, spaceOf } from './storages.js';
import { storageFacts } from './types.js';

const MAY_SEE = ['Datastore.Audit', 'Datastore.AllocateSpace'];

export const storageStatusHandlers: Handlers = {
  'GET /storage': (call) =>
    visible(call)
      .filter((storage) => call.text('type') === undefined || storage.type === call.text('type'))
      .map((storage) => describeStorage(call.pve, storage)),
  'GET /storage/{storage}': (call) =>
    describeStorage(call.pve, requireStorage(call.pve, call.text('storage') ?? '')),
  'GET /nodes/{node}/storage': listStatus,
  'GET /nodes/{node}/storage/{storage}': () => SUBDIRS.map((subdir) => ({ subdir })),
  'GET /nodes/{node}/storage/{storage}/status': readStatus,
  'GET /nodes/{node}/storage/{storage}/identity': (call) => {
    requireStorageOnNode(call.pve, call.text('storage') ?? '', nodeOf(call));
    // Only a Backup Server has one, and the lab has none.
    throw new PveError(
      500,
      'get_identity not implemented for this plugin at /usr/share/perl5/PVE/Storage/Plugin.pm line 2681.',
    );
  },
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

function statusOf(call: Call, storage: StorageRecord): Space & Record<string, unknown> {
  const usable = isUsable(storage, nodeOf(call));
  const active = usable && isActive(storage);
  return {
    ...(active ? spaceOf(call.pve, storage, nodeOf(call)) : { total: 0, used: 0, avail: 0 }),
    type: storage.type,
    content: [...storage.content].sort().join(','),
    active: active ? 1 : 0,
    enabled: usable ? 1 : 0,
    shared: storage.shared ? 1 : 0,
  };
}

function listStatus(call: Call): unknown {
  const node = nodeOf(call);
  const only = call.text('storage');
  const contents = call.text('content') === undefined ? undefined : splitList(call.text('content') ?? '');
  const target = call.text('target');
  const fits = (storage: StorageRecord) =>
    !(call.flag('enabled') && storage.disable) &&
    (contents === undefined ||
      (isUsable(storage, node) && contents.some((content) => storage.content.includes(content))));
  if (only !== undefined && ![...call.pve.db.storages.values()].some((s) => s.id === only && fits(s))) {
    throw PveError.parameter({ storage: 'No such storage.' });
  }
  return visible(call)
    .filter((storage) => fits(storage) && (only === undefined || storage.id === only))
    .filter(
      (storage) => target === undefined || target === node || (storage.shared && isOnNode(storage, target)),
    )
    .map((storage) => {
      const status = statusOf(call, storage);
      return {
        storage: storage.id,
        ...status,
        ...(status.total > 0 ? { used_fraction: status.used / status.total } : {}),
        ...(call.flag('format') && isUsable(storage, node) ? formatsOf(storage) : {}),
      };
    });
}

/** The formats twice: a tuple for older clients, and named. */
function formatsOf({ type, options }: StorageRecord): Record<string, unknown> {
  const facts = storageFacts(type);
  const chained = type === 'lvm' && options?.['snapshot-as-volume-chain'] === 1;
  const supported = chained ? ['qcow2', 'raw'] : facts.formats;
  const first = chained ? 'qcow2' : (options?.format ?? 'raw');
  return {
    formats: { supported, default: first },
    format: [Object.fromEntries(supported.map((format) => [format, 1])), first],
    ...(facts.existing ? { select_existing: 1 } : {}),
  };
}

function readStatus(call: Call): unknown {
  const storage = call.pve.db.storages.get(call.text('storage') ?? '');
  if (!storage) throw PveError.parameter({ storage: 'No such storage.' });
  return statusOf(call, storage);
}
