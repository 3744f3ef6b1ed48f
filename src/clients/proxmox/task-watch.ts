/**
 * When to ask how the tasks are that a run waits for, and for how many at once: several on one host are one list, and a
 * task of a kind that ended before is first asked about when it should have ended.
 */
import { apiCall } from './api-call.js';
import type { ApiSession } from './api-session.js';
import { asList, optionalText, text } from './decode.js';
import { ProxmoxError } from './errors.js';
import type { TaskRef, TaskStatus } from './task.js';

interface WatchedTask {
  /** Until it is time to ask, or until an answer about others has told that it ended. */
  pause(signal?: AbortSignal): Promise<void>;
  /** `status` asks about this task alone. */
  ask(status: () => Promise<TaskStatus>): Promise<TaskStatus>;
  /** No one waits for it any more. */
  end(): void;
}

const FIRST_POLL_MS = 25;
const LAST_POLL_MS = 1_000;
const POLL_GROWTH = 1.5;
/** Of the expected time: how soon a task that is late is asked about again. */
const LATE_PART = 0.08;
/** How long a list waits for others that are due at nearly the same time. */
const GATHER_MS = 10;
/** How much of what was expected of a kind the latest task of it changes. */
const LEARNING = 0.3;
/** A task that was there at the first look may have ended a little before. */
const EARLIER = 0.95;
/** The list of a host that has crashed keeps its tasks for a while; a task itself knows better. */
const TRUST_LIST_MS = 10_000;
const LIST_LIMIT = 500;
const RUNNING = 'RUNNING';

/** What a host's list says of each task, by its UPID. */
type TaskList = ReadonlyMap<string, string>;

interface Waiting {
  readonly task: TaskRef;
  readonly wake: AbortController;
  /** A list that was read for another one says that it ended well. */
  endedWell: boolean;
}

export class TaskWatch {
  readonly #session: ApiSession;
  readonly #waiting = new Set<Waiting>();
  /** Lists that are about to be asked for. */
  readonly #lists = new Map<string, Promise<TaskList | undefined>>();
  /** How long a task of a kind took, in milliseconds. */
  readonly #expected = new Map<string, number>();

  constructor(session: ApiSession) {
    this.#session = session;
  }

  add(task: TaskRef): WatchedTask {
    const { clock } = this.#session;
    const waiting: Waiting = { task, wake: new AbortController(), endedWell: false };
    this.#waiting.add(waiting);
    const started = clock.elapsed();
    const expected = this.#expected.get(task.type);
    let pause = expected === undefined ? FIRST_POLL_MS : clamp(expected);
    let late = expected === undefined ? FIRST_POLL_MS * POLL_GROWTH : clamp(expected * LATE_PART);
    let seenRunning = 0;
    let askedItself = started;
    return {
      pause: async (signal) => {
        await this.#sleep(pause, waiting, signal);
        pause = late;
        late = clamp(late * POLL_GROWTH);
      },
      ask: async (status) => {
        const listed =
          clock.elapsed() - askedItself < TRUST_LIST_MS ? await this.#listed(waiting) : undefined;
        if (listed === undefined) askedItself = clock.elapsed();
        const answer = listed ?? (await status());
        const age = clock.elapsed() - started;
        if (answer.running) seenRunning = age;
        else this.#learn(task.type, seenRunning === 0 ? age * EARLIER : (seenRunning + age) / 2);
        return answer;
      },
      end: () => void this.#waiting.delete(waiting),
    };
  }

  #learn(type: string, took: number): void {
    const before = this.#expected.get(type) ?? took;
    this.#expected.set(type, before + (took - before) * LEARNING);
  }

  async #sleep(ms: number, { wake }: Waiting, signal: AbortSignal | undefined): Promise<void> {
    if (wake.signal.aborted) return;
    const either = signal ? AbortSignal.any([signal, wake.signal]) : wake.signal;
    try {
      await this.#session.clock.sleep(ms, either);
    } catch (error) {
      if (!wake.signal.aborted || signal?.aborted) throw error;
    }
  }

  /** From the host's list; `undefined` where it has to be asked about by itself: alone, not listed, or not ended well. */
  async #listed(waiting: Waiting): Promise<TaskStatus | undefined> {
    const { node, upid } = waiting.task;
    if (!waiting.endedWell) {
      const others = [...this.#waiting].some((one) => one !== waiting && one.task.node === node);
      const list = others ? await this.#list(node) : undefined;
      if (list?.get(upid) === RUNNING) return { running: true, exitstatus: undefined };
    }
    return waiting.endedWell ? { running: false, exitstatus: 'OK' } : undefined;
  }

  #list(node: string): Promise<TaskList | undefined> {
    const asked = this.#lists.get(node);
    if (asked) return asked;
    const list = this.#gather(node);
    this.#lists.set(node, list);
    return list;
  }

  async #gather(node: string): Promise<TaskList | undefined> {
    await this.#session.clock.sleep(GATHER_MS);
    // Who comes from now on was not there when the host answered.
    this.#lists.delete(node);
    const here = [...this.#waiting].filter(({ task }) => task.node === node);
    try {
      const list = await this.#read(node, Math.min(...here.map(({ task }) => startOf(task))));
      for (const one of here) {
        if (list.get(one.task.upid) !== 'OK') continue;
        one.endedWell = true;
        one.wake.abort();
      }
      return list;
    } catch (error) {
      // Whatever it is: who asks about a task itself is told.
      if (error instanceof ProxmoxError) return undefined;
      throw error;
    }
  }

  async #read(node: string, since: number): Promise<TaskList> {
    const asked = { node, source: 'all', since, limit: LIST_LIMIT } as const;
    const { data } = await apiCall(this.#session)('GET /nodes/{node}/tasks', asked);
    return new Map(
      asList(data, 'tasks', (record) => [text(record, 'upid'), optionalText(record, 'status') ?? '']),
    );
  }
}

/** By the host's own clock, in seconds. */
function startOf({ upid }: TaskRef): number {
  return Number.parseInt(upid.split(':')[4] ?? '', 16);
}

function clamp(ms: number): number {
  return Math.min(LAST_POLL_MS, Math.max(FIRST_POLL_MS, ms));
}
