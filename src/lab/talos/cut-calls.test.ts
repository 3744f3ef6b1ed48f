import { afterEach, describe, expect, it } from 'vitest';
import { type Bench, configFor, IMAGE, startBench } from '../../../test/support/lab/talos/bench.js';
import { probe } from '../../clients/talos/index.js';
import { GIB } from '../../model/size.js';

let bench: Bench;
afterEach(() => bench.close());

const IP = '10.9.0.51';
const APPLY = '/machine.MachineService/ApplyConfiguration';

/** A machine in maintenance mode and its first config. */
async function machine() {
  bench = startBench();
  bench.volumes.set('os', { size: 5 * GIB, content: IMAGE });
  bench.volumes.set('data', { size: 20 * GIB, content: {} });
  const mac = 'BC:24:11:00:00:01';
  bench.start({ vmid: 151, ip: IP, mac, drives: { scsi0: 'os', scsi1: 'data' } });
  const dial = (ip: string, port: number) => bench.core.network.dial(ip, port);
  await bench.until(async () => (await probe(IP, { dial })) === 'maintenance');
  const config = configFor({ role: 'worker', name: 'work-1', ip: IP, mac, ephemeral: 'data' });
  return { client: await bench.client(IP, 'none'), config };
}

describe('a call whose connection is cut', () => {
  it.each([
    ['call-drop-before', undefined],
    ['call-drop-after', true],
  ] as const)('with %s was carried out: %s', async (name, done) => {
    const { client, config } = await machine();
    bench.core.faults.set({ name, subject: `151 ${APPLY}`, countdown: 0 });
    expect((await client.version()).tag).toBe('v1.14.1');
    await expect(client.applyConfiguration(config, { mode: 'auto' })).rejects.toMatchObject({
      code: 'talos.unreachable',
    });
    expect(bench.core.faults.list()).toEqual([]);
    expect(bench.room.machine(151)?.configured || undefined).toBe(done);
  });
});
