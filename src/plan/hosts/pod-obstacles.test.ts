import type { Node, Pod } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import type { EvictionFacts } from '../../observe/evictions/observed-evictions.js';
import { podObstacles } from './pod-obstacles.js';

const node = (name: string, more: Partial<Node> = {}): Node => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name, disk: name === 'work-1' ? 'fast' : 'slow' } },
  ...more,
});
const pod = (
  name: string,
  spec: Partial<Pod['spec']> = {},
  metadata: Partial<Pod['metadata']> = {},
): Pod => ({
  metadata: { name, namespace: 'default', labels: { app: 'web' }, ...metadata },
  spec: { containers: [], nodeName: 'work-1', ...spec },
  status: { phase: 'Running' },
});
const facts = (changes: Partial<EvictionFacts>): EvictionFacts => ({
  nodes: [node('work-1'), node('work-2')],
  pods: [pod('web-1')],
  budgets: [],
  volumes: [],
  claims: {},
  ...changes,
});
const OFF = new Set(['work-1']);
const said = (changes: Partial<EvictionFacts>, off = OFF) =>
  podObstacles(facts(changes), off, OFF).map(({ pod: name, why }) => `${name}: ${why}`);

describe('pods that cannot leave their node', () => {
  it('are none where another node takes them', () => {
    expect(said({})).toEqual([]);
  });

  it('stand on a budget that allows nothing now', () => {
    const budget = (allowed: number, app = 'web') => ({
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { matchLabels: { app } } },
      status: { disruptionsAllowed: allowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    });
    expect(said({ budgets: [budget(0)] })).toEqual([
      'default/web-1: the disruption budget web allows no eviction now',
    ]);
    expect(said({ budgets: [budget(1)] })).toEqual([]);
    expect(said({ budgets: [budget(0, 'other')] })).toEqual([]);
    // Also on a node that is away only for a while.
    expect(said({ budgets: [budget(0)] }, new Set())).toHaveLength(1);
  });

  it('ask for labels, in any of the ways', () => {
    const terms = (operator: string, values?: string[]) => ({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator, ...(values && { values }) }] }],
          },
        },
      },
    });
    const none = 'default/web-1: no other node has the labels that it asks for';
    expect(said({ pods: [pod('web-1', { nodeSelector: { disk: 'fast' } })] })).toEqual([none]);
    expect(said({ pods: [pod('web-1', terms('In', ['fast']))] })).toEqual([none]);
    expect(said({ pods: [pod('web-1', terms('NotIn', ['slow']))] })).toEqual([none]);
    expect(said({ pods: [pod('web-1', terms('DoesNotExist'))] })).toEqual([none]);
    expect(said({ pods: [pod('web-1', terms('Exists'))] })).toEqual([]);
    // It waits for its own node where that comes back by the same run.
    expect(said({ pods: [pod('web-1', { nodeSelector: { disk: 'fast' } })] }, new Set())).toEqual([]);
  });

  it('do not tolerate what the others have', () => {
    const tainted = node('work-2', {
      spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] },
    });
    const nodes = [node('work-1'), tainted];
    expect(said({ nodes })).toEqual([
      'default/web-1: every other node has a taint that it does not tolerate',
    ]);
    expect(
      said({ nodes, pods: [pod('web-1', { tolerations: [{ key: 'gpu', operator: 'Exists' }] })] }),
    ).toEqual([]);
    expect(
      said({ nodes, pods: [pod('web-1', { tolerations: [{ key: 'gpu', value: 'no' }] })] }),
    ).toHaveLength(1);
    expect(said({ nodes: [node('work-1'), node('work-2', { spec: { unschedulable: true } })] })).toHaveLength(
      1,
    );
  });

  it('have a volume that is there alone', () => {
    const local = {
      metadata: { name: 'pv-1' },
      spec: {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['work-1'] }] },
            ],
          },
        },
      },
    };
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    expect(
      said({ volumes: [local], claims: { 'default/data': 'pv-1' }, pods: [pod('db-0', { volumes })] }),
    ).toEqual(['default/db-0: its volume pv-1 is on that node alone']);
  });

  it('are not those that a drain leaves', () => {
    const selector = { nodeSelector: { disk: 'fast' } };
    const owner = (kind: string) => ({ ownerReferences: [{ apiVersion: 'v1', kind, name: 'x', uid: 'x' }] });
    expect(
      said({
        pods: [
          pod('agent', selector, owner('DaemonSet')),
          pod('etcd', selector, owner('Node')),
          pod('static', selector, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
          pod('going', selector, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
          pod('elsewhere', { ...selector, nodeName: 'work-2' }),
        ],
      }),
    ).toEqual([]);
  });
});
