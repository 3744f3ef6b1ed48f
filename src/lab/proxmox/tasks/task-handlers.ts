/** Task lists, status and logs (pve-manager, PVE/API2/Tasks.pm); recording `tasks`. */
import { type Call, type Handlers, PveError } from '../api.js';
import type { TaskRecord } from '../db.js';
import { TextFile } from '../http/answer.js';
import { nodeOf } from '../http/request.js';
import { splitList } from '../validation/formats.js';
import { endedTasks, runningTasks } from './host-tasks.js';

const UPID =
  /^UPID:([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?):([0-9A-Fa-f]{8}):([0-9A-Fa-f]{8,9}):([0-9A-Fa-f]{8}):([^:\s/]+):([^:\s/]*):([^:\s/]+):$/;

export const taskHandlers: Handlers = {
  'GET /nodes/{node}/tasks': listTasks,
  'GET /nodes/{node}/tasks/{upid}': () => [{ name: 'log' }, { name: 'status' }],
  'DELETE /nodes/{node}/tasks/{upid}': (call) => {
    const task = requireTask(call);
    requireOwner(call, ownerOf(task), 'Sys.Modify');
    call.pve.tasks.stop(task.upid);
    return null;
  },
  'GET /nodes/{node}/tasks/{upid}/status': (call) => {
    const task = requireTask(call);
    requireOwner(call, ownerOf(task), 'Sys.Audit');
    const { exitstatus } = task;
    const ended = exitstatus === undefined ? { status: 'running' } : { status: 'stopped', exitstatus };
    return { ...describe(task), ...ended };
  },
  'GET /nodes/{node}/tasks/{upid}/log': readLog,
  'GET /cluster/tasks': (call) => {
    const all = call.allows('/', ['Sys.Audit']);
    const recent = [...call.pve.db.tasks.values()].reverse().slice(0, RECENT);
    return recent
      .filter((task) => all || task.user === call.who.id)
      .map(({ exitstatus, endtime, ...task }) => ({
        ...describe(task),
        saved: exitstatus === undefined ? '0' : '1',
        ...(exitstatus === undefined ? {} : { endtime, status: exitstatus }),
      }));
  },
};

/** The cluster keeps so many tasks of each node in mind. */
const RECENT = 25;

function ownerOf(task: Pick<TaskRecord, 'user' | 'tokenid'>): string[] {
  return task.tokenid === undefined ? [task.user] : [task.user, `${task.user}!${task.tokenid}`];
}

function parseUpid(upid: string): { user: string; tokenid?: string } {
  const [user = '', tokenid] = (UPID.exec(upid)?.[8] ?? '').split('!');
  if (user === '') throw PveError.parameter({ upid: 'unable to parse worker upid' });
  return { user, ...(tokenid === undefined ? {} : { tokenid }) };
}

function requireTask(call: Call): TaskRecord {
  const upid = call.text('upid') ?? '';
  parseUpid(upid);
  const task = call.pve.db.tasks.get(upid);
  if (!task || task.node !== nodeOf(call)) throw PveError.parameter({ upid: 'no such task' });
  return task;
}

/** A token sees its own tasks, a user his and his tokens'. */
function requireOwner(call: Call, owners: readonly string[], privilege: string): void {
  if (!owners.includes(call.who.id)) call.require(`/nodes/${nodeOf(call)}`, [privilege]);
}

function describe(task: TaskRecord): Record<string, unknown> {
  const { upid, node, pid, pstart, starttime, type, id, user, tokenid } = task;
  return {
    upid,
    node,
    pid,
    pstart,
    starttime,
    type,
    id,
    user,
    ...(tokenid === undefined ? {} : { tokenid }),
  };
}

/** The list of active tasks keeps the token inside the user (recording migrate-abort). */
function describeActive(task: TaskRecord): Record<string, unknown> {
  const { tokenid, ...shown } = describe(task);
  return tokenid === undefined ? shown : { ...shown, user: `${task.user}!${tokenid}` };
}

function readLog(call: Call): unknown {
  const upid = call.text('upid') ?? '';
  requireOwner(call, ownerOf(parseUpid(upid)), 'Sys.Audit');
  const task = call.pve.db.tasks.get(upid);
  const lines = task?.log ?? ['unable to open file - No such file or directory'];
  if (lines.length === 0) {
    call.total(1);
    return [{ n: 1, t: 'no content' }];
  }
  if (call.flag('download')) {
    if (call.number('start') !== undefined || call.number('limit') !== undefined) {
      throw new PveError(500, "'download' cannot be used together with 'start' or 'limit' parameters");
    }
    return new TextFile(lines.map((line) => `${line}\n`).join(''));
  }
  call.total(lines.length);
  const start = call.number('start') ?? 0;
  const limit = call.number('limit') ?? 50;
  // A limit of 0 is all of it.
  const end = limit === 0 ? lines.length : start + limit;
  return lines.slice(start, end).map((t, index) => ({ n: start + index + 1, t }));
}

type Outcome = 'ok' | 'warning' | 'error' | 'unknown';

function outcome(exitstatus: string | undefined): Outcome {
  if (exitstatus === undefined || exitstatus === 'unexpected status') return 'unknown';
  if (exitstatus === 'OK') return 'ok';
  return /^WARNINGS: \d+$/.test(exitstatus) ? 'warning' : 'error';
}

function listTasks(call: Call): unknown {
  const source = call.text('source') ?? 'archive';
  const wanted = taskFilter(call);
  const { db } = call.pve;
  const node = nodeOf(call);
  const ended = source === 'active' ? [] : endedTasks(db, node, call.number('since'));
  const running = source === 'archive' ? [] : runningTasks(db, node);
  const found = [...ended, ...running].filter(wanted).reverse();
  if (found.length > 0) call.total(found.length);
  const start = call.number('start') ?? 0;
  return found.slice(start, start + (call.number('limit') ?? 50)).map((task) => ({
    ...(task.exitstatus === undefined ? describeActive(task) : describe(task)),
    ...(task.endtime === undefined ? {} : { endtime: task.endtime }),
    status: task.exitstatus ?? 'RUNNING',
  }));
}

function taskFilter(call: Call): (task: TaskRecord) => boolean {
  const user = call.text('userfilter')?.toLowerCase();
  const type = call.text('typefilter');
  const vmid = call.text('vmid');
  const since = call.number('since');
  const until = call.number('until');
  const statuses = call.flag('errors')
    ? ['warning', 'error', 'unknown']
    : splitList(call.text('statusfilter') ?? 'ok,warning,error,unknown').map((word) => word.toLowerCase());
  const auditor = call.allows(`/nodes/${nodeOf(call)}`, ['Sys.Audit']);
  return (task) =>
    (auditor || ownerOf(task).includes(call.who.id)) &&
    (user === undefined || task.user.toLowerCase().includes(user)) &&
    (type === undefined || task.type === type) &&
    (vmid === undefined || task.id === vmid) &&
    (since === undefined || task.starttime >= since) &&
    (until === undefined || task.starttime <= until) &&
    statuses.includes(outcome(task.exitstatus));
}
