/** Taints and labels that NodeRestriction keeps from a worker's kubelet are set through the Kubernetes API. */
import { describe, expect, it } from 'vitest';
import { NODES } from '../../src/clients/kubernetes/resources.js';
import { type CliFolder, ended } from '../support/cli.js';
import { withCluster } from '../support/cluster.js';
import { converges, smallClusterForTests } from '../support/small-cluster.js';
import { smallFile } from '../support/small-file.js';

const cluster = smallClusterForTests();

const worker = (folder: CliFolder) =>
  withCluster(folder, '10.20.30.41', async ({ kubernetes }) => {
    const node = await kubernetes.get(NODES, 'work-1');
    return { labels: node?.metadata?.labels ?? {}, taints: node?.spec?.taints ?? [] };
  });

describe('labels and taints of a worker', () => {
  it('are set and taken away again, those of others stay', async () => {
    const marks =
      ', labels: { tier: gold, node-role.kubernetes.io/worker: "" }, taints: [{ key: gpu, value: "1", effect: NoSchedule }]';
    const made = await cluster.folder(undefined, { worker: marks });
    await withCluster(made, '10.20.30.41', async ({ kubernetes }) => {
      const foreign = { spec: { taints: [{ key: 'foreign', effect: 'PreferNoSchedule' }] } };
      await kubernetes.patch(NODES, 'work-1', foreign, { kind: 'merge' });
    });
    expect(ended(await made.lab('plan'))).toContain('set labels and taints of work-1 in Kubernetes');
    await converges(made);
    const marked = await worker(made);
    expect(marked.labels).toMatchObject({ tier: 'gold', 'node-role.kubernetes.io/worker': '' });
    expect(marked.taints.map(({ key }) => key).sort()).toEqual(['foreign', 'gpu']);
    made.config = smallFile();
    await converges(made);
    const after = await worker(made);
    expect(after.labels).not.toHaveProperty('node-role.kubernetes.io/worker');
    expect(after.taints.map(({ key }) => key)).toEqual(['foreign']);
  });
});
