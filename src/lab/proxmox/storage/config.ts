/** Storages made, changed and removed (pve-storage, PVE/API2/Storage/Config.pm); recording `storage-config`. */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import type { StorageRecord } from '../db.js';
import { withClusterLock } from '../quorum.js';
import { assertDigest, changeSection, checkSection, type Settings, withoutEmpty } from '../section-config.js';
import { splitList } from '../validation/formats.js';
import { activate, checkPath, onAdd, takeKeys } from './add-checks.js';
import { storageDigest } from './describe.js';
import { isUsable, requireStorage } from './storages.js';
import { isStorageType, type StorageType, type StorageTypeFacts, secretsOf, storageFacts } from './types.js';

export const storageConfigHandlers: Handlers = {
  'POST /storage': createStorage,
  'PUT /storage/{storage}': updateStorage,
  'DELETE /storage/{storage}': deleteStorage,
};

/** Bytes of a storage that was added: nothing is measured. */
const ADDED_ROOM = 4_000 * 1024 ** 3;

function createStorage(call: Call): Promise<unknown> {
  const { storage: _storage, type: _type, ...sent } = call.params;
  const given = Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => name !== 'nodes' || value !== ''),
  );
  const id = call.text('storage') ?? '';
  const type = call.text('type') ?? '';
  if (!isStorageType(type)) throw new PveError(500, `unknown section type '${type}'`);
  const facts = storageFacts(type);
  const [plain, secrets] = splitSecrets(type, given);
  const settings = checkPath(type, checkSettings(facts, plain, true));
  if (facts.mounted) settings.path ??= `/mnt/pve/${id}`;
  return withClusterLock(call.pve, 'storage_cfg', 'create storage failed', () => {
    const { storages } = call.pve.db;
    if (storages.has(id)) throw new PveError(500, `storage ID '${id}' already defined`);
    const config = onAdd(call.pve, type, settings, secrets);
    const record = recordOf({ id, type, total: ADDED_ROOM }, settings, facts);
    // Contents that came out empty are `none` only once they are read again.
    const content = settings.content === '' ? [] : record.content;
    if (isUsable(record, call.host)) activate({ ...record, content });
    forgetOthers(call.pve, record);
    storages.put(id, record);
    return { storage: id, type, ...(config && { config }) };
  });
}

function splitSecrets(type: StorageType, given: Call['params']): [Settings, Settings] {
  const secret = new Set(secretsOf(type));
  const entries = Object.entries(given);
  return [
    Object.fromEntries(entries.filter(([name]) => !secret.has(name))),
    Object.fromEntries(entries.filter(([name]) => secret.has(name))),
  ];
}

/** Contents that the type lacks fall away. */
function checkSettings(facts: StorageTypeFacts, given: Call['params'], create: boolean): Settings {
  const settings = checkSection(facts.options, given, create);
  if (settings.content !== undefined) settings.content = checkContents(facts, String(settings.content));
  return settings;
}

function checkContents(facts: StorageTypeFacts, text: string): string {
  const known = splitList(text).filter((content) => facts.contents.includes(content));
  const contents = [...new Set(known)];
  if (contents.length > 1 && contents.includes('none')) {
    throw new PveError(500, "unable to combine 'none' with other content types");
  }
  if (contents.length === 0 && !facts.contents.includes('none')) {
    throw new PveError(500, "storage does not support content type 'none'");
  }
  return contents.join(',');
}

/** What is written when nothing is left of the contents; the type's own where none were ever given. */
function contentsOf(given: string | number | undefined, facts: StorageTypeFacts): string[] {
  if (given === undefined) return [...facts.defaultContents];
  return given === '' ? ['none'] : splitList(String(given));
}

function recordOf(
  base: Pick<StorageRecord, 'id' | 'type' | 'total'>,
  settings: Settings,
  facts: StorageTypeFacts,
): StorageRecord {
  const { content, nodes, shared, disable, path, ...rest } = settings;
  const place = rest.pool ?? rest.vgname;
  const kept = Object.entries(withoutEmpty(rest));
  // `local` is on every host, whatever is written.
  const hosts = base.id === 'local' ? [] : splitList(String(nodes ?? ''));
  return {
    ...base,
    content: contentsOf(content, facts),
    nodes: hosts,
    shared: facts.shared || shared === 1,
    ...(disable === 1 ? { disable: true } : {}),
    ...(path === undefined ? {} : { path: String(path) }),
    ...(place === undefined ? {} : { pool: String(place) }),
    ...(rest.sparse === undefined ? {} : { sparse: rest.sparse === 1 }),
    options: { ...Object.fromEntries(kept), ...(shared === 0 && !facts.shared ? { shared } : {}) },
  };
}

/** As it would be given to `POST /storage`. */
function settingsOf(storage: StorageRecord, facts: StorageTypeFacts): Settings {
  // Not of the file: where a `local` that is not in it stands.
  const { priority: _place, ...options } = storage.options ?? {};
  return {
    ...options,
    content: storage.content.join(','),
    ...(storage.path === undefined ? {} : { path: storage.path }),
    ...(storage.pool !== undefined && facts.options.has('pool') ? { pool: storage.pool } : {}),
    ...(storage.pool !== undefined && facts.options.has('vgname') ? { vgname: storage.pool } : {}),
    ...(storage.sparse === undefined ? {} : { sparse: storage.sparse ? 1 : 0 }),
    ...(storage.nodes.length === 0 ? {} : { nodes: storage.nodes.join(',') }),
    ...(storage.shared ? { shared: 1 } : {}),
    ...(storage.disable ? { disable: 1 } : {}),
  };
}

function updateStorage(call: Call): Promise<unknown> {
  const { storage: _storage, delete: remove, digest, ...given } = call.params;
  return withClusterLock(call.pve, 'storage_cfg', 'update storage failed', () => {
    assertDigest(digest, storageDigest(call.pve));
    const storage = requireStorage(call.pve, call.text('storage') ?? '');
    const facts = storageFacts(storage.type);
    const [plain, secrets] = splitSecrets(storage.type, given);
    const changes = checkSettings(facts, plain, false);
    const config = storage.type === 'pbs' ? takeKeys(changes, secrets) : undefined;
    const settings = changeSection(
      facts.options,
      settingsOf(storage, facts),
      changes,
      splitList(String(remove ?? '')),
    );
    const { id, type, total } = storage;
    const record = recordOf({ id, type, total }, settings, facts);
    call.pve.db.storages.put(id, record);
    return { storage: id, type, ...(config && { config }) };
  });
}

/** The configuration goes; what lies on the storage stays where it is, out of sight. */
function deleteStorage(call: Call): Promise<unknown> {
  return withClusterLock(call.pve, 'storage_cfg', 'delete storage failed', () => {
    const { db } = call.pve;
    const storage = requireStorage(call.pve, call.text('storage') ?? '');
    const bases = [...db.storages.values()].map((other) => String(other.options?.base ?? ''));
    if (bases.some((base) => base.startsWith(`${storage.id}:`))) {
      throw new PveError(500, "can't remove storage - storage is used as base of another storage");
    }
    db.settings.put(placeKey(storage.id), placeOf(storage));
    db.storages.delete(storage.id);
    forgetRights(call.pve, storage.id);
    if (storage.id === 'local') db.storages.put('local', { ...LOCAL, total: storage.total });
    return null;
  });
}

/** Without an entry of its own `local` is this. */
const LOCAL = {
  id: 'local',
  type: 'dir',
  path: '/var/lib/vz',
  content: ['backup', 'images', 'iso', 'rootdir', 'snippets', 'vztmpl'],
  shared: false,
  nodes: [],
  options: { 'prune-backups': 'keep-all=1', priority: 0 },
} satisfies Omit<StorageRecord, 'total'>;

/** Rights on a storage, and its place in pools, go with it. */
function forgetRights({ db }: Pve, id: string): void {
  const place = `/storage/${id}`;
  for (const [key, acl] of [...db.acls.entries()]) {
    if (acl.path === place || acl.path.startsWith(`${place}/`)) db.acls.delete(key);
  }
  for (const [key, pool] of [...db.pools.entries()]) {
    if (pool.storages.includes(id)) {
      db.pools.put(key, { ...pool, storages: pool.storages.filter((one) => one !== id) });
    }
  }
}

const placeKey = (id: string) => `storage-was/${id}`;
const placeOf = ({ type, path, pool, shared }: StorageRecord) => `${type} ${path ?? pool ?? ''} ${shared}`;

/** Under a name that was used for another place, what lies at the new place is seen: nothing. */
function forgetOthers({ db }: Pve, storage: StorageRecord): void {
  const was = db.settings.get(placeKey(storage.id));
  if (was === undefined || was === placeOf(storage)) return;
  for (const [key, volume] of [...db.volumes.entries()]) {
    if (volume.storage === storage.id) db.volumes.delete(key);
  }
}
