/**
 * What oxherd and kubectl rely on, tried on the lab's own Kubernetes API and, where etcd and kube-apiserver are on the
 * PATH, on the real one. Where the two differ, the lab's own is wrong.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  JOBS,
  type KubernetesError,
  NAMESPACES,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  SERVICE_ACCOUNTS,
} from '../../src/clients/kubernetes/index.js';
import { gatewayDefinitions } from '../../src/lab/kubernetes/stand-in-manifests.js';
import { CliFolder } from '../support/cli.js';
import { comparable, designedObjects } from '../support/designed-objects.js';
import { EXAMPLES } from '../support/examples.js';
import {
  type ContractCluster,
  ENDPOINT,
  realBinaries,
  startContractCluster,
} from '../support/kubernetes-contract.js';

const onPath = realBinaries() !== undefined;
const MAPS = '/api/v1/namespaces/default/configmaps';
const APPLY = 'application/apply-patch+yaml';
/** What each API shows, to be compared. */
const shown = new Map<string, unknown>();

describe.each([
  { kind: 'simulated', there: true },
  { kind: 'real', there: onPath },
] as const)('the $kind Kubernetes API', ({ kind, there }) => {
  describe.skipIf(!there)('behaves', () => {
    let cluster: ContractCluster;
    beforeAll(async () => {
      cluster = await startContractCluster(kind);
      await cluster.pass(60);
    });
    afterAll(async () => {
      await cluster?.close();
    });

    const map = (name: string, data: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data,
    });
    /** A real server tells the controllers of a change a moment later: lab time is given to them in pieces. */
    const until = async (what: string, holds: () => Promise<boolean>) => {
      for (let count = 0; count < 40; count += 1) {
        if (await holds()) return;
        await cluster.pass(5);
      }
      throw new Error(`${what} did not come`);
    };
    const apply = (name: string, data: Record<string, string>, query: string) =>
      cluster.send('PATCH', `${MAPS}/${name}?${query}`, { type: APPLY, body: map(name, data) });

    it('creates, reads, changes and deletes, and refuses what is not based on the latest', async () => {
      const created = await cluster.send('POST', MAPS, { body: map('crud', { a: '1' }) });
      expect(created.status).toBe(201);
      expect(created.body.metadata).toMatchObject({
        name: 'crud',
        uid: expect.stringMatching(/^[\da-f-]{36}$/),
      });
      expect(await cluster.send('POST', MAPS, { body: map('crud', {}) })).toMatchObject({
        status: 409,
        body: { reason: 'AlreadyExists', message: 'configmaps "crud" already exists' },
      });
      const merged = await cluster.client.patch(
        CONFIG_MAPS,
        'crud',
        { data: { a: null, b: '2' } },
        {
          kind: 'merge',
          namespace: 'default',
        },
      );
      expect(merged.data).toEqual({ b: '2' });
      const stale = await cluster.send('PUT', `${MAPS}/crud`, {
        body: { ...created.body, data: { c: '3' } },
      });
      expect(stale).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
      const json = [{ op: 'add', path: '/data/d', value: '4' }];
      const patched = await cluster.client.patch(CONFIG_MAPS, 'crud', json, {
        kind: 'json',
        namespace: 'default',
      });
      expect(patched.data).toEqual({ b: '2', d: '4' });
      const another = { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } };
      expect(await cluster.send('DELETE', `${MAPS}/crud`, { body: another })).toMatchObject({
        status: 409,
        body: { reason: 'Conflict', details: { name: 'crud' } },
      });
      expect(await cluster.client.delete(CONFIG_MAPS, 'crud', { namespace: 'default' })).toBe(true);
      expect(await cluster.client.delete(CONFIG_MAPS, 'crud', { namespace: 'default' })).toBe(false);
      expect(await cluster.client.get(CONFIG_MAPS, 'crud', 'default')).toBeUndefined();
    });

    it('says which field is wrong or unknown', async () => {
      const unknown = { ...map('wrong', {}), nope: true };
      expect(await cluster.send('POST', `${MAPS}?fieldValidation=Strict`, { body: unknown })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('strict decoding error: unknown field "nope"') },
      });
      expect(await cluster.send('POST', MAPS, { body: map('Not_A_Name', {}) })).toMatchObject({
        status: 422,
        body: { reason: 'Invalid', details: { causes: [{ field: 'metadata.name' }] } },
      });
      const applied = await cluster.send('PATCH', `${MAPS}/wrong?fieldManager=one&fieldValidation=Strict`, {
        type: APPLY,
        body: unknown,
      });
      expect(applied.status).toBe(500);
      expect(applied.body.message).toContain('field not declared in schema');
    });

    it('knows who applied which field', async () => {
      expect((await apply('owned', { a: '1', b: '1' }, 'fieldManager=one')).status).toBe(201);
      const conflict = await apply('owned', { a: '2' }, 'fieldManager=two');
      expect(conflict).toMatchObject({
        status: 409,
        body: {
          reason: 'Conflict',
          details: {
            causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }],
          },
        },
      });
      const forced = await apply('owned', { a: '2' }, 'fieldManager=two&force=true');
      expect(forced.body.data).toEqual({ a: '2', b: '1' });
      // What its owner does not name any more goes; what another has taken over stays.
      const dropped = await apply('owned', {}, 'fieldManager=one');
      expect(dropped.body.data).toEqual({ a: '2' });
      const again = await apply('owned', { a: '2' }, 'fieldManager=two');
      const version = (answer: { body: Readonly<Record<string, unknown>> }) =>
        (answer.body.metadata as { resourceVersion: string }).resourceVersion;
      expect(version(again)).toBe(version(dropped));
    });

    it('streams changes in order, and marks where it is', async () => {
      const { body } = await cluster.send('GET', MAPS);
      const { resourceVersion } = body.metadata as { resourceVersion: string };
      const events = cluster.watch(
        `${MAPS}?watch=true&resourceVersion=${resourceVersion}&fieldSelector=metadata.name%3Dseen`,
        3,
      );
      await cluster.send('POST', MAPS, { body: map('seen', { a: '1' }) });
      await cluster.send('POST', MAPS, { body: map('unseen', {}) });
      await cluster.client.patch(
        CONFIG_MAPS,
        'seen',
        { data: { a: '2' } },
        { kind: 'merge', namespace: 'default' },
      );
      await cluster.client.delete(CONFIG_MAPS, 'seen', { namespace: 'default' });
      expect((await events).map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
      const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const all = await cluster.watch(
        `${MAPS}?watch=true&${initial}&fieldSelector=metadata.name%3Dunseen`,
        2,
      );
      expect(all).toMatchObject([
        { type: 'ADDED', object: { metadata: { name: 'unseen' } } },
        { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } },
      ]);
      const future = await cluster.send('GET', `${MAPS}?resourceVersion=999999999`);
      expect(future).toMatchObject({ status: 504, body: { reason: 'Timeout' } });
    });

    it('selects by label and field, and lists by pages', async () => {
      for (const [name, tier] of [
        ['s1', 'a'],
        ['s2', 'a'],
        ['s3', 'b'],
      ] as const) {
        const body = { ...map(name, {}), metadata: { name, labels: { tier } } };
        await cluster.send('POST', MAPS, { body });
      }
      const names = async (options: { labelSelector?: string; fieldSelector?: string }) =>
        (await cluster.client.list(CONFIG_MAPS, { namespace: 'default', ...options })).map(
          (item) => item.metadata?.name,
        );
      expect(await names({ labelSelector: 'tier=a' })).toEqual(['s1', 's2']);
      expect(await names({ labelSelector: 'tier in (b)' })).toEqual(['s3']);
      expect(await names({ labelSelector: 'tier,tier!=b' })).toEqual(['s1', 's2']);
      expect(await names({ fieldSelector: 'metadata.name=s3' })).toEqual(['s3']);
      const wrong = await cluster.send('GET', `${MAPS}?fieldSelector=data.a%3D1`);
      expect(wrong).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
      const first = await cluster.send('GET', `${MAPS}?limit=2`);
      const { continue: next, remainingItemCount } = first.body.metadata as {
        continue: string;
        remainingItemCount: number;
      };
      expect(first.body.items).toHaveLength(2);
      const rest = await cluster.send('GET', `${MAPS}?limit=500&continue=${next}`);
      expect(rest.body.items).toHaveLength(remainingItemCount);
    });

    it('prints tables', async () => {
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      const columns = async (path: string) => {
        const { body } = await cluster.send('GET', path, { accept });
        expect(body.kind).toBe('Table');
        return (body.columnDefinitions as { name: string; priority: number }[]).map(
          ({ name, priority }) => `${name}${priority > 0 ? '*' : ''}`,
        );
      };
      const tables = {
        nodes: await columns('/api/v1/nodes'),
        pods: await columns('/api/v1/pods'),
        volumes: await columns('/api/v1/persistentvolumes'),
        deployments: await columns('/apis/apps/v1/deployments'),
        budgets: await columns('/apis/policy/v1/poddisruptionbudgets'),
        jobs: await columns('/apis/batch/v1/jobs'),
      };
      expect(tables.pods.slice(0, 5)).toEqual(['Name', 'Ready', 'Status', 'Restarts', 'Age']);
      shown.set(`${kind} tables`, tables);
    });

    it('tells what it has', async () => {
      const { body } = await cluster.send('GET', '/api/v1');
      const resources = body.resources as { name: string; kind: string; group?: string; version?: string }[];
      expect(resources.find(({ name }) => name === 'pods/eviction')).toMatchObject({
        kind: 'Eviction',
        group: 'policy',
        version: 'v1',
      });
      await expect(cluster.client.resourceOf('example.org/v1', 'Widget')).rejects.toThrow(/Widget/);
      const [definition] = gatewayDefinitions('v1.6.3', false);
      await cluster.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        body: definition,
      });
      await cluster.client.waitFor(
        CUSTOM_RESOURCE_DEFINITIONS,
        'backendtlspolicies.gateway.networking.k8s.io',
        undefined,
        (object) =>
          object?.status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') ?? false,
        { timeoutMs: 600_000 },
      );
      await expect
        .poll(() =>
          cluster.client
            .resourceOf('gateway.networking.k8s.io/v1', 'BackendTLSPolicy')
            .catch(() => undefined),
        )
        .toMatchObject({ plural: 'backendtlspolicies', namespaced: true });
      const unapproved = {
        ...definition,
        metadata: { name: 'backendtlspolicies.gateway.networking.k8s.io' },
      };
      const refused = await cluster.send(
        'POST',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
        {
          body: unapproved,
        },
      );
      expect(refused.body.message).toContain('api-approved.kubernetes.io');
    });

    it('lets in who is known', async () => {
      expect((await cluster.send('GET', '/api/v1/nodes', { as: 'anonymous' })).status).toBe(403);
      expect((await cluster.send('GET', '/api/v1/nodes', { as: 'wrong' })).status).toBe(401);
      expect((await cluster.send('GET', '/readyz', { as: 'anonymous' })).status).toBe(200);
    });

    it('evicts within the budget, and puts no pod on a cordoned node', async () => {
      const labels = { app: 'web' };
      await cluster.client.patch(NODES, 'work-1', { spec: { unschedulable: true } }, { kind: 'strategic' });
      await cluster.client.apply({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
        },
      } as never);
      await cluster.client.create(
        POD_DISRUPTION_BUDGETS,
        { metadata: { name: 'web' }, spec: { minAvailable: 1, selector: { matchLabels: labels } } },
        'default',
      );
      const webs = () => cluster.client.list(PODS, { namespace: 'default', labelSelector: 'app=web' });
      await until('a budget with room', async () => {
        const budget = await cluster.client.get(POD_DISRUPTION_BUDGETS, 'web', 'default');
        return budget?.status?.disruptionsAllowed === 1;
      });
      const pods = await webs();
      expect(pods.map((pod) => pod.status?.phase)).toEqual(['Running', 'Running']);
      expect(pods.map((pod) => pod.spec?.nodeName)).toEqual(['work-2', 'work-2']);
      const [first, second] = pods.map((pod) => pod.metadata?.name ?? '');
      expect(await cluster.client.evict(first ?? '', 'default')).toBe(true);
      const refused: KubernetesError = await cluster.client.evict(second ?? '', 'default').then(
        () => expect.fail('the budget let both go'),
        (error) => error,
      );
      expect(refused).toMatchObject({ code: 'kubernetes.disruption-budget' });
      await until('a new pod', async () => {
        const names = (await webs()).map((pod) => pod.metadata?.name);
        return names.length === 2 && !names.includes(first);
      });
      await cluster.client.patch(NODES, 'work-1', { spec: { unschedulable: null } }, { kind: 'strategic' });
      const node = await cluster.client.get(NODES, 'work-1');
      expect(node?.spec?.unschedulable).toBeUndefined();
    });

    it('runs a Job to its end, and takes a namespace away with everything in it', async () => {
      await cluster.client.apply({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'short', labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
      });
      const account = () => cluster.client.get(SERVICE_ACCOUNTS, 'default', 'short');
      await until('the service account', async () => (await account()) !== undefined);
      await cluster.client.create(
        JOBS,
        {
          metadata: { name: 'task' },
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'task:1' }] } },
          },
        },
        'short',
      );
      const read = () => cluster.client.get(JOBS, 'task', 'short');
      await until('the end of the Job', async () => (await read())?.status?.succeeded === 1);
      const job = await read();
      expect(job?.status?.conditions?.find(({ type }) => type === 'Complete')?.status).toBe('True');
      const [pod] = await cluster.client.list(PODS, { namespace: 'short' });
      expect(await cluster.client.logs(pod?.metadata?.name ?? '', 'short', { tailLines: 5 })).toBe('done\n');
      expect(await cluster.client.delete(NAMESPACES, 'short')).toBe(true);
      await until('its end', async () => (await cluster.client.get(NAMESPACES, 'short')) === undefined);
      expect(await cluster.client.list(PODS, { namespace: 'short' })).toEqual([]);
    });

    it('takes what the design yields, and a second apply changes nothing', async () => {
      const objects = designedObjects();
      const versions = async () => {
        const out: Record<string, string | undefined> = {};
        for (const object of objects) {
          const now = await cluster.client.apply(object, { force: true });
          out[`${object.kind} ${object.metadata.name}`] = now.metadata.resourceVersion;
        }
        return out;
      };
      await versions();
      // The controllers bind, annotate and report; then there is nothing left to do.
      await cluster.pass(120);
      const second = await versions();
      expect(await versions()).toEqual(second);
      const seen: Record<string, unknown> = {};
      for (const { apiVersion, kind: of, metadata } of objects) {
        const resource = await cluster.client.resourceOf(apiVersion, of);
        seen[`${of} ${metadata.name}`] = comparable(
          await cluster.client.get(resource, metadata.name, metadata.namespace),
        );
      }
      shown.set(kind, seen);
      expect(Object.values(seen)).toHaveLength(objects.length);
    });

    it('keeps its objects when its API servers start again, and has forgotten the changes before', async () => {
      await apply('kept', { a: '1' }, 'fieldManager=one');
      await cluster.lab.feed.apiServerDown(ENDPOINT);
      expect(await cluster.client.ready()).toBe(false);
      await cluster.lab.feed.apiServerUp(ENDPOINT);
      expect((await cluster.client.get(CONFIG_MAPS, 'kept', 'default'))?.data).toEqual({ a: '1' });
      const [old] = await cluster.watch(`${MAPS}?watch=true&resourceVersion=1`, 1);
      expect(old).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    });

    it('refused nothing that the lab’s own controllers wrote', () => {
      expect(cluster.refused).toEqual([]);
    });
  });
});

describe.skipIf(!onPath)('both', () => {
  it('print the same tables', () => {
    expect(shown.get('simulated tables')).toEqual(shown.get('real tables'));
  });

  it('show the objects of the design alike', () => {
    expect(shown.get('simulated')).toEqual(shown.get('real'));
  });
});

it('says what is missing where someone asks for the real one without it', async () => {
  const folder = CliFolder.make(readFileSync(join(EXAMPLES, 'tiny', 'oxherd.yaml'), 'utf8'));
  const { exit, stderr } = await folder.run(['--lab', '--kubernetes', 'real', 'plan'], { env: { PATH: '' } });
  folder.remove();
  expect(exit).toBe(1);
  expect(stderr).toContain('--kubernetes real needs etcd and kube-apiserver, which are not on the PATH');
  expect(stderr).toContain('setup-envtest');
});
