import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterForTests, MINUTE } from '../../../../../test/support/lab/kubernetes/controllers/cluster.js';
import { testNode } from '../../../../../test/support/lab/kubernetes/testing.js';
import { at } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { forbiddenLabels, whyNodeRefused } from './node-restriction.js';

function node(labels: Record<string, string>, taints: readonly object[] = []): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'work-1', labels }, spec: { taints } };
}

describe('NodeRestriction', () => {
  it.each([
    ['node-role.kubernetes.io/worker', true],
    ['kubernetes.io/role', true],
    ['example.node-restriction.kubernetes.io/zone', true],
    ['node-restriction.kubernetes.io/x', true],
    ['x.k8s.io/y', true],
    ['topology.kubernetes.io/zone', false],
    ['node.kubernetes.io/exclude-from-external-load-balancers', false],
    ['kubelet.kubernetes.io/anything', false],
    ['example.com/role', false],
    ['role', false],
  ])('a kubelet may not set %s: %s', (label, forbidden) => {
    expect(forbiddenLabels([label])).toEqual(forbidden ? [label] : []);
  });

  it('says what the API server says', () => {
    const taint = { key: 'gpu', effect: 'NoSchedule' };
    expect(whyNodeRefused(node({}), node({}, [taint]))).toBe(
      'nodes "work-1" is forbidden: node "work-1" is not allowed to modify taints',
    );
    const labels = { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'x', tier: 'a' };
    expect(whyNodeRefused(node({}), node(labels))).toBe(
      'nodes "work-1" is forbidden: node "work-1" is not allowed to modify labels: kubernetes.io/role, node-role.kubernetes.io/worker',
    );
  });

  it('looks at what changes alone: taking a label away counts, keeping it does not', () => {
    const key = fc.constantFrom(
      'a',
      'example.com/b',
      'node-role.kubernetes.io/c',
      'k8s.io/d',
      'kubernetes.io/os',
    );
    const labels = fc.dictionary(key, fc.constantFrom('', 'x'));
    fc.assert(
      fc.property(labels, labels, (before, after) => {
        const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
          (one) => before[one] !== after[one],
        );
        const refused = whyNodeRefused(node(before), node(after)) !== undefined;
        expect(refused).toBe(changed.some((one) => /^(node-role\.kubernetes|k8s)\.io\//.test(one)));
      }),
    );
  });
});

describe('what Talos sets on a node', () => {
  const cluster = clusterForTests();
  const labels = (name: string) => cluster.find('nodes', name)?.metadata.labels ?? {};
  const taints = (name: string) => at(cluster.find('nodes', name), 'spec', 'taints');

  it('is set as a whole, or on a worker not at all', async () => {
    await cluster.pass(MINUTE);
    const up = (change: object) => cluster.lab.feed.nodeUp(testNode('work-1', 51, change));
    up({ labels: { tier: 'a' } });
    await cluster.pass(MINUTE);
    expect(labels('work-1').tier).toBe('a');
    up({ labels: { tier: 'b', 'node-role.kubernetes.io/worker': '' } });
    await cluster.pass(MINUTE);
    expect(labels('work-1').tier).toBe('a');
    expect(labels('work-1')).not.toHaveProperty(['node-role.kubernetes.io/worker']);
    up({ labels: { tier: 'b' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] });
    await cluster.pass(MINUTE);
    expect(labels('work-1').tier).toBe('a');
    expect(taints('work-1')).toBeUndefined();
    up({ labels: { tier: 'b' } });
    await cluster.pass(MINUTE);
    expect(labels('work-1').tier).toBe('b');
  });

  it('is not refused on a control plane, which has other credentials', async () => {
    await cluster.pass(MINUTE);
    const taint = { key: 'gpu', effect: 'NoSchedule' };
    cluster.lab.feed.nodeUp(
      testNode('cp-1', 41, { controlPlane: true, labels: { 'kubernetes.io/x': '1' }, taints: [taint] }),
    );
    await cluster.pass(MINUTE);
    expect(labels('cp-1')['kubernetes.io/x']).toBe('1');
    expect(taints('cp-1')).toContainEqual(taint);
  });

  it('has the taints that the kubelet registers with', async () => {
    const taint = { key: 'gpu', effect: 'NoSchedule' };
    cluster.lab.feed.nodeUp(testNode('work-9', 59, { taints: [taint], registersWith: [taint] }));
    await cluster.pass(MINUTE);
    expect(taints('work-9')).toEqual([taint]);
  });

  it('leaves what someone else set', async () => {
    await cluster.pass(MINUTE);
    const node = cluster.find('nodes', 'work-2');
    if (!node) throw new Error('no node');
    cluster.lab.objects.overwrite('nodes', {
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, tier: 'theirs' } },
    });
    cluster.lab.feed.nodeUp(testNode('work-2', 52, { labels: { tier: 'ours', other: '1' } }));
    await cluster.pass(MINUTE);
    expect(labels('work-2')).toMatchObject({ tier: 'theirs', other: '1' });
    expect(cluster.find('nodes', 'work-2')?.metadata.annotations?.['talos.dev/owned-labels']).toBe(
      '["other"]',
    );
  });
});
