/** Following, reading and stopping tasks. */

import { apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import { asList, number, optionalText, text } from '../decode.js';
import type { DiskOperations } from '../disk-operations.js';
import { isProxmoxError } from '../errors.js';
import {
  parseUpid,
  readLog,
  type TaskRef,
  type TaskResult,
  type TaskStatus,
  taskStatus,
  type WaitOptions,
  waitTask,
} from '../task.js';
import { TaskWatch } from '../task-watch.js';
import { DEFAULT_RETRY, pauseBefore } from '../transport/retry.js';

interface EndedTask {
  readonly upid: string;
  /** A VM's id, where the task is about one. */
  readonly id: string;
  readonly startedAt: number;
  /** `OK`, `WARNINGS: 1`, or what went wrong. */
  readonly status: string;
}

export interface TaskCalls {
  taskStatus(task: TaskRef): Promise<TaskStatus>;
  /** Those that run on a host now; without Sys.Audit our own ones only. */
  activeTasks(node: string): Promise<TaskRef[]>;
  /** The newest that have ended, of one type; without Sys.Audit our own ones only. */
  endedTasks(node: string, type: string): Promise<EndedTask[]>;
  /** The first `limit` lines from `start` on. */
  taskLog(task: TaskRef, options?: { start?: number; limit?: number }): Promise<string[]>;
  /** Asks the task to end; it may have done part of its work. */
  stopTask(task: TaskRef): Promise<void>;
  /** Until it has ended: throws `proxmox.task-failed` with the end of its log, or `proxmox.task-timeout`. */
  waitTask(task: TaskRef, options?: WaitOptions): Promise<TaskResult>;
  /**
   * Starts a task and waits for it. A task that failed because it did not get its lock did nothing and is started
   * again. `undefined`: it was done without a task.
   */
  runTask(start: () => Promise<TaskRef | undefined>, options?: WaitOptions): Promise<TaskResult | undefined>;
}

export function taskCalls(session: ApiSession, disks: DiskOperations, random: () => number): TaskCalls {
  const watch = new TaskWatch(session);
  const wait = (task: TaskRef, options?: WaitOptions) =>
    disks.follow(task, () => waitTask(session, watch, task, options));
  return {
    taskStatus: (task) => taskStatus(session, task),
    async activeTasks(node) {
      const { data } = await apiCall(session)('GET /nodes/{node}/tasks', {
        node,
        source: 'active',
        limit: 500,
      });
      return asList(data, 'tasks', (record) => parseUpid(text(record, 'upid')));
    },
    async endedTasks(node, type) {
      const asked = { node, source: 'archive', typefilter: type, limit: 50 } as const;
      const { data } = await apiCall(session)('GET /nodes/{node}/tasks', asked);
      return asList(data, 'tasks', (record) => ({
        upid: text(record, 'upid'),
        id: optionalText(record, 'id') ?? '',
        startedAt: number(record, 'starttime') * 1_000,
        status: optionalText(record, 'status') ?? '',
      }));
    },
    async taskLog(task, options = {}) {
      return (await readLog(session, task, options.start ?? 0, options.limit ?? 50)).lines;
    },
    async stopTask(task) {
      const { node, upid } = task;
      await apiCall(session)('DELETE /nodes/{node}/tasks/{upid}', { node, upid });
    },
    waitTask: wait,
    async runTask(start, options) {
      for (let attempt = 1; ; attempt += 1) {
        const task = await start();
        if (!task) return undefined;
        try {
          return await wait(task, options);
        } catch (error) {
          const lost = isProxmoxError(error, 'proxmox.lock-timeout') && error.code === 'proxmox.task-failed';
          if (!lost || attempt >= DEFAULT_RETRY.attempts) throw error;
          await session.clock.sleep(pauseBefore(attempt, DEFAULT_RETRY, random), options?.signal);
        }
      }
    },
  };
}
