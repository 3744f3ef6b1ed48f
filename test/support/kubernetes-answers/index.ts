/** Exchanges with the Kubernetes API of which the answers of a real API server are kept. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { ContractCluster } from '../kubernetes-contract.js';
import { DATA_AND_PODS } from './data-and-pods.js';
import { type Kept, kept } from './kept.js';
import { RECORDS } from './records.js';
import type { Exchange } from './requests.js';
import { UNSEEN_KINDS } from './unseen-kinds.js';
import { UNSEEN_PODS } from './unseen-pods.js';
import { VARIED_CHANGES } from './varied-changes.js';
import { VARIED_REQUESTS } from './varied-requests.js';
import { WORKLOADS_AND_MORE } from './workloads.js';

const FILE = new URL('../../recordings/fixtures/kubernetes-answers.json', import.meta.url);

/** By subject; all go to one API, in this order. */
export const EXCHANGES: Readonly<Record<string, readonly Exchange[]>> = {
  ...DATA_AND_PODS,
  ...RECORDS,
  ...WORKLOADS_AND_MORE,
  ...UNSEEN_PODS,
  ...UNSEEN_KINDS,
  ...VARIED_REQUESTS,
  ...VARIED_CHANGES,
};

export type Answers = Readonly<Record<string, readonly Kept[]>>;

/** Sends them all; the answers in the form in which they are kept. */
export async function answersOf(cluster: ContractCluster): Promise<Answers> {
  await cluster.freeze();
  const answers: Record<string, Kept[]> = {};
  for (const [subject, exchanges] of Object.entries(EXCHANGES)) {
    const list: Kept[] = [];
    for (const exchange of exchanges) {
      list.push(kept(await cluster.send(exchange.method, exchange.path, exchange)));
    }
    answers[subject] = list;
  }
  return answers;
}

export function recordedAnswers(): Answers {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Answers;
}

/** One line per answer, so that a change of one is a change of one line. */
export function record(answers: Answers): void {
  const subjects = Object.entries(answers).map(
    ([subject, list]) =>
      `${JSON.stringify(subject)}: [\n${list.map((one) => JSON.stringify(one)).join(',\n')}\n]`,
  );
  writeFileSync(FILE, `{\n${subjects.join(',\n')}\n}\n`);
}
