import type { Table } from '../../store.js';
import type { PveDb, TaskRecord } from '../db.js';

/** Tasks that have not ended, by host and in the order of their start. */
type Running = Map<string, Map<string, TaskRecord>>;

const known = new WeakMap<Table<TaskRecord>, Running>();

/** Asked for again and again while tasks run, and a large lab has had very many: those that ended are not looked at. */
export function runningTasks({ tasks }: Pick<PveDb, 'tasks'>, host: string): Iterable<TaskRecord> {
  let running = known.get(tasks);
  if (!running) {
    running = new Map();
    known.set(tasks, running);
    const kept = running;
    for (const task of tasks.values()) keep(kept, task);
    tasks.watch((upid, task) => {
      if (task) keep(kept, task);
      else for (const ofHost of kept.values()) ofHost.delete(upid);
    });
  }
  return running.get(host)?.values() ?? [];
}

function keep(running: Running, task: TaskRecord): void {
  const ofHost = running.get(task.node);
  if (task.exitstatus !== undefined) ofHost?.delete(task.upid);
  else if (ofHost) ofHost.set(task.upid, task);
  else running.set(task.node, new Map([[task.upid, task]]));
}
