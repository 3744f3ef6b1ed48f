/** Pools and their members (pve-manager, PVE/API2/Pool.pm); recording `pools`. */
import { requireGrant } from './access/check-method.js';
import { Rights } from './access/rights.js';
import { type Call, type Handlers, PveError } from './api.js';
import { storageResource, vmResource } from './cluster/resources.js';
import type { PveDb } from './db.js';
import { containerResource } from './lxc/handlers.js';
import { withClusterLock } from './quorum.js';
import { splitList } from './validation/formats.js';

type Pool = NonNullable<ReturnType<PveDb['pools']['get']>>;

export const poolHandlers: Handlers = {
  'GET /pools': (call) => (call.text('poolid') === undefined ? listPools(call) : [readPool(call)]),
  'GET /pools/{poolid}': readPool,
  'POST /pools': createPool,
  'PUT /pools': updatePool,
  'PUT /pools/{poolid}': updatePool,
  'DELETE /pools': deletePool,
  'DELETE /pools/{poolid}': deletePool,
};

/** A line of the file leaves out what Perl takes for nothing. */
const fileText = (comment: string | undefined) => (comment && comment !== '0' ? { comment } : {});

const poolId = (call: Call) => call.text('poolid') ?? '';

function requirePool(call: Call): Pool {
  const pool = call.pve.db.pools.get(poolId(call));
  if (!pool) throw new PveError(500, `pool '${poolId(call)}' does not exist`);
  return pool;
}

function listPools(call: Call): unknown {
  return [...call.pve.db.pools.values()]
    .filter((pool) => call.allows(`/pool/${pool.id}`, ['Pool.Audit']))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, comment }) => ({ poolid: id, ...fileText(comment) }));
}

function readPool(call: Call): unknown {
  const { db } = call.pve;
  const pool = requirePool(call);
  const type = call.text('type');
  const vms = pool.vms.flatMap((vmid) => {
    const vm = db.vms.get(String(vmid));
    if (vm) return type === undefined || type === 'qemu' ? [vmResource(call.pve, vm)] : [];
    const container = db.containers.get(String(vmid));
    return container && (type === undefined || type === 'lxc') ? [containerResource(container)] : [];
  });
  const storages = pool.storages.flatMap((id) => {
    const storage = db.storages.get(id);
    if (!storage || (type !== undefined && type !== 'storage')) return [];
    const node =
      storage.nodes.length === 0 || storage.nodes.includes(call.host) ? call.host : storage.nodes[0];
    return [storageResource(call.pve, storage, node ?? call.host)];
  });
  return {
    members: [...vms, ...storages],
    ...fileText(pool.comment),
    poolid: pool.id,
  };
}

function createPool(call: Call): Promise<null> {
  const { db } = call.pve;
  return withClusterLock(call.pve, 'user_cfg', 'create pool failed', () => {
    const id = poolId(call);
    if (db.pools.has(id)) throw new PveError(500, `pool '${id}' already exists`);
    const [, parent, leaf = id] = /^(.*)\/([^/]+)$/.exec(id) ?? [];
    if (parent !== undefined && !db.pools.has(parent)) {
      throw new PveError(500, `parent '${parent}' of pool '${id}' does not exist`);
    }
    if (!/^[A-Za-z]/.test(leaf)) throw new PveError(500, 'pool name must start with a letter');
    const comment = call.text('comment');
    db.pools.put(id, { id, vms: [], storages: [], ...(comment ? { comment } : {}) });
    return null;
  });
}

function updatePool(call: Call): Promise<null> {
  const { db } = call.pve;
  return withClusterLock(call.pve, 'user_cfg', 'update pools failed', () => {
    const pool = requirePool(call);
    const { comment: before, ...kept } = pool;
    const comment = call.text('comment') ?? before;
    const rights = new Rights(db);
    const changed: Pool = {
      ...kept,
      // An empty one is gone when the file is read again.
      ...(comment ? { comment } : {}),
      vms: [...pool.vms],
      storages: [...pool.storages],
    };
    const moved = changeVms(call, rights, changed);
    changeStorages(call, rights, changed);
    // Written at the end: a change that is refused has changed nothing.
    for (const [vmid, from] of moved) {
      db.pools.update(from, (other) => ({ ...other, vms: other.vms.filter((member) => member !== vmid) }));
    }
    db.pools.put(pool.id, changed);
    return null;
  });
}

/** Gives back which VM leaves which pool. */
function changeVms(call: Call, rights: Rights, pool: Pool): Map<number, string> {
  const moved = new Map<number, string>();
  for (const vmid of splitList(call.text('vms') ?? '').map(Number)) {
    requireGrant(rights, call.who.id, `/vms/${vmid}`);
    const member = pool.vms.includes(vmid);
    if (call.flag('delete')) {
      if (!member) throw new PveError(500, `VM ${vmid} is not a pool member`);
      pool.vms = pool.vms.filter((other) => other !== vmid);
      continue;
    }
    if (member) throw new PveError(500, `VM ${vmid} is already a pool member`);
    const other = [...call.pve.db.pools.values()].find((candidate) => candidate.vms.includes(vmid));
    if (other) {
      if (!call.flag('allow-move')) {
        throw new PveError(
          500,
          `VM ${vmid} belongs already to pool '${other.id}' and 'allow-move' is not set`,
        );
      }
      call.require(`/pool/${other.id}`, ['Pool.Allocate']);
      moved.set(vmid, other.id);
    }
    pool.vms.push(vmid);
  }
  return moved;
}

function changeStorages(call: Call, rights: Rights, pool: Pool): void {
  for (const id of splitList(call.text('storage') ?? '')) {
    requireGrant(rights, call.who.id, `/storage/${id}`);
    const member = pool.storages.includes(id);
    if (call.flag('delete')) {
      if (!member) throw new PveError(500, `Storage '${id}' is not a pool member`);
      pool.storages = pool.storages.filter((other) => other !== id);
    } else {
      if (member) throw new PveError(500, `Storage '${id}' is already a pool member`);
      pool.storages.push(id);
    }
  }
}

function deletePool(call: Call): Promise<null> {
  const { db } = call.pve;
  return withClusterLock(call.pve, 'user_cfg', 'delete pool failed', () => {
    const { id, vms, storages } = requirePool(call);
    const holds = (what: string) => new PveError(500, `pool '${id}' is not empty (contains ${what})`);
    const child = [...db.pools.values()].find((pool) => pool.id.startsWith(`${id}/`));
    if (child) throw holds(`pool '${child.id}'`);
    const vm = vms
      .map(String)
      .sort()
      .find((vmid) => db.vms.has(vmid) || db.containers.has(vmid));
    if (vm !== undefined) throw holds(`VM ${vm}`);
    const storage = [...storages].sort().find((candidate) => db.storages.has(candidate));
    if (storage !== undefined) throw holds(`storage '${storage}'`);
    db.pools.delete(id);
    for (const [key, acl] of [...db.acls.entries()]) if (acl.path === `/pool/${id}`) db.acls.delete(key);
    return null;
  });
}
