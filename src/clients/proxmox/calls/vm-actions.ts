/** What is done with a VM as a whole: power, copies, moves, snapshots. */
import { apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import { asList, flag, optionalNumber, optionalText, text } from '../decode.js';
import type { DiskOperations } from '../disk-operations.js';
import type { TaskRef } from '../task.js';
import { readTask, taskCall } from './vms.js';

interface SnapshotEntry {
  readonly name: string;
  readonly parent: string | undefined;
  readonly description: string | undefined;
  readonly time: number | undefined;
  readonly vmstate: boolean;
}

interface CloneVm {
  readonly newid: number;
  readonly name?: string;
  readonly full?: boolean;
  readonly storage?: string;
  readonly target?: string;
  readonly pool?: string;
}

interface MigrateVm {
  readonly target: string;
  readonly online?: boolean;
  readonly withLocalDisks?: boolean;
  readonly targetStorage?: string;
}

export interface VmActionCalls {
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

export function vmActionCalls(session: ApiSession, disks: DiskOperations): VmActionCalls {
  const call = apiCall(session);
  const task = taskCall(call);
  return {
    startVm: (node, vmid, options = {}) =>
      task('POST /nodes/{node}/qemu/{vmid}/status/start', { node, vmid, timeout: options.timeoutSeconds }),
    stopVm: (node, vmid, options = {}) =>
      task('POST /nodes/{node}/qemu/{vmid}/status/stop', {
        node,
        vmid,
        timeout: options.timeoutSeconds,
        'overrule-shutdown': options.overruleShutdown,
      }),
    shutdownVm: (node, vmid, options = {}) =>
      task('POST /nodes/{node}/qemu/{vmid}/status/shutdown', {
        node,
        vmid,
        timeout: options.timeoutSeconds,
        forceStop: options.forceStop,
      }),
    rebootVm: (node, vmid, options = {}) =>
      task('POST /nodes/{node}/qemu/{vmid}/status/reboot', { node, vmid, timeout: options.timeoutSeconds }),
    resetVm: (node, vmid) => task('POST /nodes/{node}/qemu/{vmid}/status/reset', { node, vmid }),
    cloneVm: (node, vmid, clone) =>
      disks.start(node, clone.storage === undefined ? [] : [clone.storage], () =>
        task('POST /nodes/{node}/qemu/{vmid}/clone', { node, vmid, ...clone }),
      ),
    async makeTemplate(node, vmid) {
      return readTask((await call('POST /nodes/{node}/qemu/{vmid}/template', { node, vmid })).data);
    },
    migrateVm: (node, vmid, move) =>
      task('POST /nodes/{node}/qemu/{vmid}/migrate', {
        node,
        vmid,
        target: move.target,
        online: move.online,
        'with-local-disks': move.withLocalDisks,
        targetstorage: move.targetStorage,
      }),
    async snapshots(node, vmid) {
      const { data } = await call('GET /nodes/{node}/qemu/{vmid}/snapshot', { node, vmid });
      const list = asList(data, 'snapshots', (record) => ({
        name: text(record, 'name'),
        parent: optionalText(record, 'parent'),
        description: optionalText(record, 'description'),
        time: optionalNumber(record, 'snaptime'),
        vmstate: flag(record, 'vmstate'),
      }));
      // `current` is where the VM stands now, not a snapshot.
      return list.filter((entry) => entry.name !== 'current');
    },
    createSnapshot: (node, vmid, snapname, options = {}) =>
      task('POST /nodes/{node}/qemu/{vmid}/snapshot', { node, vmid, snapname, ...options }),
    deleteSnapshot: (node, vmid, snapname) =>
      task('DELETE /nodes/{node}/qemu/{vmid}/snapshot/{snapname}', { node, vmid, snapname }),
    rollbackSnapshot: (node, vmid, snapname, options = {}) =>
      task('POST /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/rollback', {
        node,
        vmid,
        snapname,
        ...options,
      }),
  };
}
