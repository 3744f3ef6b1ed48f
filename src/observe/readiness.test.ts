import { describe, expect, it } from 'vitest';
import { partOf } from '../../test/support/part-of.js';
import type { TalosClient } from '../clients/talos/client.js';
import { RESOURCES } from '../clients/talos/resources.js';
import { isNodeReady, readReadiness } from './readiness.js';

interface Machine {
  readonly status?: object;
  readonly volumes?: readonly { readonly id: string; readonly spec: object }[] | Error;
  readonly etcd?: { readonly memberId: bigint; readonly leader: bigint; readonly learner: boolean } | Error;
}

function talos({ status, volumes = [], etcd = new Error('etcd is not up') }: Machine): TalosClient {
  return partOf<TalosClient>({
    get: async (type: unknown) => (type === RESOURCES.machineStatus && status ? { spec: status } : undefined),
    list: async () => {
      if (volumes instanceof Error) throw volumes;
      return volumes;
    },
    etcd: {
      status: async () => {
        if (etcd instanceof Error) throw etcd;
        return etcd;
      },
    },
  });
}

const RUNNING = { stage: 'running', status: { ready: true, unmetConditions: [] } };

describe('whether a machine is ready', () => {
  it('is what it says itself', async () => {
    expect(await readReadiness(talos({ status: RUNNING }), 'worker')).toEqual({
      stage: 'running',
      ready: true,
      unmet: [],
      volumes: { known: true, value: [] },
    });
  });

  it('is no without an answer about its status', async () => {
    expect(await readReadiness(talos({}), 'worker')).toMatchObject({ stage: '', ready: false });
  });

  it('names what it waits for', async () => {
    const status = {
      stage: 'booting',
      status: { ready: false, unmetConditions: [{ name: 'services', reason: 'kubelet' }] },
    };
    expect(await readReadiness(talos({ status }), 'worker')).toMatchObject({
      ready: false,
      unmet: [{ name: 'services', reason: 'kubelet' }],
    });
  });

  it('names EPHEMERAL and user volumes that are not ready, and no others', async () => {
    const volumes = [
      { id: 'EPHEMERAL', spec: { phase: 'waiting' } },
      { id: 'u-media', spec: { phase: 'failed', errorMessage: 'no disk matches' } },
      { id: 'u-cache', spec: { phase: 'ready' } },
      { id: 'STATE', spec: { phase: 'waiting' } },
    ];
    const { volumes: waiting } = await readReadiness(talos({ status: RUNNING, volumes }), 'worker');
    expect(waiting).toEqual({
      known: true,
      value: ['volume EPHEMERAL is waiting', 'volume media is failed (no disk matches)'],
    });
  });

  it('keeps the rest where volumes or etcd cannot be read', async () => {
    const machine = talos({ status: RUNNING, volumes: new Error('unavailable') });
    expect(await readReadiness(machine, 'controlplane')).toMatchObject({
      ready: true,
      volumes: { known: false, why: 'unavailable' },
      etcd: { known: false, why: 'etcd is not up' },
    });
  });

  it('shows etcd on control planes only, and no leader as none', async () => {
    const machine = talos({ status: RUNNING, etcd: { memberId: 0xabcn, leader: 0n, learner: true } });
    expect((await readReadiness(machine, 'controlplane')).etcd).toEqual({
      known: true,
      value: { memberId: 'abc', leader: '', learner: true },
    });
    expect(await readReadiness(machine, 'worker')).not.toHaveProperty('etcd');
  });
});

const node = (...conditions: { type: string; status: string }[]) => ({ status: { conditions } });

it.each([
  [
    'Ready is True',
    node({ type: 'MemoryPressure', status: 'True' }, { type: 'Ready', status: 'True' }),
    true,
  ],
  ['Ready is False', node({ type: 'Ready', status: 'False' }), false],
  ['its kubelet went silent', node({ type: 'Ready', status: 'Unknown' }), false],
  ['only another condition is True', node({ type: 'DiskPressure', status: 'True' }), false],
  ['it has not reported yet', {}, false],
  ['there is no such node', undefined, false],
])('a node is Ready by its condition: %s', (_, object, ready) => {
  expect(isNodeReady(object)).toBe(ready);
});
