/** The tasks of the cluster: UPIDs, logs and the work itself, carried out on the lab's timeline. */
import type { LabCore } from '../../lab.js';
import { type Principal, PveError, type TaskAgain, type TaskContext, type Tasks } from '../api.js';
import type { PveDb, TaskRecord } from '../db.js';
import { taskErrorText } from './task-error.js';

interface Kind {
  readonly work: (args: unknown, task: TaskContext) => TaskAgain | undefined;
  readonly undo?: (args: unknown) => string | undefined;
}

type Fault = 'task-fails' | 'task-warns';

interface TaskEvent {
  readonly upid: string;
  readonly fault?: Fault;
  /** It has waited for the VM's lock file once. */
  readonly triedLock?: boolean;
}

const LOCK_WAIT = 10_000;
/** Kinds of tasks that take a VM's lock file. */
const LOCKING = new Set([
  'qmstart',
  'qmstop',
  'qmshutdown',
  'qmreboot',
  'qmsnapshot',
  'qmdelsnapshot',
  'qmrollback',
  'qmdestroy',
  'qmmove',
  'qmtemplate',
  'resize',
]);

const EVENT = 'pve/task';

/** A factor on what the kind of task says, or the same lab milliseconds for all. */
export type TaskDurations = number | { readonly all: number };

export class TaskEngine implements Tasks {
  readonly #kinds = new Map<string, Kind>();

  constructor(
    private readonly core: LabCore,
    private readonly db: PveDb,
    private readonly durations: TaskDurations,
  ) {
    core.timeline.on<TaskEvent>(EVENT, (event) => this.#run(event));
  }

  define<T>(
    type: string,
    work: (args: T, task: TaskContext) => TaskAgain | undefined,
    undo?: (args: T) => string | undefined,
  ): void {
    if (this.#kinds.has(type)) throw new Error(`tasks of type ${type} have their work already`);
    // The arguments come back as they were given to `start`, through the store.
    this.#kinds.set(type, {
      work: (args, task) => work(args as T, task),
      ...(undo && { undo: (args: unknown) => undo(args as T) }),
    });
  }

  start<T>(
    call: { who: Principal } | { user: string },
    task: { node: string; type: string; id: string; args: T; duration: number },
  ): string {
    const { core, db } = this;
    if (!this.#kinds.has(task.type)) throw new Error(`no work defined for tasks of type ${task.type}`);
    const [user = '', tokenid] = ('who' in call ? call.who.id : call.user).split('!');
    const record = this.#record(task, user, tokenid);
    const subjects = [task.node, task.id, task.type, `${task.type}:${task.id}`];
    if (core.faults.strikes('task-hangs', ...subjects)) {
      db.tasks.put(record.upid, record);
      return record.upid;
    }
    const faults: Fault[] = ['task-fails', 'task-warns'];
    const fault = faults.find((name) => core.faults.strikes(name, ...subjects));
    db.tasks.put(record.upid, record);
    this.#schedule(task.duration, { upid: record.upid, ...(fault && { fault }) });
    return record.upid;
  }

  /** What a task waits for, such as a guest, takes its own time where all work takes the same. */
  #schedule(duration: number, event: TaskEvent, durations = this.durations): void {
    const milliseconds = typeof durations === 'number' ? Math.ceil(duration * durations) : durations.all;
    const id = this.core.timeline.after(milliseconds, EVENT, event);
    this.db.tasks.update(event.upid, (record) => ({ ...record, event: id }));
  }

  stop(upid: string): void {
    const record = this.db.tasks.get(upid);
    if (!record || record.exitstatus !== undefined) return;
    if (record.event !== undefined) this.core.timeline.cancel(record.event);
    const status = this.#kinds.get(record.type)?.undo?.(record.args);
    this.#end(record, status ?? 'received interrupt');
  }

  #record(
    task: { node: string; type: string; id: string; args: unknown },
    user: string,
    tokenid?: string,
  ): TaskRecord {
    const now = this.core.clock.now();
    const counter = Number(this.db.settings.get('last-pid') ?? 1_000) + 1;
    this.db.settings.put('last-pid', counter);
    const pstart = Math.floor(now / 10) % 0xffff_ffff;
    const starttime = Math.floor(now / 1000);
    const hex = (number: number) => number.toString(16).toUpperCase().padStart(8, '0');
    const owner = tokenid === undefined ? user : `${user}!${tokenid}`;
    // Proxmox keeps colons, slashes and blanks out of ids, as they separate the UPID's parts.
    const id = task.id.replace(/[:/\s]/g, (character) => encodeURIComponent(character));
    return {
      upid: `UPID:${task.node}:${hex(counter)}:${hex(pstart)}:${hex(starttime)}:${task.type}:${id}:${owner}:`,
      node: task.node,
      pid: counter,
      pstart,
      starttime,
      type: task.type,
      id,
      user,
      ...(tokenid === undefined ? {} : { tokenid }),
      log: [],
      args: task.args,
    };
  }

  #run(event: TaskEvent): void {
    const record = this.db.tasks.get(event.upid);
    const kind = record && this.#kinds.get(record.type);
    if (!record || !kind || record.exitstatus !== undefined) return;
    if (this.core.faults.holds('host-down', record.node)) {
      // Its process went with the host.
      kind.undo?.(record.args);
      this.#end(record, 'unexpected status');
      return;
    }
    if (event.fault === 'task-fails') {
      kind.undo?.(record.args);
      this.#end(record, "lab fault 'task-fails'");
      return;
    }
    const log = [...record.log];
    let warnings = record.warnings ?? 0;
    const write = (line: string) => void log.push(...line.split('\n'));
    const warn = (line: string) => {
      warnings += 1;
      write(`WARN: ${line}`);
    };
    try {
      const waiting = this.#waitsForLock(record, event, write);
      const next = waiting ? undefined : kind.work(record.args, { upid: record.upid, log: write, warn });
      if (waiting) {
        this.db.tasks.put(record.upid, { ...record, log, warnings });
        this.#schedule(LOCK_WAIT, { ...event, triedLock: true });
        return;
      }
      if (next) {
        const args = next.args ?? record.args;
        this.db.tasks.put(record.upid, { ...record, args, log, warnings });
        this.#schedule(next.again, event, typeof this.durations === 'number' ? this.durations : 1);
        return;
      }
      if (event.fault === 'task-warns') warn("lab fault 'task-warns'");
      this.#end({ ...record, log }, warnings > 0 ? `WARNINGS: ${warnings}` : 'OK');
    } catch (error) {
      this.#end({ ...record, log }, taskErrorText(error));
    }
  }

  /** A migration holds the VM's lock file while it runs: others try for ten seconds and give up. */
  #waitsForLock(record: TaskRecord, event: TaskEvent, log: (line: string) => void): boolean {
    if (!LOCKING.has(record.type)) return false;
    const holder = this.db.vms.get(record.id)?.lockHolder;
    if (holder === undefined || holder === record.upid) return false;
    if (event.triedLock) {
      throw new PveError(500, `can't lock file '/var/lock/qemu-server/lock-${record.id}.conf' - got timeout`);
    }
    log('trying to acquire lock...');
    return true;
  }

  #end(record: TaskRecord, exitstatus: string): void {
    const { args: _args, event: _event, warnings: _warnings, ...kept } = record;
    this.db.tasks.put(record.upid, {
      ...kept,
      exitstatus,
      endtime: Math.floor(this.core.clock.now() / 1000),
      log: [...record.log, lastLine(exitstatus)],
    });
  }
}

function lastLine(exitstatus: string): string {
  if (exitstatus === 'OK') return 'TASK OK';
  return exitstatus.startsWith('WARNINGS: ') ? `TASK ${exitstatus}` : `TASK ERROR: ${exitstatus}`;
}
