import { createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, credentials, startBench } from '../../../../test/support/lab/talos/bench.js';
import {
  benchNode,
  machineStatusOf,
  startCluster,
} from '../../../../test/support/lab/talos/bench-cluster.js';
import { readableKey } from '../../../clients/talos/connection.js';
import { ClusterService } from '../../../clients/talos/gen/cluster/cluster_pb.js';
import { MachineService } from '../../../clients/talos/gen/machine/machine_pb.js';
import { RESOURCES } from '../../../clients/talos/index.js';
import { KubernetesClusters } from '../kubernetes/kubernetes-clusters.js';

let bench: Bench;
let clusters: KubernetesClusters;
let transport: Transport;

beforeAll(async () => {
  bench = startBench({
    kubernetes(core) {
      clusters = new KubernetesClusters(core);
      return clusters;
    },
  });
  await startCluster(bench, [1, 4]);
  const place = bench.core.network.dial(benchNode(1).ip, 50_000);
  const { certificate, key } = await credentials();
  transport = createGrpcTransport({
    baseUrl: `https://${place?.host}:${place?.port}`,
    nodeOptions: { rejectUnauthorized: false, cert: certificate, key: readableKey(key) },
  });
});

afterAll(async () => {
  bench.close();
  await clusters.close();
});

const machine = () => createClient(MachineService, transport);

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

async function text(path: string): Promise<string> {
  return Buffer.concat((await all(machine().read({ path }))).map(({ bytes }) => bytes)).toString();
}

describe('what people ask a machine', () => {
  it('its boot id is the one that its node reports, and another after a reboot', async () => {
    const before = await text('/proc/sys/kernel/random/boot_id');
    expect(before).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/);
    const cluster = bench.room.machine(101)?.facts?.cluster.id ?? '';
    const node = clusters.objectsOf(cluster)?.find('nodes', undefined, 'cp-1');
    expect(JSON.stringify(node?.status)).toContain(`"bootID":"${before.trim()}"`);
    await (await bench.client(benchNode(4).ip)).reboot();
    const id = () => bench.room.machine(104)?.bootId;
    const old = id();
    await bench.until(() => id() !== old);
    await bench.until(async () => (await machineStatusOf(bench, 4)).ready);
  });

  it('its files, and says which are not there', async () => {
    const listed = await all(machine().list({ root: '/' }));
    expect(listed.map(({ relativeName }) => relativeName)).toEqual(
      expect.arrayContaining(['.', 'etc', 'proc', 'var']),
    );
    await expect(text('/nosuch')).rejects.toMatchObject({
      rawMessage: 'stat /nosuch: no such file or directory',
    });
    await expect(text('/etc')).rejects.toMatchObject({ rawMessage: 'path must be a regular file' });
    const usage = await all(machine().diskUsage({ paths: ['/var', '/nosuch'] }));
    expect(usage.find(({ name }) => name === '/var')?.size).toBeGreaterThan(0n);
    expect(usage.at(-1)?.error).toBe('lstat /nosuch: no such file or directory');
    const { messages } = await machine().mounts({});
    expect(messages[0]?.stats.map(({ mountedOn }) => mountedOn)).toContain('/var');
    const mounts = await (await bench.client(benchNode(1).ip)).list({
      namespace: 'runtime',
      type: 'MountStatuses.block.talos.dev',
    });
    expect(mounts.map(({ id }) => id)).toEqual(['EPHEMERAL', 'STATE']);
  });

  it('its containers, pods among them, and its processes', async () => {
    const pods = (await machine().containers({ namespace: 'k8s.io' })).messages[0]?.containers ?? [];
    expect(pods.map(({ id }) => id)).toContain('kube-system/kube-apiserver-cp-1:kube-apiserver');
    const own = (await machine().containers({ namespace: 'system' })).messages[0]?.containers ?? [];
    expect(own.map(({ id }) => id)).toEqual(expect.arrayContaining(['apid', 'etcd', 'kubelet']));
    const { messages } = await machine().processes({});
    expect(messages[0]?.processes.map(({ command }) => command)).toEqual(
      expect.arrayContaining(['init', 'etcd', 'kube-apiserver']),
    );
    await expect(machine().restart({ id: 'nosuch', namespace: 'k8s.io' })).rejects.toMatchObject({
      rawMessage: 'container "nosuch" not found',
    });
    const memory = (await machine().memory({})).messages[0]?.meminfo;
    expect((memory?.memfree ?? 0n) < (memory?.memtotal ?? 0n)).toBe(true);
    const ports = (await machine().netstat({})).messages[0]?.connectrecord.map(({ localport }) => localport);
    expect(ports).toEqual([50_000, 50_001, 10_250, 2379, 2380, 6443]);
  });

  it('its events, with the types that talosctl knows, in order', async () => {
    const ids: string[] = [];
    const types = new Set<string>();
    const end = new AbortController();
    const events = machine().events({ tailEvents: -1 }, { signal: end.signal });
    try {
      for await (const { id, data } of events) {
        if (id === '') continue;
        ids.push(id);
        types.add(data?.typeUrl ?? '');
        if (types.size === 3) end.abort();
      }
    } catch {
      expect(end.signal.aborted).toBe(true);
    }
    expect([...types].sort()).toEqual([
      'talos/runtime/machine.MachineStatusEvent',
      'talos/runtime/machine.SequenceEvent',
      'talos/runtime/machine.ServiceStateEvent',
    ]);
    expect(ids).toEqual([...ids].sort());
    expect(ids.every((id) => /^[0-9a-v]{20}$/.test(id))).toBe(true);
  });

  it('its cluster’s health, which fails when a node is down', async () => {
    const check = () =>
      all(createClient(ClusterService, transport).healthCheck({ waitTimeout: { seconds: 60n, nanos: 0 } }));
    const messages = (await check()).map(({ message }) => message);
    expect(messages[0]).toBe('discovered nodes: ["10.9.0.41" "10.9.0.44"]');
    expect(messages).toContain('waiting for etcd to be healthy: OK');
    expect(messages.at(-1)).toBe('waiting for all k8s nodes to report schedulable: OK');
    bench.stop(104);
    await expect(check()).rejects.toMatchObject({ rawMessage: 'context deadline exceeded' });
  });

  it('an unknown call, and is told so with trailers', async () => {
    const members = await bench.client(benchNode(1).ip);
    expect((await members.get(RESOURCES.machineStatus, 'machine'))?.id).toBe('machine');
    const rollback = machine().rollback({});
    await expect(rollback).rejects.toMatchObject({ rawMessage: 'previous boot entry not found' });
  });
});
