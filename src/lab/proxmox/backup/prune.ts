/** Which backups a retention keeps (pve-storage, PVE/Storage.pm `prune_mark_backup_group`) and their removal. */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import type { VolumeRecord } from '../db.js';
import { nodeOf } from '../http/request.js';
import { activate } from '../storage/add-checks.js';
import { free } from '../storage/allocate.js';
import { requireStorage, requireStorageOnNode } from '../storage/storages.js';
import { parsePropertyString } from '../validation/check.js';
import { volumeId, volumesOn } from '../volumes.js';

const TASK = 'prunebackups';

interface PruneMark {
  readonly volid: string;
  readonly ctime: number;
  readonly type: 'qemu';
  readonly vmid: number;
  readonly mark: 'keep' | 'remove' | 'protected';
}

interface PruneOrder {
  readonly host: string;
  readonly storage: string;
  /** Absent: as the storage says. */
  readonly keep?: string | undefined;
  readonly vmid?: number | undefined;
  /** Of guests; absent: all. */
  readonly type?: string | undefined;
}

export const pruneHandlers: Handlers = {
  'GET /nodes/{node}/storage/{storage}/prunebackups': (call) => pruneMarks(call.pve, orderOf(call)),
  'DELETE /nodes/{node}/storage/{storage}/prunebackups': (call) => {
    const order = orderOf(call);
    const place = `/storage/${order.storage}`;
    if (order.vmid === undefined) call.require(place, ['Datastore.Allocate']);
    else {
      call.require(place, ['Datastore.AllocateSpace']);
      call.require(`/vms/${order.vmid}`, ['VM.Backup']);
    }
    const id = order.vmid === undefined ? order.storage : `${order.vmid}@${order.storage}`;
    return call.pve.tasks.start(call, { node: order.host, type: TASK, id, args: order, duration: 300 });
  },
};

export function definePruneTask(pve: Pve): void {
  pve.tasks.define<PruneOrder>(TASK, (order, task) => {
    const marks = pruneMarks(pve, order);
    for (const mark of marks) task.log(`${mark.mark} ${mark.volid}`);
    removePruned(pve, order.host, marks);
    return undefined;
  });
}

function orderOf(call: Call): PruneOrder {
  return {
    host: nodeOf(call),
    storage: call.text('storage') ?? '',
    keep: call.text('prune-backups'),
    vmid: call.number('vmid'),
    type: call.text('type'),
  };
}

/** Each period keeps the newest backup of its last N times that are not covered by an earlier rule. */
export function pruneMarks(pve: Pick<Pve, 'db'>, order: PruneOrder): PruneMark[] {
  const { host, vmid, type } = order;
  const storage = requireStorage(pve, order.storage);
  if (!storage.content.includes('backup')) {
    throw new PveError(500, `storage '${storage.id}' does not support backups`);
  }
  const keep = order.keep ?? storage.options?.['prune-backups'];
  if (keep === undefined) {
    throw new PveError(500, `no prune-backups options configured for storage '${storage.id}'`);
  }
  activate(requireStorageOnNode(pve, storage.id, host));
  // The lab backs up VMs only.
  if (type !== undefined && type !== 'qemu') return [];
  const backups = volumesOn(pve.db, storage, host, vmid).filter(
    (volume) => volume.content === 'backup' && volume.owner !== undefined,
  );
  const groups = new Map<number, VolumeRecord[]>();
  for (const backup of backups) {
    const owner = backup.owner ?? 0;
    groups.set(owner, [...(groups.get(owner) ?? []), backup]);
  }
  return [...groups.values()].flatMap((group) => markGroup(group, String(keep)));
}

const PERIODS: readonly (readonly [string, (at: Date) => string])[] = [
  ['keep-last', (at) => at.toISOString()],
  ['keep-hourly', (at) => at.toISOString().slice(0, 13)],
  ['keep-daily', (at) => at.toISOString().slice(0, 10)],
  ['keep-weekly', (at) => weekOf(at)],
  ['keep-monthly', (at) => at.toISOString().slice(0, 7)],
  ['keep-yearly', (at) => at.toISOString().slice(0, 4)],
];

function weekOf(at: Date): string {
  const thursday = new Date(at.getTime() + (4 - (at.getUTCDay() || 7)) * 86_400_000);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return `${thursday.getUTCFullYear()}/${Math.floor((thursday.getTime() - first) / (7 * 86_400_000))}`;
}

function markGroup(group: VolumeRecord[], keep: string): PruneMark[] {
  const rules = parsePropertyString('prune-backups', keep, 'prune-backups');
  const newestFirst = [...group].sort((a, b) => b.ctime - a.ctime || (a.path < b.path ? 1 : -1));
  const all = rules['keep-all'] === '1' || Object.values(rules).every((count) => Number(count) === 0);
  const kept = new Set<VolumeRecord>(all ? group : []);
  for (const [rule, period] of PERIODS) {
    const left = Number(rules[rule] ?? 0);
    const at = (volume: VolumeRecord) =>
      rule === 'keep-last' ? volume.path : period(new Date(volume.ctime * 1000));
    const covered = new Set([...kept].map(at));
    const taken = new Set<string>();
    for (const volume of newestFirst) {
      if (taken.size >= left) break;
      if (volume.protected || kept.has(volume) || covered.has(at(volume)) || taken.has(at(volume))) continue;
      taken.add(at(volume));
      kept.add(volume);
    }
  }
  return newestFirst.map((volume) => ({
    volid: volumeId(volume),
    ctime: volume.ctime,
    type: 'qemu',
    vmid: volume.owner ?? 0,
    mark: volume.protected ? 'protected' : kept.has(volume) ? 'keep' : 'remove',
  }));
}

export function removePruned(pve: Pve, host: string, marks: readonly PruneMark[]): string[] {
  const gone = marks.filter(({ mark }) => mark === 'remove').map(({ volid }) => volid);
  for (const volid of gone) free(pve, host, volid);
  return gone;
}
