import { describe, expect, it } from 'vitest';
import { answersOf, record, recordedAnswers } from '../support/kubernetes-answers/index.js';
import { realBinaries, startContractCluster } from '../support/kubernetes-contract.js';

/** The recorded answers are still those of a real API server. `OXHERD_RECORD=1` writes them. */
describe.skipIf(!realBinaries())('a real kube-apiserver', () => {
  it('answers as recorded', { timeout: 300_000 }, async () => {
    const cluster = await startContractCluster('real');
    try {
      const answers = await answersOf(cluster);
      if (process.env.OXHERD_RECORD === '1') record(answers);
      expect(answers).toEqual(recordedAnswers());
    } finally {
      await cluster.close();
    }
  });
});
