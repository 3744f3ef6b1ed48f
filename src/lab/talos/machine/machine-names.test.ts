import { afterEach, expect, it } from 'vitest';
import { type Bench, startBench } from '../../../../test/support/lab/talos/bench.js';
import {
  benchConfig,
  benchNode,
  edited,
  startCluster,
} from '../../../../test/support/lab/talos/bench-cluster.js';
import { RESOURCES } from '../../../clients/talos/index.js';

let bench: Bench;
afterEach(() => bench.close());

const FQDN = 'CP_1.Example.com';

it.each([
  [false, 'cp-1'],
  [true, 'cp-1.example.com'],
])('a dotted host name with registerWithFQDN %s is the node %s', async (register, nodeName) => {
  bench = startBench();
  await startCluster(bench, [1], (number) =>
    edited(benchConfig(number, { name: FQDN.replace('_', '-') }), 'v1alpha1', (body) => {
      const { kubelet } = body.machine ?? {};
      body.machine = { ...body.machine, kubelet: { ...Object(kubelet), registerWithFQDN: register } };
    }),
  );
  const client = await bench.client(benchNode(1).ip);
  expect((await client.get(RESOURCES.hostnameStatus, 'hostname'))?.spec).toEqual({
    hostname: 'CP-1',
    domainname: 'Example.com',
  });
  expect(bench.room.machine(101)?.nodeName).toBe(nodeName);
  // etcd knows the host name of the kernel, whatever Kubernetes is told.
  expect((await client.etcd.members()).map(({ hostname }) => hostname)).toEqual(['CP-1']);
  const [member] = await client.list(RESOURCES.members);
  expect(member?.id).toBe(nodeName);
  expect(member?.spec).toMatchObject({ hostname: 'CP-1.Example.com' });
});
