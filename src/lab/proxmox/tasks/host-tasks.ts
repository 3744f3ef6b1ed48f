/** The tasks of a host, kept beside their table: they are asked for again and again while some run, and a large lab has had very many. */
import type { Table } from '../../store.js';
import type { PveDb, TaskRecord } from '../db.js';

interface HostTasks {
  /** In the order of the table. */
  readonly tasks: TaskRecord[];
  /** Where each is in `tasks`. */
  readonly places: Map<string, number>;
  readonly running: Map<string, TaskRecord>;
  /** No task began before the one that is in front of it. */
  inOrder: boolean;
}

type Hosts = Map<string, HostTasks>;

const known = new WeakMap<Table<TaskRecord>, Hosts>();

/** Tasks that have not ended, in the order of their start. */
export function runningTasks(db: Pick<PveDb, 'tasks'>, host: string): readonly TaskRecord[] {
  return [...(hostsOf(db).get(host)?.running.values() ?? [])];
}

/** Tasks that have ended and began at this time or later, in the order of their start. */
export function endedTasks(
  db: Pick<PveDb, 'tasks'>,
  host: string,
  since = Number.NEGATIVE_INFINITY,
): readonly TaskRecord[] {
  const of = hostsOf(db).get(host);
  if (!of) return [];
  const first = of.inOrder ? firstSince(of.tasks, since) : 0;
  return of.tasks
    .slice(first)
    .filter(({ starttime, exitstatus }) => starttime >= since && exitstatus !== undefined);
}

function hostsOf({ tasks }: Pick<PveDb, 'tasks'>): Hosts {
  const built = known.get(tasks);
  if (built) return built;
  const hosts: Hosts = new Map();
  const build = () => {
    hosts.clear();
    for (const task of tasks.values()) keep(hosts, task);
  };
  build();
  tasks.watch((_upid, task) => (task ? keep(hosts, task) : build()));
  known.set(tasks, hosts);
  return hosts;
}

function keep(hosts: Hosts, task: TaskRecord): void {
  let of = hosts.get(task.node);
  if (!of) {
    of = { tasks: [], places: new Map(), running: new Map(), inOrder: true };
    hosts.set(task.node, of);
  }
  const place = of.places.get(task.upid) ?? of.tasks.length;
  if (place > 0 && (of.tasks[place - 1]?.starttime ?? 0) > task.starttime) of.inOrder = false;
  of.places.set(task.upid, place);
  of.tasks[place] = task;
  if (task.exitstatus === undefined) of.running.set(task.upid, task);
  else of.running.delete(task.upid);
}

function firstSince(tasks: readonly TaskRecord[], since: number): number {
  let low = 0;
  let high = tasks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tasks[middle]?.starttime ?? 0) < since) low = middle + 1;
    else high = middle;
  }
  return low;
}
