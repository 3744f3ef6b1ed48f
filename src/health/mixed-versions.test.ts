import { describe, expect, it } from 'vitest';
import { partOf } from '../../test/support/part-of.js';
import type { Design } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import { known, type Observed } from '../observe/observed.js';
import { mixedVersionConditions } from './mixed-versions.js';

type Running = Readonly<Record<string, string>>;

function conditions(wanted: Running, talos: Running, kubelets: Running = {}) {
  const nodes = Object.entries(wanted).map(([name, talosVersion]) => ({ name, talosVersion }));
  const machines = Object.fromEntries(
    Object.entries(talos).map(([name, talosVersion]) => [name, { details: known({ talosVersion }) }]),
  );
  const kubeNodes = Object.entries(kubelets).map(([name, kubeletVersion]) => ({ name, kubeletVersion }));
  return mixedVersionConditions(
    partOf<Design>({ nodes }),
    { version: 'v1.36.0' } as KubernetesDesign,
    partOf<Observed>({ machines, kubernetes: { nodes: known(kubeNodes) } }),
  ).map(({ name, state, message }) => [name, state, message]);
}

const NEW = 'v1.14.1';
const OLD = 'v1.13.9';

describe('versions', () => {
  it('hold where all nodes run one, also one that is not in oxherd.yaml yet', () => {
    expect(conditions({ a: NEW, b: NEW }, { a: OLD, b: OLD }, { a: 'v1.36.0', b: 'v1.36.0' })).toEqual([
      ['talos-versions', 'ok', 'Talos v1.13.9'],
      ['kubelet-versions', 'ok', 'kubelets v1.36.0'],
    ]);
  });

  it('say how far an upgrade came', () => {
    const talos = { a: NEW, b: OLD, c: OLD };
    expect(conditions({ a: NEW, b: NEW, c: NEW }, talos, { a: 'v1.36.0', b: 'v1.35.0' })).toEqual([
      ['talos-versions', 'failed', '1 of 3 run v1.14.1 as in oxherd.yaml, v1.13.9 on b, c'],
      ['kubelet-versions', 'failed', '1 of 2 run v1.36.0 as in oxherd.yaml, v1.35.0 on b'],
    ]);
  });

  it('hold where oxherd.yaml gives a node another one', () => {
    expect(conditions({ a: NEW, b: OLD }, { a: NEW, b: OLD })).toEqual([
      ['talos-versions', 'ok', 'Talos v1.14.1 and v1.13.9'],
    ]);
  });

  it('are not spoken of while nothing answers', () => {
    expect(conditions({ a: NEW }, {})).toEqual([]);
  });
});
