/** Cases tried on another thread, which has a copy of the recording. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { OxherdError } from '../../../model/error.js';
import type { TwinOptions } from '../open-twin.js';
import { makeTwinFolder } from '../twin-folder.js';
import type { CaseRunner, Judgement } from './chaos-case.js';
import type { Learned } from './known-rests.js';
import type { Recording } from './record-cases.js';

/** What the thread is given. */
export interface ThreadWork {
  readonly recording: Recording;
  readonly env?: NonNullable<TwinOptions['env']>;
  /** The folder for its twins: a thread that is ended cannot remove them. */
  readonly below: string;
}

/** A case by its id; `stop`: cut off what runs; `end`: nothing more comes. */
export type ThreadOrder = { readonly try: string; readonly learned: readonly Learned[] } | 'stop' | 'end';

export type ThreadAnswer =
  | { readonly judgement: Judgement; readonly learned: readonly Learned[] }
  | { readonly failed: string };

/** As a module, and as a part of the package. */
const PLACES = ['./case-thread.js', './case-thread.cjs'];
/** For a twin that is asked to stop. */
const GRACE_MS = 10_000;
/** A simulation leaves much behind that is short-lived: the default of 16 MB is collected too often. */
const YOUNG_MB = 64;

/** `undefined`: sources that were not built have no file that a thread could start with. */
export function threadFile(): string | undefined {
  return PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(path),
  );
}

export function threadRunner(
  file: string,
  recording: Recording,
  /** Of all threads together. */
  learned: Learned[],
  { env, signal }: Pick<TwinOptions, 'env' | 'signal'>,
): CaseRunner {
  const folder = makeTwinFolder();
  const work: ThreadWork = { recording, ...(env && { env: { ...env } }), below: folder.path };
  const worker = new Worker(file, {
    workerData: work,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const gone = new Promise<never>((_, reject) => {
    worker.once('error', reject);
    worker.once('exit', () =>
      reject(new OxherdError('chaos.thread', 'a thread of this rehearsal has ended')),
    );
  });
  gone.catch(() => {});
  let heard = 0;
  const order = (what: ThreadOrder): void => worker.postMessage(what);
  const stop = (): void => order('stop');
  signal?.addEventListener('abort', stop, { once: true });
  return {
    async try(id) {
      const said = new Promise<ThreadAnswer>((resolve) => worker.once('message', resolve));
      order({ try: id, learned: learned.slice(heard) });
      heard = learned.length;
      const answer = await Promise.race([said, gone]);
      if ('failed' in answer) throw new OxherdError('chaos.thread', answer.failed);
      learned.push(...answer.learned);
      return answer.judgement;
    },
    async close() {
      signal?.removeEventListener('abort', stop);
      order('end');
      const late = setTimeout(() => void worker.terminate(), GRACE_MS);
      await gone.catch(() => {});
      clearTimeout(late);
      await folder.remove();
    },
  };
}
