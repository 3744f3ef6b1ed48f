/** Who tries cases of one recording: this thread, or as many as there are processors. */
import { OxherdError } from '../../../model/error.js';
import type { TwinOptions } from '../open-twin.js';
import type { CaseRunner } from './chaos-case.js';
import { KnownRests, type Learned } from './known-rests.js';
import type { Recording } from './record-cases.js';
import { tryCase } from './try-case.js';

export async function openRunners(
  recording: Recording,
  { threads, ...options }: TwinOptions & { readonly threads: number },
): Promise<readonly CaseRunner[]> {
  if (threads < 2) return [ownRunner(recording, options)];
  const { threadFile, threadRunner } = await import('./thread-runner.js');
  const file = threadFile();
  if (file === undefined) return [ownRunner(recording, options)];
  // What one thread has learned, the others need not find out.
  const learned: Learned[] = [];
  return Array.from({ length: threads }, () => threadRunner(file, recording, learned, options));
}

export function ownRunner(
  recording: Recording,
  options: TwinOptions,
  rests = new KnownRests(recording),
): CaseRunner {
  const cases = new Map(recording.cases.map((one) => [one.id, one]));
  return {
    async try(id) {
      const found = cases.get(id);
      if (!found) throw new OxherdError('chaos.no-case', `this plan has no case ${id}`);
      return tryCase(recording, found, rests, options);
    },
    close: async () => {},
  };
}
