import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterEach, expect, it } from 'vitest';
import { type Bench, credentials, startBench } from '../../../../test/support/lab/talos/bench.js';
import { benchNode, startCluster } from '../../../../test/support/lab/talos/bench-cluster.js';
import { readableKey } from '../../../clients/talos/connection.js';
import {
  EtcdMemberAlarm_AlarmType as Alarm,
  MachineService,
} from '../../../clients/talos/gen/machine/machine_pb.js';
import { TimeService } from '../../../clients/talos/gen/time/time_pb.js';
import { connectTalos, RESOURCES } from '../../../clients/talos/index.js';

let bench: Bench;
afterEach(() => bench.close());

async function transport() {
  const place = bench.core.network.dial(benchNode(1).ip, 50_000);
  const { certificate, key } = await credentials();
  return createGrpcTransport({
    baseUrl: `https://${place?.host}:${place?.port}`,
    nodeOptions: { rejectUnauthorized: false, cert: certificate, key: readableKey(key) },
  });
}

it('a slow disk raises an alarm that comes back while it is slow', async () => {
  bench = startBench();
  await startCluster(bench, [1]);
  const machine = createClient(MachineService, await transport());
  const alarms = async () =>
    (await machine.etcdAlarmList({})).messages[0]?.memberAlarms.map(({ alarm }) => alarm);
  const status = async () => (await machine.etcdStatus({})).messages[0]?.memberStatus;
  expect(await alarms()).toEqual([]);
  const before = await status();
  bench.core.faults.set({ name: 'disk-slow', subject: 'cp-1', countdown: null });
  expect(await alarms()).toEqual([Alarm.NOSPACE]);
  const slow = await status();
  expect(slow?.errors.join()).toContain('alarm:NOSPACE');
  expect((slow?.dbSize ?? 0n) > (before?.dbSize ?? 0n)).toBe(true);
  await machine.etcdAlarmDisarm({});
  expect(await alarms()).toEqual([Alarm.NOSPACE]);
  bench.core.faults.clear('disk-slow');
  await machine.etcdAlarmDisarm({});
  expect(await alarms()).toEqual([]);
  expect((await status())?.errors).toEqual([]);
});

it.each([
  ['30s', undefined],
  ['cp-1/30s', undefined],
  ['cp-2', undefined],
  ['2m', 'talos.certificate-refused'],
  ['101/2m', 'talos.certificate-refused'],
  ['cp-1', 'talos.certificate-refused'],
])('a clock that is behind (%s) decides about client certificates: %s', async (subject, code) => {
  bench = startBench();
  await startCluster(bench, [1]);
  bench.core.faults.set({ name: 'clock-behind', subject, countdown: null });
  // Its certificate is a minute old.
  const { ip } = benchNode(1);
  const dial = (host: string, port: number) => bench.core.network.dial(host, port);
  const trust = { kind: 'mutual' as const, ...(await credentials()) };
  const client = connectTalos({ address: ip, trust, clock: bench.core.clock, dial });
  const answer = await client.version().catch((error: unknown) => error);
  client.close();
  if (code === undefined) expect(answer).toMatchObject({ tag: 'v1.14.1' });
  else
    expect(answer).toMatchObject({
      code,
      message: expect.stringContaining('its clock is more than 1m behind the clock of this computer'),
    });
});

it('a clock that jumps is told by the machine, and counted', async () => {
  bench = startBench();
  await startCluster(bench, [1]);
  const time = createClient(TimeService, await transport());
  const ahead = async () => {
    const { localtime, remotetime } = (await time.time({})).messages[0] ?? {};
    return Number((localtime?.seconds ?? 0n) - (remotetime?.seconds ?? 0n));
  };
  const epoch = async () => {
    const client = await bench.client(benchNode(1).ip);
    return (await client.get(RESOURCES.timeStatus, 'node'))?.spec;
  };
  expect(await ahead()).toBe(0);
  bench.core.faults.set({ name: 'clock-jump', subject: '101', countdown: null });
  expect(await ahead()).toBe(3600);
  expect(await epoch()).toMatchObject({ synced: true, epoch: 1 });
});
