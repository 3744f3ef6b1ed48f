import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drivenCore, testNode } from '../../../test/support/lab/kubernetes/testing.js';
import { createAuthority, issue } from '../../lab/kubernetes/certificates.js';
import { type SimulatedKubernetes, startKubernetes } from '../../lab/kubernetes/index.js';
import type { LabCore } from '../../lab/lab.js';
import {
  CONFIG_MAPS,
  connectKubernetes,
  isKubernetesError,
  JOBS,
  type KubernetesClient,
  KubernetesError,
  type KubernetesObject,
  NAMESPACES,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from './index.js';

const VIP = '10.20.30.40';
const PLANES = ['10.20.30.41', '10.20.30.42'];
const MINUTE = 60_000;

let core: LabCore;
let lab: SimulatedKubernetes;
let client: KubernetesClient;

beforeEach(async () => {
  core = drivenCore();
  lab = startKubernetes(core);
  const authority = await createAuthority('kubernetes');
  lab.feed.cluster({ authority, version: 'v1.36.0', cni: 'flannel', kubeProxy: true, coreDns: true });
  lab.feed.nodeUp(testNode('cp-1', 41, { controlPlane: true, taints: [CONTROL_PLANE_TAINT] }));
  lab.feed.nodeUp(testNode('work-1', 51));
  lab.feed.nodeUp(testNode('work-2', 52));
  for (const ip of [VIP, ...PLANES]) await lab.feed.apiServerUp(ip);
  const admin = await issue(authority, {
    commonName: 'admin',
    organizations: ['system:masters'],
    usage: 'client',
  });
  client = connectKubernetes({
    endpoints: [VIP, ...PLANES],
    credentials: { ca: authority.certificate, ...admin },
    dial: (ip, port) => core.network.dial(ip, port),
    clock: core.clock,
  });
});

afterEach(async () => {
  await client.close();
  await lab.close();
});

const CONTROL_PLANE_TAINT = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };

function configMap(data: Record<string, string>): KubernetesObject & { data: Record<string, string> } {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' }, data };
}

async function failure(work: Promise<unknown>): Promise<KubernetesError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof KubernetesError) return error;
  throw new Error(`expected a KubernetesError, got ${String(error)}`);
}

describe('reading', () => {
  it('says which version answers and whether it is ready', async () => {
    expect(await client.version()).toBe('v1.36.0');
    expect(await client.ready()).toBe(true);
    expect(await client.ready(PLANES[1])).toBe(true);
    const days = ((await client.servingUntil(PLANES[1] ?? '')) ?? 0) / (24 * 60 * MINUTE);
    expect(Math.round(days - Date.now() / (24 * 60 * MINUTE))).toBe(365);
    await lab.feed.apiServerDown(PLANES[1] ?? '');
    expect(await client.ready(PLANES[1])).toBe(false);
    expect(await client.servingUntil(PLANES[1] ?? '')).toBeUndefined();
  });

  it('waits until nodes are ready, by the lab clock', async () => {
    const before = core.clock.now();
    const node = await client.waitFor(
      NODES,
      'work-1',
      undefined,
      (object) => object?.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false,
      { timeoutMs: 5 * MINUTE },
    );
    expect(node?.status?.nodeInfo?.kubeletVersion).toBe('v1.36.0');
    expect(core.clock.now() - before).toBeGreaterThan(1000);
  });

  it('gives up with the time it waited', async () => {
    const error = await failure(client.waitFor(NODES, 'nope', undefined, Boolean, { timeoutMs: 30_000 }));
    expect(error.code).toBe('kubernetes.timeout');
    expect(error.message).toContain('30 s');
  });

  it('gets nothing where there is nothing, and lists by selector with kinds', async () => {
    expect(await client.get(PODS, 'nope', 'default')).toBeUndefined();
    const [namespace] = await client.list(NAMESPACES, { fieldSelector: 'metadata.name=kube-system' });
    expect(namespace).toMatchObject({ kind: 'Namespace', metadata: { name: 'kube-system' } });
  });
});

describe('falling back', () => {
  it('asks each control plane when the VIP is gone, and keeps to the one that answered', async () => {
    await lab.feed.apiServerDown(VIP);
    expect(await client.version()).toBe('v1.36.0');
    await lab.feed.apiServerDown(PLANES[0] ?? '');
    expect(await client.version()).toBe('v1.36.0');
    await lab.feed.apiServerDown(PLANES[1] ?? '');
    const error = await failure(client.version());
    expect(error.code).toBe('kubernetes.unreachable');
    expect(error.advice).toContain('quorum');
  });

  it('does not talk to a server of another CA', async () => {
    const stranger = await createAuthority('other');
    const admin = await issue(stranger, {
      commonName: 'admin',
      organizations: ['system:masters'],
      usage: 'client',
    });
    const other = connectKubernetes({
      endpoints: [VIP],
      credentials: { ca: stranger.certificate, ...admin },
      dial: (ip, port) => core.network.dial(ip, port),
      clock: core.clock,
    });
    expect((await failure(other.version())).code).toBe('kubernetes.untrusted');
    await other.close();
  });

  it('reports an API without etcd', async () => {
    lab.feed.etcdQuorum(false);
    expect(await client.ready()).toBe(false);
    expect((await failure(client.list(NODES))).code).toBe('kubernetes.failed');
  });
});

describe('applying', () => {
  it('owns what it applied, changes nothing the second time, and drops what it does not mention', async () => {
    const first = await client.apply(configMap({ a: '1', b: '2' }));
    const again = await client.apply(configMap({ a: '1', b: '2' }));
    expect(again.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const less = await client.apply(configMap({ a: '1' }));
    expect(less.data).toEqual({ a: '1' });
    expect(less.metadata.managedFields).toMatchObject([{ manager: 'oxherd', operation: 'Apply' }]);
  });

  it('names the manager it conflicts with, and wins by force', async () => {
    await client.apply(configMap({ a: '1' }), { fieldManager: 'somebody' });
    const error = await failure(client.apply(configMap({ a: '2' })));
    expect(error.code).toBe('kubernetes.field-conflict');
    expect(error.status?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "somebody"', field: '.data.a' },
    ]);
    expect((await client.apply(configMap({ a: '2' }), { force: true })).data).toEqual({ a: '2' });
  });

  it('changes nothing in a dry run', async () => {
    await client.apply(configMap({ a: '1' }), { dryRun: true });
    expect(await client.get(CONFIG_MAPS, 'c', 'default')).toBeUndefined();
  });

  it('finds custom kinds by discovery and says when there is none', async () => {
    const error = await failure(client.resourceOf('example.org/v1', 'Thing'));
    expect(error.code).toBe('kubernetes.not-found');
    expect((await client.resourceOf('rbac.authorization.k8s.io/v1', 'RoleBinding')).plural).toBe(
      'rolebindings',
    );
  });

  it('says which field is wrong', async () => {
    const error = await failure(client.create(NAMESPACES, { metadata: { name: 'a.b' } }));
    expect(error.code).toBe('kubernetes.invalid');
    expect(error.status?.causes[0]?.field).toBe('metadata.name');
  });
});

describe('evicting', () => {
  async function pod(name: string): Promise<void> {
    await client.waitFor(NODES, 'work-1', undefined, (n) => n?.spec?.taints === undefined, {
      timeoutMs: 5 * MINUTE,
    });
    await client.create(
      PODS,
      { metadata: { name, labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'web:1' }] } },
      'default',
    );
    await client.waitFor(PODS, name, 'default', (object) => object?.status?.phase === 'Running', {
      timeoutMs: MINUTE,
    });
  }

  it('keeps to the disruption budget and tells which', async () => {
    await pod('p');
    await client.create(
      POD_DISRUPTION_BUDGETS,
      { metadata: { name: 'web' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } } },
      'default',
    );
    await client.waitFor(POD_DISRUPTION_BUDGETS, 'web', 'default', (b) => b?.status?.currentHealthy === 1, {
      timeoutMs: MINUTE,
    });
    const error = await failure(client.evict('p', 'default'));
    expect(error.code).toBe('kubernetes.disruption-budget');
    expect(error.status?.causes[0]?.message).toBe(
      'The disruption budget web needs 1 healthy pods and has 1 currently',
    );
    await client.delete(POD_DISRUPTION_BUDGETS, 'web', { namespace: 'default' });
    expect(await client.evict('p', 'default')).toBe(true);
    await client.waitFor(PODS, 'p', 'default', (object) => object === undefined, { timeoutMs: MINUTE });
    expect(await client.evict('p', 'default')).toBe(false);
  });
});

describe('watching', () => {
  it('starts with a list, goes on with changes, and survives the loss of a server', async () => {
    await client.apply(configMap({ a: '1' }));
    const stop = new AbortController();
    const events = client.watch(CONFIG_MAPS, {
      namespace: 'default',
      fieldSelector: 'metadata.name=c',
      signal: stop.signal,
    });
    const listed = await events.next();
    expect(listed.value).toMatchObject({ type: 'LISTED', items: [{ data: { a: '1' } }] });
    const next = events.next();
    await client.apply(configMap({ a: '2' }));
    expect((await next).value).toMatchObject({ type: 'MODIFIED', object: { data: { a: '2' } } });
    const afterLoss = events.next();
    await lab.feed.apiServerDown(VIP);
    await client.delete(CONFIG_MAPS, 'c', { namespace: 'default' });
    expect((await afterLoss).value).toMatchObject({ type: 'DELETED' });
    stop.abort();
    await events.return(undefined);
  });

  it('lists again when the server has forgotten where it was', async () => {
    const stop = new AbortController();
    const events = client.watch(CONFIG_MAPS, { namespace: 'default', signal: stop.signal });
    await events.next();
    const next = events.next();
    // The stream breaks, and the changes since then are forgotten before it is opened again.
    for (const ip of [VIP, ...PLANES]) await lab.feed.apiServerDown(ip);
    lab.api.create(lab.api.type('configmaps'), 'default', configMap({ a: '1' }), {
      dryRun: false,
      manager: 'test',
      validation: 'Ignore',
      force: false,
      warnings: [],
    });
    lab.api.objects.compact();
    for (const ip of [VIP, ...PLANES]) await lab.feed.apiServerUp(ip);
    expect((await next).value).toMatchObject({ type: 'LISTED' });
    stop.abort();
    await events.return(undefined);
  });
});

describe('logs', () => {
  it('reads what a failed job printed', async () => {
    await client.waitFor(NODES, 'work-1', undefined, (n) => n?.spec?.taints === undefined, {
      timeoutMs: 5 * MINUTE,
    });
    const template = {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'c', image: 'x:1', command: ['sh', '-c', 'exit 3'] }],
      },
    };
    await client.create(JOBS, { metadata: { name: 'bad' }, spec: { backoffLimit: 0, template } }, 'default');
    await client.waitFor(
      JOBS,
      'bad',
      'default',
      (j) => j?.status?.conditions?.some((c) => c.type === 'Failed') ?? false,
      { timeoutMs: 5 * MINUTE },
    );
    const [pod] = await client.list(PODS, { namespace: 'default', labelSelector: 'job-name=bad' });
    expect(await client.logs(pod?.metadata?.name ?? '', 'default')).toContain('exit code 3');
    expect(isKubernetesError(await failure(client.logs('nope', 'default')), 'kubernetes.not-found')).toBe(
      true,
    );
  });
});
