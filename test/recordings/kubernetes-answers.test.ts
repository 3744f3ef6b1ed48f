import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answers, answersOf, EXCHANGES, recordedAnswers } from '../support/kubernetes-answers/index.js';
import { startContractCluster } from '../support/kubernetes-contract.js';

/** Subject and number → why the lab answers otherwise. */
const KNOWN: Readonly<Record<string, string>> = {
  'reviews 5': 'the roles of the components of Kubernetes are not in the lab; its own have every right',
  'nodes, namespaces, volumes, roles 13': 'a map without entries and no map are one in the lab',
  'reviews 8': 'a user of the lab carries no id of the certificate',
};

/** What a real kube-apiserver answered (test/exhaustive/kubernetes-answers records it), asked of the lab's own API. */
describe('the simulated Kubernetes API answers as the real one did', () => {
  let cluster: Awaited<ReturnType<typeof startContractCluster>>;
  let answers: Answers = {};
  const recorded = recordedAnswers();

  beforeAll(async () => {
    cluster = await startContractCluster('simulated');
    answers = await answersOf(cluster);
  });
  afterAll(() => cluster.close());

  it.each(Object.entries(EXCHANGES))('%s', (subject, exchanges) => {
    const differs = exchanges.flatMap((exchange, index) => {
      const key = `${subject} ${index}`;
      const [is, was] = [answers[subject]?.[index], recorded[subject]?.[index]];
      const same = JSON.stringify(is) === JSON.stringify(was);
      // A difference that is gone leaves the list.
      return same === (KNOWN[key] === undefined) ? [] : [{ key, exchange, is, was }];
    });
    expect(differs).toEqual([]);
  });
});
