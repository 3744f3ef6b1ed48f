import { afterEach, describe, expect, it } from 'vitest';
import { type Bench, configFor, IMAGE, startBench } from '../../../test/support/lab/talos/bench.js';
import { OxherdError } from '../../model/error.js';
import { GIB } from '../../model/size.js';
import type { WriteGate } from '../../model/write-gate.js';
import { connectTalos, probe } from './index.js';
import { isWrite } from './write-methods.js';

let bench: Bench;
afterEach(() => bench.close());

const IP = '10.9.0.51';
const MAC = 'BC:24:11:00:00:01';

async function machine() {
  bench = startBench();
  bench.volumes.set('os', { size: 5 * GIB, content: IMAGE });
  bench.volumes.set('data', { size: 20 * GIB, content: {} });
  bench.start({ vmid: 151, ip: IP, mac: MAC, drives: { scsi0: 'os', scsi1: 'data' } });
  const dial = (ip: string, port: number) => bench.core.network.dial(ip, port);
  await bench.until(async () => (await probe(IP, { dial })) === 'maintenance');
  const trust = { kind: 'maintenance', because: 'test' } as const;
  return connectTalos({ address: IP, trust, clock: bench.core.clock, dial });
}

const config = () => configFor({ role: 'worker', name: 'work-1', ip: IP, mac: MAC, ephemeral: 'data' });

describe('a machine behind a write gate', () => {
  it('is read, and gets nothing while the gate is shut', async () => {
    const client = await machine();
    const refusal = new OxherdError('lock.lost', 'lost the cluster lock');
    const gated = client.behind({ open: () => Promise.reject(refusal), isOpen: () => false });
    expect((await gated.version()).tag).toBe('v1.14.1');
    const writes = [
      () => gated.applyConfiguration(config(), { mode: 'auto' }),
      () => gated.bootstrap(),
      () => gated.reboot(),
      () => gated.shutdown(),
      () => gated.reset({ graceful: false, reboot: false }),
      () => gated.pullImage('image', 'installer'),
      () => gated.upgrade('image'),
      () => gated.restartService('kubelet'),
      () => gated.etcd.leave(),
      () => gated.etcd.removeById(1n),
      () => gated.etcd.forfeitLeadership(),
      () => gated.etcd.defragment(),
    ];
    for (const write of writes) await expect(write()).rejects.toBe(refusal);
    expect(bench.room.machine(151)?.configured || false).toBe(false);
    client.close();
  });

  it('is asked for again where the gate has closed before the call was sent', async () => {
    const client = await machine();
    const asked: string[] = [];
    const gate: WriteGate = {
      open: async () => void asked.push('open'),
      isOpen: () => asked.push('isOpen') > 2,
    };
    await client.behind(gate).applyConfiguration(config(), { mode: 'auto' });
    expect(asked).toEqual(['open', 'isOpen', 'open', 'isOpen']);
    client.close();
  });
});

it('a call that no one has decided on counts as a write', () => {
  bench = startBench();
  expect(isWrite('machine.MachineService', 'version')).toBe(false);
  expect(isWrite('machine.MachineService', 'reset')).toBe(true);
  expect(isWrite('machine.MachineService', 'somethingNew')).toBe(true);
});
