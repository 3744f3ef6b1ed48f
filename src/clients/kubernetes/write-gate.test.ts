import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drivenCore, testNode } from '../../../test/support/lab/kubernetes/testing.js';
import { createAuthority, issue } from '../../lab/kubernetes/certificates.js';
import { type SimulatedKubernetes, startKubernetes } from '../../lab/kubernetes/index.js';
import { OxherdError } from '../../model/error.js';
import { CONFIG_MAPS, connectKubernetes, type KubernetesConnection, NODES } from './index.js';

const IP = '10.20.30.41';
const MAP = {
  apiVersion: 'v1' as const,
  kind: 'ConfigMap' as const,
  metadata: { name: 'c', namespace: 'default' },
  data: { a: '1' },
};

let lab: SimulatedKubernetes;
let client: KubernetesConnection;

beforeEach(async () => {
  const core = drivenCore();
  lab = startKubernetes(core);
  const authority = await createAuthority('kubernetes');
  lab.feed.cluster({ authority, version: 'v1.36.0', cni: 'flannel', kubeProxy: true, coreDns: true });
  lab.feed.nodeUp(testNode('cp-1', 41, { controlPlane: true }));
  await lab.feed.apiServerUp(IP);
  const admin = await issue(authority, {
    commonName: 'admin',
    organizations: ['system:masters'],
    usage: 'client',
  });
  client = connectKubernetes({
    endpoints: [IP],
    credentials: { ca: authority.certificate, ...admin },
    dial: (ip, port) => core.network.dial(ip, port),
    clock: core.clock,
  });
});

afterEach(async () => {
  await client.close();
  await lab.close();
});

describe('a cluster behind a write gate', () => {
  it('is read, and gets nothing while the gate is shut', async () => {
    const refusal = new OxherdError('lock.lost', 'lost the cluster lock');
    const gated = client.behind({ open: () => Promise.reject(refusal), isOpen: () => false });
    const merge = { kind: 'merge', namespace: 'default' } as const;
    for (const write of [
      () => gated.create(CONFIG_MAPS, MAP, 'default'),
      () => gated.apply(MAP),
      () => gated.patch(CONFIG_MAPS, 'c', {}, merge),
      () => gated.delete(NODES, 'cp-1'),
      () => gated.evict('pod', 'default'),
    ]) {
      await expect(write()).rejects.toBe(refusal);
    }
    expect(await gated.get(CONFIG_MAPS, 'c', 'default')).toBeUndefined();
    expect(await gated.version()).toBe('v1.36.0');
  });

  it('is written once where the gate has closed before the request was sent', async () => {
    const asked: string[] = [];
    const gated = client.behind({
      open: async () => void asked.push('open'),
      isOpen: () => asked.push('isOpen') > 2,
    });
    await gated.create(CONFIG_MAPS, MAP, 'default');
    expect(asked).toEqual(['open', 'isOpen', 'open', 'isOpen']);
    expect(await client.get(CONFIG_MAPS, 'c', 'default')).toMatchObject({ data: { a: '1' } });
  });
});
