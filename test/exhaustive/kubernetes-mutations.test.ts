/** Objects of every kind with one thing wrong: the lab answers as a real kube-apiserver does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContractCluster, realBinaries, startContractCluster } from '../support/kubernetes-contract.js';
import { compared, createBases, mutatedRequests } from '../support/kubernetes-mutations/requests.js';

const there = realBinaries() !== undefined;
const skipped = there ? '' : ' (skipped: no etcd and kube-apiserver on the PATH)';
const SEED = 1;
const COUNT = 200;

describe.skipIf(!there)(`${COUNT} requests with one thing wrong${skipped}`, () => {
  let clusters: ContractCluster[] = [];

  beforeAll(async () => {
    clusters = [await startContractCluster('real'), await startContractCluster('simulated')];
    // Pods need the account that a controller creates, and no controller shall change them between two answers.
    await Promise.all(clusters.map((cluster) => cluster.freeze()));
    await Promise.all(clusters.map(createBases));
  }, 120_000);
  afterAll(() => Promise.all(clusters.map((cluster) => cluster.close())));

  it('get the same answers from the lab', { timeout: 300_000 }, async () => {
    const different: unknown[] = [];
    for (const { what, method, path, ...asked } of mutatedRequests(SEED, COUNT)) {
      const answers = await Promise.all(clusters.map((cluster) => cluster.send(method, path, asked)));
      const [real, lab] = answers.map(compared);
      if (JSON.stringify(real) !== JSON.stringify(lab)) different.push({ what, real, lab });
    }
    expect(different).toEqual([]);
  });
});
