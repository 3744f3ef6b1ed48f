/** Hosts and storages that join or leave a lab while it does not serve. */
import { OxherdError } from '../model/error.js';
import type { PveDb, StorageRecord } from './proxmox/db.js';
import { isStorageType, storageFacts } from './proxmox/storage/types.js';
import { defaultBridge } from './world.js';

const GIB = 1024 ** 3;
const NAME = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/;

function refused(message: string, advice: string): OxherdError {
  return new OxherdError('lab.world', message, { advice });
}

/** With the bridges of the first host, in the hosts' own network. */
export function addHost(db: PveDb, name: string): void {
  if (!NAME.test(name)) throw refused(`${name} is no name of a host`, 'use letters, digits and dashes');
  if (db.hosts.has(name)) throw refused(`the lab has a host ${name} already`, 'choose another name');
  const [first] = db.hosts.values();
  const bridges = (first?.bridges ?? []).map(({ iface }, number) =>
    number === 0 ? defaultBridge(db.hosts.size, iface) : { iface, ports: '' },
  );
  db.hosts.put(name, {
    name,
    cpus: first?.cpus ?? 16,
    memory: first?.memory ?? 128 * GIB,
    bridges: bridges.length > 0 ? bridges : [defaultBridge(db.hosts.size)],
    pci: [...(first?.pci ?? [])],
  });
}

/** As `pvecm delnode`: a host with VMs stays. */
export function removeHost(db: PveDb, name: string): void {
  if (!db.hosts.has(name)) throw refused(`the lab has no host ${name}`, 'see oxherd lab serve for its hosts');
  if (db.hosts.size === 1) throw refused(`${name} is the only host`, 'add another one first');
  const vms = [...db.vms.values()].filter((vm) => vm.host === name).map(({ vmid }) => vmid);
  if (vms.length > 0) {
    throw refused(`VMs are on ${name}: ${vms.join(', ')}`, 'move or destroy them first');
  }
  db.hosts.delete(name);
  for (const [key, volume] of [...db.volumes.entries()]) {
    const shared = db.storages.get(volume.storage)?.shared === true;
    if (volume.host === name && !shared) db.volumes.delete(key);
  }
}

interface NewStorage {
  readonly id: string;
  readonly type: string;
  readonly content?: readonly string[];
  readonly shared?: boolean;
  /** Bytes. */
  readonly total?: number;
}

export function addStorage(db: PveDb, { id, type, content, shared, total }: NewStorage): void {
  if (!/^[a-z][a-z0-9\-_.]*[a-z0-9]$/i.test(id)) {
    throw refused(`${id} is no name of a storage`, 'start with a letter; letters, digits, dashes, dots');
  }
  if (db.storages.has(id)) throw refused(`the lab has a storage ${id} already`, 'choose another name');
  if (!isStorageType(type)) throw refused(`there is no storage type ${type}`, 'such as dir, nfs, zfspool');
  const facts = storageFacts(type);
  const wrong = (content ?? []).find((one) => !facts.contents.includes(one));
  if (wrong !== undefined) {
    throw refused(`a storage of type ${type} takes no ${wrong}`, `it takes ${facts.contents.join(', ')}`);
  }
  const record: StorageRecord = {
    id,
    type,
    content: [...(content ?? facts.defaultContents)],
    shared: facts.shared || shared === true,
    nodes: [],
    total: total ?? 4_000 * GIB,
    ...(facts.files ? { path: facts.mounted ? `/mnt/pve/${id}` : `/var/lib/${id}` } : { pool: id }),
    ...(type === 'zfspool' ? { sparse: true } : {}),
  };
  db.storages.put(id, record);
}
