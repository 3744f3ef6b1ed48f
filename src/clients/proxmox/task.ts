/** Work that goes on after the answer: Proxmox names it by a UPID, and we ask how it goes. */

import { apiCall } from './api-call.js';
import type { ApiSession } from './api-session.js';
import { codeOfText } from './classify.js';
import { asRecord, optionalText, text } from './decode.js';
import { isProxmoxError, ProxmoxError } from './errors.js';
import type { TaskWatch } from './task-watch.js';

export interface TaskRef {
  readonly upid: string;
  /** Host on which it runs. */
  readonly node: string;
  /** `qmcreate`, `qmstart`, `download`, … */
  readonly type: string;
  /** The VM or file it is about. */
  readonly id: string;
}

export interface TaskResult {
  readonly task: TaskRef;
  /** `OK`, or `WARNINGS: n` */
  readonly exitstatus: string;
  /** The log lines that warn; empty for most. */
  readonly warnings: readonly string[];
}

export interface TaskStatus {
  readonly running: boolean;
  /** Absent while it runs. */
  readonly exitstatus: string | undefined;
}

export interface WaitOptions {
  /** By the client's clock. */
  readonly timeoutMs?: number;
  /** Stops the waiting, not the task. */
  readonly signal?: AbortSignal;
  /** Every line of the task's log, as it comes; costs a second request for each poll. */
  readonly onLog?: (line: string) => void;
}

const UPID =
  /^UPID:([A-Za-z0-9][\w.-]*):[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:[0-9A-Fa-f]{8}:([^:\s]+):([^:\s]*):([^:\s]+):$/;

export function parseUpid(upid: string): TaskRef {
  const match = UPID.exec(upid);
  if (!match) {
    throw new ProxmoxError(
      'proxmox.answer',
      `Proxmox should have named a task, but answered: ${upid.slice(0, 80)}`,
    );
  }
  return { upid, node: match[1] ?? '', type: match[2] ?? '', id: match[3] ?? '' };
}

const DEFAULT_TIMEOUT_MS = 30 * 60_000;
/** A task may be unknown for a moment after it was started (400 `no such task`). */
const UNKNOWN_GRACE_MS = 5_000;
const LOG_TAIL_LINES = 10;

export async function taskStatus(session: ApiSession, task: TaskRef): Promise<TaskStatus> {
  const { node, upid } = task;
  const { data } = await apiCall(session)('GET /nodes/{node}/tasks/{upid}/status', { node, upid });
  const record = asRecord(data, 'task status');
  return { running: text(record, 'status') === 'running', exitstatus: optionalText(record, 'exitstatus') };
}

export async function waitTask(
  session: ApiSession,
  watch: TaskWatch,
  task: TaskRef,
  options: WaitOptions = {},
): Promise<TaskResult> {
  const { clock } = session;
  const started = clock.elapsed();
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  let shown = 0;
  const showLog = async () => {
    if (!options.onLog) return;
    const lines = await logFrom(session, task, shown);
    for (const line of lines) options.onLog(line);
    shown += lines.length;
  };

  const watched = watch.add(task);
  try {
    for (;;) {
      await watched.pause(options.signal);
      const status = await watched.ask(() => statusOrNotYet(session, task, clock.elapsed() - started));
      await showLog();
      if (!status.running) return await finished(session, task, status.exitstatus ?? 'unknown');
      if (clock.elapsed() - started >= timeoutMs) throw timedOut(task, timeoutMs);
    }
  } finally {
    watched.end();
  }
}

function timedOut(task: TaskRef, timeoutMs: number): ProxmoxError {
  return new ProxmoxError(
    'proxmox.task-timeout',
    `${describeTask(task)} has not ended within ${Math.round(timeoutMs / 1000)} s`,
    {
      where: task.upid,
      mayHaveHappened: true,
      advice: `It is still running: see its log in the Proxmox web interface, stop it there if it hangs, then run again.`,
    },
  );
}

async function statusOrNotYet(session: ApiSession, task: TaskRef, age: number): Promise<TaskStatus> {
  try {
    return await taskStatus(session, task);
  } catch (error) {
    if (isProxmoxError(error, 'proxmox.parameter') && age < UNKNOWN_GRACE_MS) {
      return { running: true, exitstatus: undefined };
    }
    throw error;
  }
}

async function finished(session: ApiSession, task: TaskRef, exitstatus: string): Promise<TaskResult> {
  if (exitstatus === 'OK') return { task, exitstatus, warnings: [] };
  const tail = await logTail(session, task);
  if (exitstatus.startsWith('WARNINGS')) {
    return { task, exitstatus, warnings: tail.filter((line) => /^WARN/.test(line)) };
  }
  throw new ProxmoxError('proxmox.task-failed', `${describeTask(task)} failed: ${exitstatus}`, {
    where: task.upid,
    task: { upid: task.upid, reason: codeOfText(exitstatus), logTail: tail },
    ...(tail.length > 0 ? { advice: `Last lines of its log:\n${tail.map((l) => `  ${l}`).join('\n')}` } : {}),
  });
}

/** The tail is a help, not the matter: a log that cannot be read hides no failure. */
async function logTail(session: ApiSession, task: TaskRef): Promise<string[]> {
  try {
    const { total = 0 } = await readLog(session, task, 0, 1);
    const { lines } = await readLog(session, task, Math.max(0, total - LOG_TAIL_LINES), LOG_TAIL_LINES);
    return lines;
  } catch (error) {
    if (error instanceof ProxmoxError) return [];
    throw error;
  }
}

async function logFrom(session: ApiSession, task: TaskRef, start: number): Promise<string[]> {
  const { lines } = await readLog(session, task, start, 500);
  return lines;
}

export async function readLog(
  session: ApiSession,
  task: TaskRef,
  start: number,
  limit: number,
): Promise<{ lines: string[]; total: number | undefined }> {
  const { node, upid } = task;
  const { data, total } = await apiCall(session)('GET /nodes/{node}/tasks/{upid}/log', {
    node,
    upid,
    start,
    limit,
  });
  const items = Array.isArray(data) ? data.map((item) => asRecord(item, 'task log')) : [];
  // The log of a task that has written nothing is one line that says so.
  const lines = items.map((item) => optionalText(item, 't') ?? '').filter((line) => line !== 'no content');
  return { lines, total };
}

function describeTask(task: TaskRef): string {
  return `task ${task.type}${task.id ? ` of ${task.id}` : ''} on ${task.node}`;
}
