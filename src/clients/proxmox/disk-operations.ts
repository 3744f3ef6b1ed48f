/** Counts the disks that are being made or copied on each storage: a storage that is written to by all at once crawls. */

import type { ApiSession } from './api-session.js';
import type { Params } from './encode.js';
import { type TaskRef, taskStatus } from './task.js';
import { KeyedLimit } from './transport/limits.js';

const DRIVE_KEY = /^(?:scsi|virtio|sata|ide|efidisk|tpmstate)\d+$/;
/** `store:20`, `store:0,import-from=…`: a new volume; `store:vm-100-disk-0` names one that is there. */
const NEW_VOLUME = /^(?:(?:file|volume)=)?([A-Za-z][\w.-]*):\d+(?:\.\d+)?(?:,|$)/;

/** Storages on which these parameters make volumes. */
export function storagesWritten(params: Params): string[] {
  return Object.entries(params).flatMap(([key, value]) => {
    const storage =
      DRIVE_KEY.test(key) && typeof value === 'string' ? NEW_VOLUME.exec(value)?.[1] : undefined;
    return storage === undefined ? [] : [storage];
  });
}

/** How often someone who waits looks whether a task that no one follows has ended. */
const LOOK_MS = 1_000;

export class DiskOperations {
  readonly #limit: KeyedLimit;
  readonly #session: ApiSession;
  readonly #held = new Map<string, { task: TaskRef; release: () => void; followed: boolean }>();
  #waiting = 0;
  #looking = false;

  constructor(session: ApiSession, perStorage: number) {
    this.#session = session;
    this.#limit = new KeyedLimit(perStorage);
  }

  /** For work that is over when its answer is there. */
  async run<T>(node: string, storages: readonly string[], work: () => Promise<T>): Promise<T> {
    if (storages.length === 0) return work();
    const release = await this.#acquire(node, storages);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** For work that goes on as a task: the place is kept until the task has been seen to end. */
  async start<T extends TaskRef | undefined>(
    node: string,
    storages: readonly string[],
    begin: () => Promise<T>,
  ): Promise<T> {
    if (storages.length === 0) return begin();
    const release = await this.#acquire(node, storages);
    try {
      const task = await begin();
      if (task) this.#held.set(task.upid, { task, release, followed: false });
      else release();
      return task;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Follows a task; its place is free when the following ends, however it ends. */
  async follow<T>(task: TaskRef, work: () => Promise<T>): Promise<T> {
    const held = this.#held.get(task.upid);
    if (held) held.followed = true;
    try {
      return await work();
    } finally {
      this.#free(task.upid);
    }
  }

  async #acquire(node: string, storages: readonly string[]): Promise<() => void> {
    const acquired = this.#limit.acquireAll(storages.map((storage) => `${node}/${storage}`));
    this.#waiting += 1;
    void this.#look();
    try {
      return await acquired;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** A caller may start a task and never follow it; those who wait for its place would wait for ever. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    // Most get their place at once: this turn of the loop is theirs.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting > 0) {
      await this.#session.clock.sleep(LOOK_MS);
      for (const { task, followed } of [...this.#held.values()]) {
        if (!followed && (await this.#hasEnded(task))) this.#free(task.upid);
      }
    }
    this.#looking = false;
  }

  async #hasEnded(task: TaskRef): Promise<boolean> {
    try {
      return !(await taskStatus(this.#session, task)).running;
    } catch {
      // A task that cannot be asked about must not hold up the others.
      return true;
    }
  }

  #free(upid: string): void {
    this.#held.get(upid)?.release();
    this.#held.delete(upid);
  }
}
