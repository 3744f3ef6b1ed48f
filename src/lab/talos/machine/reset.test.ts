import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterEach, describe, expect, it } from 'vitest';
import { type Bench, credentials, IMAGE, startBench } from '../../../../test/support/lab/talos/bench.js';
import { benchNode, startCluster } from '../../../../test/support/lab/talos/bench-cluster.js';
import { readableKey } from '../../../clients/talos/connection.js';
import { MachineService } from '../../../clients/talos/gen/machine/machine_pb.js';
import { probe } from '../../../clients/talos/index.js';

let bench: Bench;
afterEach(() => bench.close());

async function reset(labels: readonly string[]): Promise<void> {
  const place = bench.core.network.dial(benchNode(1).ip, 50_000);
  const { certificate, key } = await credentials();
  const transport = createGrpcTransport({
    baseUrl: `https://${place?.host}:${place?.port}`,
    nodeOptions: { rejectUnauthorized: false, cert: certificate, key: readableKey(key) },
  });
  const systemPartitionsToWipe = labels.map((label) => ({ label, wipe: true }));
  await createClient(MachineService, transport).reset({
    graceful: false,
    reboot: true,
    systemPartitionsToWipe,
  });
}

const presence = () => probe(benchNode(1).ip, { dial: (ip, port) => bench.core.network.dial(ip, port) });

describe('a machine that is reset', () => {
  it.each([[['STATE', 'EPHEMERAL']], [['STATE']]])(
    'without %s boots into maintenance mode',
    async (labels) => {
      bench = startBench();
      await startCluster(bench, [1]);
      await reset(labels);
      await bench.until(async () => (await presence()) === 'maintenance');
      expect(bench.room.machine(101)?.config).toBeUndefined();
      const kept = bench.volumes.get('data-1')?.content.partitions?.length ?? 0;
      expect(kept).toBe(labels.includes('EPHEMERAL') ? 0 : 1);
    },
  );

  it('without EPHEMERAL alone comes back configured', async () => {
    bench = startBench();
    await startCluster(bench, [1]);
    const { boot } = bench.room.machine(101)?.record ?? { boot: 0 };
    await reset(['EPHEMERAL']);
    await bench.until(
      async () => bench.room.machine(101)?.record.boot === boot + 1 && (await presence()) === 'configured',
    );
  });

  it('as a whole boots into maintenance mode from its ISO, and from nothing without one', async () => {
    for (const iso of [true, false]) {
      bench = startBench();
      await startCluster(bench, [1]);
      if (iso) bench.hypervisor.vms.set(101, { ...benchNode(1), cdrom: IMAGE });
      await reset([]);
      if (iso) await bench.until(async () => (await presence()) === 'maintenance');
      else await bench.until(() => bench.room.machine(101)?.record.stuck === 'no bootable device');
      if (iso) bench.close();
    }
  });
});
