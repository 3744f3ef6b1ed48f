import { afterEach, expect, it } from 'vitest';
import {
  type Bench,
  type BenchVm,
  configFor,
  IMAGE,
  startBench,
} from '../../../../test/support/lab/talos/bench.js';
import { probe, RESOURCES } from '../../../clients/talos/index.js';
import { GIB } from '../../../model/size.js';
import type { Network } from '../../network.js';
import { KubernetesClusters } from './kubernetes-clusters.js';

let bench: Bench;
let clusters: KubernetesClusters;
afterEach(async () => {
  bench.close();
  await clusters.close();
});

const VIP = '10.9.0.40';
const MACHINE: BenchVm = {
  vmid: 101,
  ip: '10.9.0.41',
  mac: 'BC:24:11:00:00:01',
  drives: { scsi0: 'os-1', scsi1: 'data-1' },
};

it('registers a node that runs, serves the API on the shared address, and is another after a wipe', async () => {
  bench = startBench({ kubernetes: (core) => (clusters = new KubernetesClusters(core)) });
  const dial = (ip: string, port: number) => bench.core.network.dial(ip, port);
  bench.volumes.set('os-1', { size: 5 * GIB, content: IMAGE });
  bench.volumes.set('data-1', { size: 20 * GIB, content: {} });
  bench.start(MACHINE);

  async function comeUp(): Promise<void> {
    await bench.until(async () => (await probe(MACHINE.ip, { dial })) === 'maintenance');
    const config = configFor({
      ...MACHINE,
      role: 'controlplane',
      name: 'cp-1',
      vip: VIP,
      ephemeral: 'data-1',
    });
    await (await bench.client(MACHINE.ip, 'none')).applyConfiguration(config, { mode: 'auto' });
    const client = await bench.client(MACHINE.ip);
    await bench.until(() =>
      client.bootstrap().then(
        () => true,
        () => false,
      ),
    );
    await bench.until(async () => {
      const status = await client.get(RESOURCES.machineStatus, 'machine').catch(() => undefined);
      return JSON.stringify(status?.spec).includes('"ready":true');
    });
  }

  await comeUp();
  const talosCluster = bench.room.machine(101)?.facts?.cluster.id ?? '';
  const node = () => clusters.objectsOf(talosCluster)?.find('nodes', undefined, 'cp-1');
  const first = node()?.metadata.uid;
  expect(first).toBeTruthy();
  expect(dial(VIP, 6443)).toBeDefined();
  expect(dial(MACHINE.ip, 6443)).toBeDefined();

  bench.stop(101);
  expect(clusters.objectsOf(talosCluster)).toBeUndefined();
  bench.volumes.set('os-1', { size: 5 * GIB, content: IMAGE });
  bench.volumes.set('data-1', { size: 20 * GIB, content: {} });
  bench.start(MACHINE);
  await comeUp();
  expect(node()?.metadata.uid).not.toBe(first);
});

it('tells of an API server that does not start, and tries again when it is told again', async () => {
  bench = startBench({ kubernetes: (core) => (clusters = new KubernetesClusters(core)) });
  const notices: string[] = [];
  let refuses = true;
  const { network } = bench.core;
  const narrow: Network = {
    bindFor(ip, port) {
      if (refuses) throw new Error(`there is no address ${ip}`);
      return network.bindFor(ip, port);
    },
    up: (ip, port, place) => network.up(ip, port, place),
    down: (ip, port) => network.down(ip, port),
    dial: (ip, port) => network.dial(ip, port),
    places: () => network.places(),
  };
  const core = { ...bench.core, network: narrow };
  clusters = new KubernetesClusters(core, { notice: (text) => notices.push(text) });
  const config = configFor({ ...MACHINE, role: 'controlplane', name: 'cp-1' });
  const image = (name: string) => `registry.k8s.io/${name}:v1.36.0`;
  const instance = {
    vmid: 101,
    cluster: 'a',
    clusterName: 'a',
    nodeName: 'cp-1',
    ip: MACHINE.ip,
    images: { apiServer: image('x'), controllerManager: image('y'), scheduler: image('z') },
    etcdCluster: '1',
    config,
  };
  clusters.controlPlaneStarted(instance);
  await clusters.started();
  expect(notices).toEqual([
    `the API server of ${MACHINE.ip} did not start: there is no address ${MACHINE.ip}`,
  ]);
  refuses = false;
  clusters.controlPlaneStarted(instance);
  await clusters.started();
  expect(network.dial(MACHINE.ip, 6443)).toBeDefined();
});
