import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterEach, describe, expect, it } from 'vitest';
import { type Bench, credentials, startBench } from '../../../../test/support/lab/talos/bench.js';
import {
  benchConfig,
  benchNode,
  edited,
  machineStatusOf,
  startCluster,
} from '../../../../test/support/lab/talos/bench-cluster.js';
import { readableKey } from '../../../clients/talos/connection.js';
import { ImageService } from '../../../clients/talos/gen/machine/image_pb.js';
import {
  MachineService,
  ApplyConfigurationRequest_Mode as Mode,
} from '../../../clients/talos/gen/machine/machine_pb.js';
import { TimeService } from '../../../clients/talos/gen/time/time_pb.js';
import { RESOURCES } from '../../../clients/talos/index.js';
import { KubernetesClusters } from '../kubernetes/kubernetes-clusters.js';

let bench: Bench;
let clusters: KubernetesClusters | undefined;
afterEach(async () => {
  bench.close();
  await clusters?.close();
  clusters = undefined;
});

async function start(...numbers: number[]): Promise<void> {
  bench = startBench({
    kubernetes(core) {
      clusters = new KubernetesClusters(core);
      return clusters;
    },
  });
  await startCluster(bench, numbers);
}

const config = benchConfig(1);
const withFlag = (name: string, value: string) =>
  edited(config, 'v1alpha1', (body) => {
    const { apiServer } = body.cluster ?? {};
    body.cluster = { ...body.cluster, apiServer: { ...Object(apiServer), extraArgs: { [name]: value } } };
  });
const withKubelet = (setting: object) =>
  edited(config, 'v1alpha1', (body) => {
    const { kubelet } = body.machine ?? {};
    body.machine = { ...body.machine, kubelet: { ...Object(kubelet), ...setting } };
  });
const withLink = (change: (link: Record<string, unknown>) => void) => edited(config, 'LinkConfig', change);

const configs = async () => {
  const client = await bench.client(benchNode(1).ip);
  const resources = await client.list(RESOURCES.machineConfig);
  const text = (id: string) => JSON.stringify(resources.find((one) => one.id === id)?.spec);
  return { active: text('v1alpha1'), persistent: text('persistent') };
};
const apiServer = () => bench.core.network.dial(benchNode(1).ip, 6443);
const mtuOf = async () => {
  const client = await bench.client(benchNode(1).ip);
  const spec = (await client.get(RESOURCES.linkStatus, 'enp0s18'))?.spec as { mtu?: number; alias?: string };
  expect(spec.alias).toBe('net0');
  return spec.mtu;
};
const ready = async () => (await machineStatusOf(bench, 1)).ready;

describe('a config that is tried', () => {
  it('goes back by itself to the one that was active, and never to the disk', async () => {
    await start(1);
    const client = await bench.client(benchNode(1).ip);
    const before = await configs();
    await client.applyConfiguration(benchConfig(1, { name: 'tried' }), { mode: 'try' });
    const during = await configs();
    expect(during.active).toContain('tried');
    expect(during.persistent).toBe(before.persistent);
    // Another one meanwhile goes back to the first that was tried: the active config, not the one on the disk.
    await client.applyConfiguration(benchConfig(1, { name: 'again' }), { mode: 'try' });
    await bench.core.clock.sleep(59_000);
    expect((await configs()).active).toContain('again');
    await bench.core.clock.sleep(2_000);
    expect((await configs()).active).toContain('tried');
    await client.reboot();
    await bench.until(async () => (await configs().catch(() => undefined))?.active === before.active);
  });

  it('is refused up to 1.13 where it needs a reboot, and accepted by 1.14', async () => {
    for (const version of ['v1.13.9', 'v1.14.1']) {
      bench = startBench();
      await startCluster(bench, [1]);
      const machine = bench.room.machine(101);
      if (!machine?.record.system) throw new Error('no machine');
      machine.update({ system: { ...machine.record.system, version } });
      const changed = edited(config, 'v1alpha1', (body) => {
        body.machine = { ...body.machine, env: { A: 'b' } };
      });
      const client = await bench.client(benchNode(1).ip);
      const tried = client.applyConfiguration(changed, { mode: 'try' });
      if (version === 'v1.14.1') await tried;
      else await expect(tried).rejects.toThrow("this config change can't be applied in immediate mode");
      if (version === 'v1.13.9') bench.close();
    }
  });

  it.each([
    ['nosuch', 'x', 'unknown flag: --nosuch'],
    [
      'profiling',
      'maybe',
      'invalid argument "maybe" for "--profiling" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      'feature-gates',
      'NoSuchGate=true',
      'invalid argument "NoSuchGate=true" for "--feature-gates" flag: unrecognized feature gate: NoSuchGate',
    ],
  ])(
    'with a bad flag --%s=%s stops the API server of that node until it goes back',
    async (name, value, why) => {
      await start(1);
      expect(apiServer()).toBeDefined();
      const client = await bench.client(benchNode(1).ip);
      await client.applyConfiguration(withFlag(name, value), { mode: 'try' });
      await bench.core.clock.sleep(30_000);
      expect(apiServer()).toBeUndefined();
      const { ready: isReady, unmet } = await machineStatusOf(bench, 1);
      expect(isReady).toBe(false);
      expect(unmet).toContain('kube-system/kube-apiserver-cp-1 not ready');
      expect(bench.room.machine(101)?.record.log.join('\n')).toContain(`[kube-apiserver] Error: ${why}`);
      await bench.core.clock.sleep(60_000);
      await bench.until(ready);
      expect(apiServer()).toBeDefined();
    },
  );

  it('with a good flag replaces the API server for a moment', async () => {
    await start(1);
    await (await bench.client(benchNode(1).ip)).applyConfiguration(withFlag('profiling', 'false'), {
      mode: 'try',
    });
    expect(apiServer()).toBeUndefined();
    await bench.core.clock.sleep(10_000);
    await bench.until(ready);
    expect(apiServer()).toBeDefined();
  });

  it('with a bad flag of the kubelet lets the API server run on', async () => {
    await start(1);
    const broken = withKubelet({ extraArgs: { nosuch: '1' } });
    await (await bench.client(benchNode(1).ip)).applyConfiguration(broken, { mode: 'try' });
    await bench.core.clock.sleep(20_000);
    expect((await machineStatusOf(bench, 1)).unmet).toContain('kubelet not running');
    expect(apiServer()).toBeDefined();
    await bench.core.clock.sleep(60_000);
    await bench.until(ready);
  });
});

describe('a config that is applied', () => {
  it('with another image or flag of the kubelet restarts it, and with a label of the node does not', async () => {
    await start(1);
    const client = await bench.client(benchNode(1).ip);
    const kubelets = async () => {
      const services = await client.list(RESOURCES.services);
      return services.filter(({ id }) => id === 'kubelet').map(({ spec }) => spec);
    };
    const labelled = edited(config, 'v1alpha1', (body) => {
      body.machine = { ...body.machine, nodeLabels: { tier: 'a' } };
    });
    await client.applyConfiguration(labelled, { mode: 'no-reboot' });
    expect(await kubelets()).toMatchObject([{ running: true, healthy: true }]);
    for (const setting of [{ image: 'ghcr.io/siderolabs/kubelet:v1.36.1' }, { extraArgs: { v: '4' } }]) {
      await client.applyConfiguration(withKubelet(setting), { mode: 'no-reboot' });
      // Stopped: it has no resource until it is started again.
      expect(await kubelets()).toEqual([]);
      // Too short for anyone but those who watch the service.
      expect(await ready()).toBe(true);
      expect(apiServer()).toBeDefined();
      await bench.core.clock.sleep(5_000);
      expect(await kubelets()).toMatchObject([{ running: true, healthy: true }]);
    }
  });
});

async function transport() {
  const place = bench.core.network.dial(benchNode(1).ip, 50_000);
  const { certificate, key } = await credentials();
  return createGrpcTransport({
    baseUrl: `https://${place?.host}:${place?.port}`,
    nodeOptions: { rejectUnauthorized: false, cert: certificate, key: readableKey(key) },
  });
}

describe('a wrong network setting that is tried', () => {
  it('MTU: small messages pass, larger ones are lost both ways, until it goes back', async () => {
    await start(1);
    const client = await bench.client(benchNode(1).ip);
    await client.applyConfiguration(
      withLink((link) => Object.assign(link, { mtu: 9000 })),
      { mode: 'try' },
    );
    expect((await client.version()).tag).toBe('v1.14.1');
    const machine = createClient(MachineService, await transport());
    const data = Buffer.from(`${config}# ${'x'.repeat(65_536)}\n`);
    const sent = machine.applyConfiguration({ data, mode: Mode.NO_REBOOT, dryRun: true });
    expect(await sent.then(() => 'arrived').catch(() => 'lost')).toBe('lost');
    const received = async () => {
      for await (const _ of machine.kubeconfig({}));
      return 'arrived';
    };
    expect(await received().catch(() => 'lost')).toBe('lost');
    expect(await mtuOf()).toBe(9000);
    await bench.core.clock.sleep(61_000);
    // The config is back, and the link keeps the MTU until the next boot.
    expect(bench.room.machine(101)?.config).not.toContain('9000');
    expect(await mtuOf()).toBe(9000);
    await client.reboot();
    await bench.core.clock.sleep(30_000);
    await bench.until(ready);
    expect(await mtuOf()).toBe(1500);
  });

  it('MTU: goes back to the one that was written before', async () => {
    await start(1);
    const client = await bench.client(benchNode(1).ip);
    const mtu = (value: number) => withLink((link) => Object.assign(link, { mtu: value }));
    await client.applyConfiguration(mtu(1500), { mode: 'no-reboot' });
    await client.applyConfiguration(mtu(9000), { mode: 'try' });
    await bench.core.clock.sleep(61_000);
    expect(await mtuOf()).toBe(1500);
  });

  it('sysfs values, variables and addresses in certificates stay until the next boot', async () => {
    await start(1);
    const client = await bench.client(benchNode(1).ip);
    const changed = edited(config, 'v1alpha1', (body) => {
      const sysfs = { 'kernel.mm.transparent_hugepage.enabled': 'never' };
      body.machine = { ...body.machine, sysfs, env: { A: 'b' } };
    });
    await client.applyConfiguration(changed, { mode: 'no-reboot' });
    await client.applyConfiguration(
      withLink((link) => Object.assign(link, { addresses: [{ address: '10.9.0.77/24' }] })),
      { mode: 'no-reboot' },
    );
    await client.applyConfiguration(config, { mode: 'no-reboot' });
    const spec = async (type: string, id: string) =>
      JSON.stringify(
        (await client.get({ namespace: type.includes('net.') ? 'network' : 'runtime', type }, id))?.spec,
      );
    const kept = async () => [
      await spec('KernelParamStatuses.runtime.talos.dev', 'sys.kernel.mm.transparent_hugepage.enabled'),
      await spec('Environments.runtime.talos.dev', 'machined'),
      await spec('NodeAddresses.net.talos.dev', 'accumulative'),
    ];
    expect(await kept()).toEqual([
      expect.stringContaining('never'),
      expect.stringContaining('A=b'),
      expect.stringContaining('10.9.0.77'),
    ]);
    expect(await spec('NodeAddresses.net.talos.dev', 'current')).not.toContain('10.9.0.77');
    await client.reboot();
    await bench.core.clock.sleep(30_000);
    await bench.until(ready);
    for (const text of await kept()) expect(text ?? '').not.toMatch(/never|A=b|10\.9\.0\.77/);
  });

  it('gateway: the machine answers, and nothing behind the gateway does', async () => {
    await start(1);
    const client = await bench.client(benchNode(1).ip);
    const wrong = withLink((link) => Object.assign(link, { routes: [{ gateway: '10.9.0.77' }] }));
    const time = async () => createClient(TimeService, await transport()).time({});
    const pull = async () => {
      const images = createClient(ImageService, await transport());
      for await (const _ of images.pull({ imageRef: 'ghcr.io/siderolabs/kubelet:v1.36.0' }));
    };
    expect((await time()).messages[0]?.server).toBe('time.cloudflare.com');
    await client.applyConfiguration(wrong, { mode: 'no-reboot' });
    expect((await client.version()).tag).toBe('v1.14.1');
    await expect(time()).rejects.toThrow('error querying NTP server');
    await expect(pull()).rejects.toThrow('i/o timeout');
    // The clock that was set stays set, until the next boot.
    expect(await ready()).toBe(true);
    await client.reboot();
    await bench.until(async () => /Waiting for time sync/.test(JSON.stringify(await services())));
    expect((await machineStatusOf(bench, 1)).unmet).toContain('time is not in sync');
    await client.applyConfiguration(config, { mode: 'no-reboot' });
    await bench.until(ready);
    await pull();
  });

  it('a gateway outside of the network is no route at all', async () => {
    await start(1);
    const client = await bench.client(benchNode(1).ip);
    const wrong = withLink((link) => Object.assign(link, { routes: [{ gateway: '192.0.2.1' }] }));
    await client.applyConfiguration(wrong, { mode: 'try' });
    expect((await machineStatusOf(bench, 1)).unmet).toContain('waiting on: connectivity');
    await bench.core.clock.sleep(61_000);
    expect(await ready()).toBe(true);
  });

  it('is right where the router has moved', async () => {
    await start(1);
    const moved = withLink((link) => Object.assign(link, { routes: [{ gateway: '10.9.0.1' }] }));
    bench.core.faults.set({ name: 'gateway-moved', subject: '10.9.0.1', countdown: null });
    await (await bench.client(benchNode(1).ip)).applyConfiguration(moved, { mode: 'no-reboot' });
    const time = await createClient(TimeService, await transport()).time({});
    expect(time.messages).toHaveLength(1);
  });
});

async function services() {
  const client = await bench.client(benchNode(1).ip);
  return client.services().catch(() => []);
}
