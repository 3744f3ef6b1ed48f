/** What a thread of a rehearsal runs: it tries the cases that it is told. */
import { parentPort, workerData } from 'node:worker_threads';
import { OxherdError } from '../../../model/error.js';
import { KnownRests, type Learned } from './known-rests.js';
import { ownRunner } from './runners.js';
import type { ThreadAnswer, ThreadOrder, ThreadWork } from './thread-runner.js';

function serve(port: NonNullable<typeof parentPort>, { recording, ...options }: ThreadWork): void {
  // Errors are judged by their words; where they come from costs more than they do.
  Error.stackTraceLimit = 0;
  const stopped = new AbortController();
  const rests = new KnownRests(recording);
  const runner = ownRunner(recording, { ...options, signal: stopped.signal }, rests);
  const answer = async (id: string, learned: readonly Learned[]): Promise<ThreadAnswer> => {
    rests.learn(learned);
    rests.takeLearned();
    try {
      const judgement = await runner.try(id);
      return { judgement, learned: rests.takeLearned() };
    } catch (error) {
      return { failed: OxherdError.from(error).message };
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  port.on('message', (order: ThreadOrder) => {
    if (order === 'stop') stopped.abort();
    else if (order === 'end') void last.then(() => process.exit());
    else last = answer(order.try, order.learned).then((said) => port.postMessage(said));
  });
}

if (parentPort) serve(parentPort, workerData);
