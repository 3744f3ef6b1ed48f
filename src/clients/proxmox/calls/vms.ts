/** Virtual machines: config, disks, power, snapshots. */
import {
  asList,
  asRecord,
  asText,
  flag,
  number,
  optionalNumber,
  optionalText,
  text,
  textValues,
} from '../decode.js';
import type { DiskOperations } from '../disk-operations.js';
import { storagesWritten } from '../disk-operations.js';
import { apiPath, type Params } from '../encode.js';
import type { Session } from '../session.js';
import { parseUpid, type TaskRef } from '../task.js';
import { readStatus, type VmResource } from './cluster.js';

/** As `qm set` takes them: `scsi0`, `net0`, `cores`, … */
export type VmOptionsParams = Params;

export interface PendingEntry {
  /** As the machine runs with it; `undefined`: not set yet. */
  readonly value: string | undefined;
  /** What the next start brings. */
  readonly pending: string | undefined;
  /** 1: goes at the next start; 2: the same, by force. */
  readonly delete: 0 | 1 | 2;
}

/** A VM's config, what waits for its next start, and the digest that guards both. */
export interface VmPending {
  readonly digest: string;
  readonly entries: Readonly<Record<string, PendingEntry>>;
}

export interface VmConfig {
  readonly digest: string;
  /** Pending changes merged in, unless the running config was asked for. */
  readonly values: Readonly<Record<string, string>>;
}

export interface VmStatus {
  readonly status: VmResource['status'];
  readonly qmpstatus: string | undefined;
  readonly lock: string | undefined;
  readonly haManaged: boolean;
  /** Seconds. */
  readonly uptime: number;
  readonly memory: number | undefined;
  readonly cpus: number | undefined;
}

export interface SnapshotEntry {
  readonly name: string;
  readonly parent: string | undefined;
  readonly description: string | undefined;
  readonly time: number | undefined;
  readonly vmstate: boolean;
}

export interface UpdateVm {
  readonly set?: VmOptionsParams;
  readonly delete?: readonly string[];
  /** Refused with `proxmox.digest` when the config is no longer the one that was read. */
  readonly digest?: string;
}

export interface MoveDisk {
  readonly disk: string;
  /** Copies to another storage… */
  readonly storage?: string;
  readonly format?: string;
  /** …and deletes the source; otherwise it stays as `unusedN`. */
  readonly delete?: boolean;
  /** Or: gives the disk to another VM. */
  readonly targetVmid?: number;
  readonly targetDisk?: string;
  readonly digest?: string;
  readonly targetDigest?: string;
}

export interface DestroyVm {
  /** Also from HA, replication and backup jobs. */
  readonly purge?: boolean;
  readonly destroyUnreferencedDisks?: boolean;
}

export interface CloneVm {
  readonly newid: number;
  readonly name?: string;
  readonly full?: boolean;
  readonly storage?: string;
  readonly target?: string;
  readonly pool?: string;
}

export interface MigrateVm {
  readonly target: string;
  readonly online?: boolean;
  readonly withLocalDisks?: boolean;
  readonly targetStorage?: string;
}

export interface VmCalls {
  vmPending(node: string, vmid: number): Promise<VmPending>;
  vmConfig(node: string, vmid: number, options?: { current?: boolean }): Promise<VmConfig>;
  vmStatus(node: string, vmid: number): Promise<VmStatus>;
  createVm(node: string, vmid: number, params: VmOptionsParams): Promise<TaskRef>;
  /** Done when it returns. A hot-plug that fails is `proxmox.parameter`, and the change stays pending. */
  updateVm(node: string, vmid: number, change: UpdateVm): Promise<void>;
  /** The same as a task, for changes that make or import disks. `undefined`: done already. */
  updateVmTask(node: string, vmid: number, change: UpdateVm): Promise<TaskRef | undefined>;
  /** `size` in bytes in all, or `+N` with a unit. Growing only. */
  resizeDisk(
    node: string,
    vmid: number,
    disk: string,
    size: number | string,
    digest?: string,
  ): Promise<TaskRef>;
  moveDisk(node: string, vmid: number, move: MoveDisk): Promise<TaskRef>;
  /** Without `force` an own volume becomes `unusedN`; with it, it is erased. */
  unlinkDisks(
    node: string,
    vmid: number,
    disks: readonly string[],
    options?: { force?: boolean },
  ): Promise<void>;
  destroyVm(node: string, vmid: number, options?: DestroyVm): Promise<TaskRef>;
  startVm(node: string, vmid: number, options?: { timeoutSeconds?: number }): Promise<TaskRef>;
  stopVm(
    node: string,
    vmid: number,
    options?: { timeoutSeconds?: number; overruleShutdown?: boolean },
  ): Promise<TaskRef>;
  shutdownVm(
    node: string,
    vmid: number,
    options?: { timeoutSeconds?: number; forceStop?: boolean },
  ): Promise<TaskRef>;
  /** The task ends when the guest is down; another one starts it again with its pending changes. */
  rebootVm(node: string, vmid: number, options?: { timeoutSeconds?: number }): Promise<TaskRef>;
  resetVm(node: string, vmid: number): Promise<TaskRef>;
  cloneVm(node: string, vmid: number, clone: CloneVm): Promise<TaskRef>;
  makeTemplate(node: string, vmid: number): Promise<TaskRef | undefined>;
  migrateVm(node: string, vmid: number, move: MigrateVm): Promise<TaskRef>;
  snapshots(node: string, vmid: number): Promise<SnapshotEntry[]>;
  createSnapshot(
    node: string,
    vmid: number,
    name: string,
    options?: { description?: string; vmstate?: boolean },
  ): Promise<TaskRef>;
  deleteSnapshot(node: string, vmid: number, name: string): Promise<TaskRef>;
  rollbackSnapshot(node: string, vmid: number, name: string, options?: { start?: boolean }): Promise<TaskRef>;
}

export function vmCalls(session: Session, disks: DiskOperations): VmCalls {
  const get = async (path: string, params: Params = {}) => (await session.request('GET', path, params)).data;
  const task = async (method: 'POST' | 'PUT' | 'DELETE', path: string, params: Params = {}) =>
    parseUpid(asText((await session.request(method, path, params)).data, 'task id'));
  const maybeTask = async (path: string, params: Params = {}) => {
    const { data } = await session.request('POST', path, params);
    return data === null || data === undefined ? undefined : parseUpid(asText(data, 'task id'));
  };
  const power =
    (action: string) =>
    (node: string, vmid: number, params: Params = {}) =>
      task('POST', apiPath`/nodes/${node}/qemu/${vmid}/status/${action}`, params);
  const changeParams = (change: UpdateVm): Params => ({
    ...change.set,
    delete: change.delete && change.delete.length > 0 ? change.delete.join(',') : undefined,
    digest: change.digest,
  });

  return {
    async vmPending(node, vmid) {
      const entries: Record<string, PendingEntry> = {};
      let digest = '';
      for (const [key, entry] of asList(
        await get(apiPath`/nodes/${node}/qemu/${vmid}/pending`),
        'pending',
        (record): [string, PendingEntry] => [text(record, 'key'), readPending(record)],
      )) {
        if (key === 'digest') digest = entry.value ?? '';
        else entries[key] = entry;
      }
      return { digest, entries };
    },
    async vmConfig(node, vmid, options = {}) {
      const data = await get(apiPath`/nodes/${node}/qemu/${vmid}/config`, { current: options.current });
      const { digest = '', ...values } = textValues(asRecord(data, 'VM config'));
      return { digest, values };
    },
    async vmStatus(node, vmid) {
      const record = asRecord(await get(apiPath`/nodes/${node}/qemu/${vmid}/status/current`), 'VM status');
      return {
        status: readStatus(optionalText(record, 'status')),
        qmpstatus: optionalText(record, 'qmpstatus'),
        lock: optionalText(record, 'lock'),
        haManaged: record.ha !== undefined && flag(asRecord(record.ha, 'ha'), 'managed'),
        uptime: optionalNumber(record, 'uptime') ?? 0,
        memory: optionalNumber(record, 'maxmem'),
        cpus: optionalNumber(record, 'cpus'),
      };
    },
    createVm: (node, vmid, params) =>
      disks.start(node, storagesWritten(params), () =>
        task('POST', apiPath`/nodes/${node}/qemu`, { vmid, ...params }),
      ),
    async updateVm(node, vmid, change) {
      await disks.run(node, storagesWritten(change.set ?? {}), () =>
        session.request('PUT', apiPath`/nodes/${node}/qemu/${vmid}/config`, changeParams(change)),
      );
    },
    updateVmTask: (node, vmid, change) =>
      disks.start(node, storagesWritten(change.set ?? {}), () =>
        maybeTask(apiPath`/nodes/${node}/qemu/${vmid}/config`, changeParams(change)),
      ),
    resizeDisk: (node, vmid, disk, size, digest) =>
      task('PUT', apiPath`/nodes/${node}/qemu/${vmid}/resize`, { disk, size, digest }),
    moveDisk: (node, vmid, move) =>
      disks.start(node, move.storage === undefined ? [] : [move.storage], () =>
        task('POST', apiPath`/nodes/${node}/qemu/${vmid}/move_disk`, {
          disk: move.disk,
          storage: move.storage,
          format: move.format,
          delete: move.delete,
          'target-vmid': move.targetVmid,
          'target-disk': move.targetDisk,
          digest: move.digest,
          'target-digest': move.targetDigest,
        }),
      ),
    async unlinkDisks(node, vmid, names, options = {}) {
      await session.request('PUT', apiPath`/nodes/${node}/qemu/${vmid}/unlink`, {
        idlist: names.join(','),
        force: options.force,
      });
    },
    destroyVm: (node, vmid, options = {}) =>
      task('DELETE', apiPath`/nodes/${node}/qemu/${vmid}`, {
        purge: options.purge,
        'destroy-unreferenced-disks': options.destroyUnreferencedDisks,
      }),
    startVm: (node, vmid, options = {}) => power('start')(node, vmid, { timeout: options.timeoutSeconds }),
    stopVm: (node, vmid, options = {}) =>
      power('stop')(node, vmid, {
        timeout: options.timeoutSeconds,
        'overrule-shutdown': options.overruleShutdown,
      }),
    shutdownVm: (node, vmid, options = {}) =>
      power('shutdown')(node, vmid, { timeout: options.timeoutSeconds, forceStop: options.forceStop }),
    rebootVm: (node, vmid, options = {}) => power('reboot')(node, vmid, { timeout: options.timeoutSeconds }),
    resetVm: (node, vmid) => power('reset')(node, vmid),
    cloneVm: (node, vmid, clone) =>
      disks.start(node, clone.storage === undefined ? [] : [clone.storage], () =>
        task('POST', apiPath`/nodes/${node}/qemu/${vmid}/clone`, { ...clone }),
      ),
    makeTemplate: (node, vmid) => maybeTask(apiPath`/nodes/${node}/qemu/${vmid}/template`),
    migrateVm: (node, vmid, move) =>
      task('POST', apiPath`/nodes/${node}/qemu/${vmid}/migrate`, {
        target: move.target,
        online: move.online,
        'with-local-disks': move.withLocalDisks,
        targetstorage: move.targetStorage,
      }),
    async snapshots(node, vmid) {
      const list = asList(
        await get(apiPath`/nodes/${node}/qemu/${vmid}/snapshot`),
        'snapshots',
        (record) => ({
          name: text(record, 'name'),
          parent: optionalText(record, 'parent'),
          description: optionalText(record, 'description'),
          time: optionalNumber(record, 'snaptime'),
          vmstate: flag(record, 'vmstate'),
        }),
      );
      // `current` is where the VM stands now, not a snapshot.
      return list.filter((entry) => entry.name !== 'current');
    },
    createSnapshot: (node, vmid, snapname, options = {}) =>
      task('POST', apiPath`/nodes/${node}/qemu/${vmid}/snapshot`, { snapname, ...options }),
    deleteSnapshot: (node, vmid, name) =>
      task('DELETE', apiPath`/nodes/${node}/qemu/${vmid}/snapshot/${name}`),
    rollbackSnapshot: (node, vmid, name, options = {}) =>
      task('POST', apiPath`/nodes/${node}/qemu/${vmid}/snapshot/${name}/rollback`, { ...options }),
  };
}

function readPending(record: Readonly<Record<string, unknown>>): PendingEntry {
  const kind = record.delete === undefined ? 0 : number(record, 'delete');
  return {
    value: optionalText(record, 'value'),
    pending: optionalText(record, 'pending'),
    delete: kind === 2 ? 2 : kind === 1 ? 1 : 0,
  };
}
