/** Virtual machines: their configs and their disks. */
import { setOwn } from '../../../formats/text/mapping.js';
import { type ApiCall, type ApiParams, apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
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
import { type DiskOperations, storagesWritten } from '../disk-operations.js';
import { encodeSegment, type Params } from '../encode.js';
import type { ApiMethod } from '../gen/api.js';
import { parseUpid, type TaskRef } from '../task.js';
import { readStatus, type VmResource } from './cluster.js';

/** Where the disks of a VM are, only the host knows: VMs that are erased count together. */
const ANY_STORAGE = '*';

/** As `qm set` takes them: `scsi0`, `net0`, `cores`, … */
type VmOptionsParams = Params;

interface PendingEntry {
  /** As the machine runs with it; `undefined`: not set yet. */
  readonly value: string | undefined;
  /** What the next start brings. */
  readonly pending: string | undefined;
  /** 1: goes at the next start; 2: the same, by force. */
  readonly delete: 0 | 1 | 2;
}

/** A VM's config, what waits for its next start, and the digest that guards both. */
interface VmPending {
  readonly digest: string;
  readonly entries: Readonly<Record<string, PendingEntry>>;
}

interface VmConfigValues {
  readonly digest: string;
  /** Pending changes merged in, unless the running config was asked for. */
  readonly values: Readonly<Record<string, string>>;
}

interface VmStatus {
  readonly status: VmResource['status'];
  readonly qmpstatus: string | undefined;
  readonly lock: string | undefined;
  readonly haManaged: boolean;
  /** What the HA manager does with it. */
  readonly haState: string | undefined;
  /** Seconds. */
  readonly uptime: number;
  readonly memory: number | undefined;
  readonly cpus: number | undefined;
}

export interface UpdateVm {
  readonly set?: VmOptionsParams;
  readonly delete?: readonly string[];
  /** What is deleted is erased, in place of becoming `unusedN`. */
  readonly force?: boolean;
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

export interface VmCalls {
  vmPending(node: string, vmid: number): Promise<VmPending>;
  vmConfig(
    node: string,
    vmid: number,
    options?: { current?: boolean; snapshot?: string },
  ): Promise<VmConfigValues>;
  vmStatus(node: string, vmid: number): Promise<VmStatus>;
  /** Whether the VMs of a host run, by its own word: the cluster's list is some seconds behind. */
  vmStates(node: string): Promise<Map<number, VmResource['status']>>;
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
}

/** For calls whose answer is the id of a task. */
export function taskCall(call: ApiCall) {
  return async <M extends ApiMethod>(method: M, params: ApiParams<M>): Promise<TaskRef> =>
    parseUpid(asText((await call(method, params)).data, 'task id'));
}

/** A call that is sometimes done without a task. */
export function readTask(data: unknown): TaskRef | undefined {
  return data === null || data === undefined ? undefined : parseUpid(asText(data, 'task id'));
}

export function vmCalls(session: ApiSession, disks: DiskOperations): VmCalls {
  const call = apiCall(session);
  return { ...vmReads(call), ...vmWrites(session, call, disks) };
}

type VmReads = Pick<VmCalls, 'vmPending' | 'vmConfig' | 'vmStatus' | 'vmStates'>;

function vmReads(call: ApiCall): VmReads {
  return {
    async vmPending(node, vmid) {
      const { data } = await call('GET /nodes/{node}/qemu/{vmid}/pending', { node, vmid });
      return readPendingList(data);
    },
    async vmConfig(node, vmid, options = {}) {
      const { data } = await call('GET /nodes/{node}/qemu/{vmid}/config', { node, vmid, ...options });
      const { digest = '', ...values } = textValues(asRecord(data, 'VM config'));
      return { digest, values };
    },
    async vmStatus(node, vmid) {
      const { data } = await call('GET /nodes/{node}/qemu/{vmid}/status/current', { node, vmid });
      const record = asRecord(data, 'VM status');
      const ha = asRecord(record.ha ?? {}, 'ha');
      return {
        status: readStatus(optionalText(record, 'status')),
        qmpstatus: optionalText(record, 'qmpstatus'),
        lock: optionalText(record, 'lock'),
        haManaged: flag(ha, 'managed'),
        haState: optionalText(ha, 'state'),
        uptime: optionalNumber(record, 'uptime') ?? 0,
        memory: optionalNumber(record, 'maxmem'),
        cpus: optionalNumber(record, 'cpus'),
      };
    },
    async vmStates(node) {
      const { data } = await call('GET /nodes/{node}/qemu', { node });
      return new Map(
        asList(data, 'VMs', (record) => [number(record, 'vmid'), readStatus(optionalText(record, 'status'))]),
      );
    },
  };
}

function vmWrites(session: ApiSession, call: ApiCall, disks: DiskOperations): Omit<VmCalls, keyof VmReads> {
  const task = taskCall(call);
  // The keys of a VM are too many and too varied for types: drives and network cards are numbered.
  const configPath = (node: string, vmid: number) =>
    `/nodes/${encodeSegment(node)}/qemu/${encodeSegment(String(vmid))}/config`;
  const changeParams = (change: UpdateVm): Params => ({
    ...change.set,
    delete: change.delete && change.delete.length > 0 ? change.delete.join(',') : undefined,
    force: change.force === true ? 1 : undefined,
    digest: change.digest,
  });

  return {
    createVm: (node, vmid, params) =>
      disks.start(node, storagesWritten(params), async () => {
        const path = `/nodes/${encodeSegment(node)}/qemu`;
        return parseUpid(asText((await session.request('POST', path, { vmid, ...params })).data, 'task id'));
      }),
    async updateVm(node, vmid, change) {
      await disks.run(node, storagesWritten(change.set ?? {}), () =>
        session.request('PUT', configPath(node, vmid), changeParams(change)),
      );
    },
    updateVmTask: (node, vmid, change) =>
      disks.start(node, storagesWritten(change.set ?? {}), async () =>
        readTask((await session.request('POST', configPath(node, vmid), changeParams(change))).data),
      ),
    resizeDisk: (node, vmid, disk, size, digest) =>
      task('PUT /nodes/{node}/qemu/{vmid}/resize', { node, vmid, disk, size: String(size), digest }),
    moveDisk: (node, vmid, move) =>
      disks.start(node, move.storage === undefined ? [] : [move.storage], () =>
        task('POST /nodes/{node}/qemu/{vmid}/move_disk', {
          node,
          vmid,
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
      const idlist = names.join(',');
      await call('PUT /nodes/{node}/qemu/{vmid}/unlink', { node, vmid, idlist, force: options.force });
    },
    destroyVm: (node, vmid, options = {}) =>
      disks.start(node, [ANY_STORAGE], () =>
        task('DELETE /nodes/{node}/qemu/{vmid}', {
          node,
          vmid,
          purge: options.purge,
          'destroy-unreferenced-disks': options.destroyUnreferencedDisks,
        }),
      ),
  };
}

/** Of VMs and of containers. */
export function readPendingList(data: unknown): VmPending {
  const entries: Record<string, PendingEntry> = {};
  let digest = '';
  for (const record of asList(data, 'pending', (item) => item)) {
    const key = text(record, 'key');
    if (key === 'digest') digest = text(record, 'value');
    else setOwn(entries, key, readPending(record));
  }
  return { digest, entries };
}

function readPending(record: Readonly<Record<string, unknown>>): PendingEntry {
  const kind = record.delete === undefined ? 0 : number(record, 'delete');
  return {
    value: optionalText(record, 'value'),
    pending: optionalText(record, 'pending'),
    delete: kind === 2 ? 2 : kind === 1 ? 1 : 0,
  };
}
