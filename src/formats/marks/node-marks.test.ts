import { describe, expect, it } from 'vitest';
import { forbiddenLabels } from '../../lab/kubernetes/controllers/nodes/node-restriction.js';
import { formatNodeMarks, isRestrictedLabel, parseNodeMarks } from './node-marks.js';

describe('labels of a worker', () => {
  it.each([
    'node-role.kubernetes.io/worker',
    'node-restriction.kubernetes.io/x',
    'x.node-restriction.kubernetes.io/y',
    'kubernetes.io/hostname',
    'topology.kubernetes.io/zone',
    'node.kubernetes.io/pool',
    'x.node.kubernetes.io/pool',
    'kubelet.kubernetes.io/a',
    'feature.k8s.io/a',
    'example.com/rack',
    'tier',
  ])('%s: as NodeRestriction judges it', (label) => {
    expect(isRestrictedLabel(label)).toBe(forbiddenLabels([label]).length > 0);
  });

  it('that we set are noted and read again', () => {
    const taints = [{ key: 'gpu', value: '1', effect: 'NoSchedule' }];
    const text = formatNodeMarks({ labels: { b: '1', a: '' }, taints });
    expect(parseNodeMarks(text)).toEqual({ labels: ['a', 'b'], taints: ['gpu:NoSchedule'] });
    expect(parseNodeMarks(undefined)).toEqual({ labels: [], taints: [] });
    expect(parseNodeMarks(formatNodeMarks({ labels: {}, taints: [] }))).toEqual({ labels: [], taints: [] });
  });
});
