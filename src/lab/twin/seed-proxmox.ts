/** The Proxmox of a twin: hosts, storages, VMs with their configs verbatim, volumes, accounts. */

import { openPveDb, type PveDb, type VmRecord } from '../proxmox/db.js';
import { parseVolumeName, splitVolumeId } from '../proxmox/storage/volume-name.js';
import { putVolume } from '../proxmox/volumes.js';
import { storedRandom } from '../random.js';
import type { Store } from '../store.js';
import { buildWorld } from '../world.js';
import { seedHa } from './seed-ha.js';
import type { TwinAccess, TwinState, TwinVm, TwinVolume } from './twin-state.js';

const SEED = 'oxherd-twin';
/** What QEMU's process had as its number does not matter, but there is one. */
const FIRST_PID = 1_000;

export function seedProxmox(store: Store, state: TwinState): PveDb {
  const db = openPveDb(store);
  buildWorld(db, state.world, storedRandom(store, SEED));
  db.settings.put('booted', state.at);
  for (const volume of state.volumes) seedVolume(db, volume, state.at);
  for (const vm of state.vms) db.vms.put(String(vm.vmid), recordOf(vm, state.at));
  seedAccess(db, state.access);
  if (state.ha) seedHa(db, state.ha);
  for (const [id, job] of Object.entries(state.backupJobs)) db.backupJobs.put(id, { ...job, id });
  return db;
}

function recordOf({ vmid, host, values, pending, snapshots, running }: TwinVm, at: number): VmRecord {
  const set = Object.entries(pending).flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  const gone = Object.entries(pending).flatMap(([key, value]) => (value === null ? [key] : []));
  return {
    vmid,
    host,
    config: { ...values },
    pending: { set: Object.fromEntries(set), delete: gone },
    ...(running && { running: { config: { ...values }, since: at, pid: FIRST_PID + vmid } }),
    snapshots: Object.fromEntries(
      Object.entries(snapshots).map(([name, config]) => [
        name,
        { name, time: Math.floor(at / 1_000), vmstate: config.vmstate !== undefined, config: { ...config } },
      ]),
    ),
    template: values.template === '1',
  };
}

function seedVolume(db: PveDb, { host, volid, size, used = size, image }: TwinVolume, at: number): void {
  const split = splitVolumeId(volid);
  const storage = split && db.storages.get(split.storage);
  if (!split || !storage) return;
  const { place, type, owner, format } = parseVolumeName(storage, split.name);
  putVolume(db, storage, {
    host,
    storage: storage.id,
    path: place,
    content: type,
    format,
    size,
    used,
    ...(owner !== undefined && { owner }),
    ctime: Math.floor(at / 1_000),
    data: image ? { system: { kind: 'talos', arch: 'amd64', ...image } } : {},
    snapshots: {},
  });
}

function seedAccess(db: PveDb, { roles, users, tokens, acl, pools }: TwinAccess): void {
  for (const [id, privs] of Object.entries(roles)) db.roles.put(id, { id, privs: [...privs] });
  for (const id of users)
    if (!db.users.has(id)) db.users.put(id, { id, enable: true, expire: 0, groups: [] });
  for (const [full, { privilegeSeparation }] of Object.entries(tokens)) {
    const [user = '', id = ''] = full.split('!');
    // No one has its secret: the twin's own parts know a token by its name.
    db.tokens.put(full, { user, id, secret: '', privsep: privilegeSeparation, expire: 0 });
  }
  for (const { path, role, subject, propagate } of acl) {
    const type = subject.includes('!') ? 'token' : subject.includes('@') ? 'user' : 'group';
    db.acls.put(`${path} ${type} ${subject} ${role}`, { path, type, ugid: subject, roleid: role, propagate });
  }
  for (const [id, { vms, comment }] of Object.entries(pools))
    db.pools.put(id, { id, ...(comment !== '' && { comment }), vms: [...vms], storages: [] });
}
