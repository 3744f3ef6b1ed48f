/** A storage's configuration as it is read back. */
import type { Pve } from '../api.js';
import type { StorageRecord } from '../db.js';
import { digestOfText } from '../section-config.js';
import { splitList } from '../validation/formats.js';
import { storageFacts } from './types.js';

export function storageDigest(pve: Pick<Pve, 'db'>): string {
  return digestOfText([...pve.db.storages.values()]);
}

export function describeStorage(pve: Pick<Pve, 'db'>, storage: StorageRecord): Record<string, unknown> {
  const { options } = storageFacts(storage.type);
  return {
    ...impliedOptions(storage),
    ...storage.options,
    ...contentFolders(storage),
    storage: storage.id,
    type: storage.type,
    content: [...storage.content].sort().join(',') || 'none',
    digest: storageDigest(pve),
    ...(storage.path === undefined ? {} : { path: storage.path }),
    ...(storage.pool !== undefined && options.has('pool') ? { pool: storage.pool } : {}),
    ...(storage.pool !== undefined && options.has('vgname') ? { vgname: storage.pool } : {}),
    ...(storage.sparse === undefined ? {} : { sparse: storage.sparse ? 1 : 0 }),
    ...(storage.nodes.length === 0 ? {} : { nodes: [...storage.nodes].sort().join(',') }),
    ...(storage.shared ? { shared: 1 } : {}),
    ...(storage.disable ? { disable: 1 } : {}),
  };
}

/** Folders of single contents are read back by content. */
function contentFolders({ options }: StorageRecord): Record<string, unknown> {
  const folders = options?.['content-dirs'];
  if (folders === undefined) return {};
  const pairs = splitList(String(folders)).map((pair) => {
    const mark = pair.indexOf('=');
    return [pair.slice(0, mark), pair.slice(mark + 1)];
  });
  return { 'content-dirs': Object.fromEntries(pairs) };
}

/** A lab's own storages say what their type cannot be without. */
function impliedOptions({ id, type, options }: StorageRecord): Record<string, string> {
  if (options !== undefined) return {};
  if (type === 'nfs') return { server: '10.99.0.250', export: `/export/${id}` };
  if (type === 'cifs') return { server: '10.99.0.250', share: id };
  if (type === 'lvm') return { vgname: id };
  if (type === 'lvmthin') return { vgname: 'pve', thinpool: 'data' };
  if (type === 'rbd') return { monhost: '10.99.0.251', username: 'admin' };
  return {};
}
