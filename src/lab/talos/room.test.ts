import { afterEach, describe, expect, it } from 'vitest';
import {
  type Bench,
  type BenchVm,
  configFor,
  IMAGE,
  startBench,
} from '../../../test/support/lab/talos/bench.js';
import {
  addDisks as addBenchDisks,
  benchNode,
  configure as configureMachine,
  machineStatusOf,
  startCluster,
  VIP,
} from '../../../test/support/lab/talos/bench-cluster.js';
import { probe, RESOURCES } from '../../clients/talos/index.js';
import { GIB } from '../../model/size.js';

let bench: Bench;
afterEach(() => bench.close());

const node = benchNode;
const dial = (ip: string, port: number) => bench.core.network.dial(ip, port);
const addDisks = (number: number) => addBenchDisks(bench, number);
const configure = (number: number) => configureMachine(bench, number);
const cluster = (...numbers: number[]) => startCluster(bench, numbers);
const isReady = async (number: number) => (await machineStatusOf(bench, number)).ready;

describe('a machine', () => {
  it('without anything to boot from never answers', async () => {
    bench = startBench();
    bench.volumes.set('os-1', { size: 5 * GIB, content: {} });
    bench.start(node(1));
    await bench.core.clock.sleep(300_000);
    expect(await probe(node(1).ip, { dial })).toBe('absent');
    expect(bench.room.machine(101)?.record.stuck).toBe('no bootable device');
  });

  it('goes from absent over maintenance to configured', async () => {
    bench = startBench();
    addDisks(1);
    expect(await probe(node(1).ip, { dial })).toBe('absent');
    bench.start(node(1));
    await configure(1);
    await bench.until(async () => (await probe(node(1).ip, { dial })) === 'configured');
    const client = await bench.client(node(1).ip);
    expect(await client.version()).toEqual({ tag: 'v1.14.1', arch: 'amd64', platform: 'nocloud' });
    const stranger = await bench.client(node(1).ip, 'none');
    await expect(stranger.version()).rejects.toMatchObject({ code: 'talos.certificate-required' });
  });

  it('cannot be verified in maintenance mode, and says so', async () => {
    bench = startBench();
    addDisks(1);
    bench.start(node(1));
    await bench.until(async () => (await probe(node(1).ip, { dial })) === 'maintenance');
    const client = await bench.client(node(1).ip);
    await expect(client.version()).rejects.toMatchObject({ code: 'talos.untrusted' });
  });

  it('of 1.12 says nothing of its version before it has a config, and has no lifecycle service', async () => {
    bench = startBench();
    addDisks(1);
    const old = { system: { kind: 'talos', schematic: 'x', version: 'v1.12.4', arch: 'amd64' } } as const;
    bench.volumes.set('os-1', { size: 5 * GIB, content: old });
    bench.start(node(1));
    await bench.until(async () => (await probe(node(1).ip, { dial })) === 'maintenance');
    const stranger = await bench.client(node(1).ip, 'none');
    await expect(stranger.version()).rejects.toMatchObject({ code: 'talos.forbidden' });
    expect((await stranger.get(RESOURCES.machineStatus, 'machine'))?.spec).toMatchObject({
      stage: 'maintenance',
    });
    await configure(1);
    const client = await bench.client(node(1).ip);
    await bench.until(async () => (await client.version().catch(() => undefined))?.tag === 'v1.12.4');
    const image = `factory.talos.dev/nocloud-installer/${'a'.repeat(64)}:v1.13.9`;
    expect(await client.upgrade(image)).toEqual({ rebooting: true });
    await bench.until(async () => (await client.version().catch(() => undefined))?.tag === 'v1.13.9');
  });

  it('is of nocloud, and its guest agent answers before it has a config', async () => {
    bench = startBench();
    addDisks(1);
    bench.start(node(1));
    expect(bench.room.agent(101)).toBeUndefined();
    await bench.until(async () => (await probe(node(1).ip, { dial })) === 'maintenance');
    expect(bench.room.agent(101)?.interfaces[0]?.addresses).toEqual([{ ip: node(1).ip, prefix: 24 }]);
    expect(bench.room.machine(101)?.service('ext-qemu-guest-agent')?.state).toBe('Running');
  });

  it('tells how its stage changes', async () => {
    bench = startBench();
    addDisks(1);
    bench.start(node(1));
    await bench.until(async () => (await probe(node(1).ip, { dial })) === 'maintenance');
    const client = await bench.client(node(1).ip, 'none');
    for await (const { stage, ready } of client.stages()) {
      expect({ stage, ready }).toEqual({ stage: 'maintenance', ready: true });
      break;
    }
  });

  it('installs itself from an ISO onto the disk that its config selects', async () => {
    bench = startBench();
    bench.volumes.set('os-1', { size: 32 * GIB, content: {} });
    const vm: BenchVm = { ...node(1), drives: { scsi0: 'os-1' }, cdrom: IMAGE };
    bench.start(vm);
    await bench.until(async () => (await probe(vm.ip, { dial })) === 'maintenance');
    const client = await bench.client(vm.ip, 'none');
    await client.applyConfiguration(configFor({ ...node(1), role: 'controlplane' }), { mode: 'auto' });
    await bench.until(() => bench.room.machine(101)?.record.system?.from === 'disk');
    expect(bench.volumes.get('os-1')?.content.partitions?.map(({ label }) => label)).toContain('STATE');
    await bench.until(async () => (await probe(vm.ip, { dial })) === 'configured');
  });
});

describe('a cluster', () => {
  it('comes up, holds its shared address, and answers reads', async () => {
    bench = startBench();
    await cluster(1, 2, 3, 4);
    const client = await bench.client(node(1).ip);
    const members = await client.etcd.members();
    expect(members.map(({ hostname }) => hostname).sort()).toEqual(['cp-1', 'cp-2', 'cp-3']);
    await bench.until(async () => (await client.etcd.members()).every(({ learner }) => !learner));
    expect((await client.etcd.status()).leader).toBe(members[0]?.id);
    expect((await client.list(RESOURCES.members)).map(({ id }) => id).sort()).toEqual([
      'cp-1',
      'cp-2',
      'cp-3',
      'work-4',
    ]);
    expect((await client.list(RESOURCES.manifests)).map(({ id }) => id)).toEqual([
      '05-flannel',
      '10-kube-proxy',
      '11-core-dns',
      '11-core-dns-svc',
    ]);
    expect(await client.kubeconfig()).toContain('server: https://');
    const shared = await bench.client(VIP);
    expect((await shared.version()).tag).toBe('v1.14.1');
    await expect(client.bootstrap()).rejects.toMatchObject({ code: 'talos.already-exists' });
    const volumes = await client.list(RESOURCES.volumeStatus);
    expect(volumes.find(({ id }) => id === 'EPHEMERAL')?.spec).toMatchObject({
      phase: 'ready',
      parentLocation: '/dev/sdb',
    });
  });

  it('hands the shared address on when its holder goes, and keeps quorum of two', async () => {
    bench = startBench();
    await cluster(1, 2, 3);
    const client = await bench.client(node(2).ip);
    await bench.until(async () => (await client.etcd.members()).every(({ learner }) => !learner));
    expect(bench.room.db.vips.get(VIP)).toBe(101);
    bench.stop(101);
    expect(bench.room.db.vips.get(VIP)).toBe(102);
    expect((await client.etcd.status()).leader).not.toBe(0n);
    bench.stop(102);
    const last = await bench.client(node(3).ip);
    expect((await last.etcd.status()).leader).toBe(0n);
    expect(bench.room.db.vips.get(VIP)).toBeUndefined();
  });

  it('opens the API of a worker that booted while no control plane ran, once one does', async () => {
    bench = startBench();
    await cluster(1, 4);
    const machines = [101, 104].map((vmid) => bench.hypervisor.vms.get(vmid));
    for (const machine of machines) bench.stop(machine?.vmid ?? 0);
    const [controlPlane, worker] = machines;
    if (!controlPlane || !worker) throw new Error('they ran before');
    bench.start(worker);
    await bench.until(() => bench.room.machine(104)?.service('kubelet')?.state === 'Running');
    // Nothing happens to the worker any more; what it waits for is its certificate.
    expect(await probe(node(4).ip, { dial })).toBe('absent');
    bench.start(controlPlane);
    await bench.until(async () => (await probe(node(4).ip, { dial })) === 'configured');
  });

  it('takes a machine with a new System disk and its old data back as the same member', async () => {
    bench = startBench();
    await cluster(1, 2, 3);
    const client = await bench.client(node(1).ip);
    await bench.until(async () => (await client.etcd.members()).every(({ learner }) => !learner));
    const before = (await client.etcd.members()).find(({ hostname }) => hostname === 'cp-2');
    bench.stop(102);
    bench.volumes.set('os-2', { size: 5 * GIB, content: IMAGE });
    bench.start(node(2));
    await configure(2);
    await bench.until(() => isReady(2));
    const after = (await client.etcd.members()).find(({ hostname }) => hostname === 'cp-2');
    expect(after).toEqual(before);
    // Its identity in discovery was on the old System disk: for a while it is there twice.
    const names = (await client.list(RESOURCES.members)).map(
      ({ spec }) => (spec as { hostname: string }).hostname,
    );
    expect(names.filter((name) => name === 'cp-2')).toHaveLength(2);

    bench.stop(102);
    bench.volumes.set('os-2', { size: 5 * GIB, content: IMAGE });
    bench.volumes.set('data-2', { size: 20 * GIB, content: {} });
    bench.start(node(2));
    await configure(2);
    await bench.until(() => isReady(2));
    const empty = (await client.etcd.members()).find(({ hostname }) => hostname === 'cp-2');
    expect(empty?.id).not.toBe(before?.id);
  });

  it('upgrades beside the running system and boots it, or falls back', async () => {
    bench = startBench();
    await cluster(1);
    const client = await bench.client(node(1).ip);
    const image = (version: string) =>
      `factory.talos.dev/nocloud-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:${version}`;
    expect(await client.upgrade(image('v1.14.2'))).toEqual({ rebooting: false });
    expect((await client.version()).tag).toBe('v1.14.1');
    await client.reboot();
    await bench.until(async () => (await client.version().catch(() => undefined))?.tag === 'v1.14.2');
    await bench.until(() => isReady(1));

    bench.core.faults.set({ name: 'machine-falls-back', subject: '101', countdown: null });
    await client.upgrade(image('v1.15.0'));
    await client.reboot();
    await bench.until(async () => (await client.version().catch(() => undefined)) === undefined);
    await bench.until(async () => (await client.version().catch(() => undefined))?.tag === 'v1.14.2');
  });

  it('applies, stages, tries and takes back configs', async () => {
    bench = startBench();
    await cluster(1);
    const client = await bench.client(node(1).ip);
    const config = (name: string) => configFor({ ...node(1), name, vip: VIP, ephemeral: 'data-1' });
    const hostname = async () =>
      ((await client.get(RESOURCES.hostnameStatus, 'hostname'))?.spec as { hostname?: string } | undefined)
        ?.hostname;
    const dry = await client.applyConfiguration(config('other'), { mode: 'auto', dryRun: true });
    expect(dry.details).toContain('+hostname: other');
    expect(await hostname()).toBe('cp-1');
    await client.applyConfiguration(config('later'), { mode: 'staged' });
    expect(await hostname()).toBe('cp-1');
    await client.reboot();
    await bench.until(async () => (await hostname().catch(() => undefined)) === 'later');
    await client.applyConfiguration(config('tried'), { mode: 'try' });
    await bench.until(async () => (await hostname().catch(() => undefined)) === 'tried');
    await bench.until(async () => (await hostname().catch(() => undefined)) === 'later');
    await client.applyConfiguration(config('tried'), { mode: 'try' });
    await client.applyConfiguration(config('kept'), { mode: 'no-reboot' });
    await bench.core.clock.sleep(120_000);
    await bench.until(async () => (await hostname().catch(() => undefined)) === 'kept');
    await expect(client.applyConfiguration('machine: {}\n', { mode: 'auto' })).rejects.toMatchObject({
      code: 'talos.invalid',
    });
  });

  it('lets a member leave, and a removed one that returns with its data is refused', async () => {
    bench = startBench();
    await cluster(1, 2, 3);
    const client = await bench.client(node(1).ip);
    await bench.until(async () => (await client.etcd.members()).every(({ learner }) => !learner));
    await (await bench.client(node(3).ip)).etcd.leave();
    expect((await client.etcd.members()).map(({ hostname }) => hostname)).toEqual(['cp-1', 'cp-2']);
    const gone = (await client.etcd.members()).find(({ hostname }) => hostname === 'cp-2');
    await client.etcd.removeById(gone?.id ?? 0n);
    await (await bench.client(node(2).ip)).reboot();
    await bench.until(() => bench.room.machine(102)?.service('etcd')?.state === 'Running');
    const services = await (await bench.client(node(2).ip)).services();
    expect(services.find(({ id }) => id === 'etcd')).toMatchObject({
      health: 'unhealthy',
      message: 'member has been permanently removed from the cluster',
    });
    await expect(client.etcd.removeById(1n)).rejects.toMatchObject({ code: 'talos.not-found' });
  });

  it('goes on where it was when its process is killed', async () => {
    bench = startBench();
    await cluster(1);
    const before = bench;
    before.close();
    bench = startBench({ from: before });
    await bench.until(() => isReady(1));
  });
});
