import { describe, expect, it } from 'vitest';
import {
  clusterForTests,
  deployment,
  MINUTE,
  SECOND,
} from '../../../../../test/support/lab/kubernetes/controllers/cluster.js';
import { internalWrite, PLAIN_DELETE } from '../../api/options.js';
import { at, listOf, objOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { columnsOf } from '../../tables/columns.js';

const cluster = clusterForTests();
const { create, find, pass, pods } = cluster;

const SLICES = 'endpointslices.discovery.k8s.io';
const REVISIONS = 'controllerrevisions.apps';
const service = (name: string, more = {}) => ({
  metadata: { name, labels: { team: 'shop' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...more },
});
const addresses = () => pods('web').map((pod) => String(at(pod, 'status', 'podIP')));
const slice = () =>
  cluster.api.objects.list(SLICES, 'default').find(({ metadata }) => metadata.generateName === 'web-');
const cells = (resource: string, object: KubeObject | undefined) =>
  columnsOf(cluster.api.type(resource)).map(({ name, cell }) => [name, object && cell(object, 0)]);

async function web(replicas: number): Promise<void> {
  await pass(MINUTE);
  create('deployments.apps', 'default', deployment('web', replicas));
  create('services', 'default', service('web'));
  await pass(MINUTE);
}

describe('endpoints and slices', () => {
  it('have the addresses of ready pods, with their nodes', async () => {
    await web(2);
    const [subset] = listOf(find('endpoints', 'web', 'default')?.subsets).map(objOf);
    expect(listOf(subset?.addresses).map((address) => at(address, 'ip'))).toEqual(addresses());
    expect(subset?.ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }]);
    expect(slice()?.metadata.labels).toMatchObject({
      team: 'shop',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    });
    for (const endpoint of listOf(slice()?.endpoints))
      expect(endpoint).toMatchObject({ conditions: { ready: true, serving: true, terminating: false } });
    const shown = addresses();
    expect(cells('endpoints', find('endpoints', 'web', 'default'))).toContainEqual([
      'Endpoints',
      shown.map((ip) => `${ip}:8080`).join(','),
    ]);
    expect(cells(SLICES, slice())).toEqual(
      expect.arrayContaining([
        ['AddressType', 'IPv4'],
        ['Ports', '8080'],
        ['Endpoints', shown.join(',')],
      ]),
    );
  });

  it('show three addresses and count the others', async () => {
    await web(5);
    const text = cells('endpoints', find('endpoints', 'web', 'default')).find(
      ([name]) => name === 'Endpoints',
    );
    expect(text?.[1]).toMatch(/^(10\.244\.\d+\.\d+:8080,?){3} \+ 2 more\.\.\.$/);
  });

  it('go with their service', async () => {
    await web(1);
    const target = {
      type: cluster.api.type('services'),
      namespace: 'default',
      name: 'web',
      subresource: '',
    };
    cluster.api.delete(target, PLAIN_DELETE);
    await pass(10 * SECOND);
    expect(find('endpoints', 'web', 'default')).toBeUndefined();
    expect(slice()).toBeUndefined();
  });
});

describe('revisions of a daemon set', () => {
  it('are one per template, the newest last, and the old one again when it is asked for', async () => {
    await pass(MINUTE);
    const template = (image: string) => ({
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'c', image }] },
    });
    create('daemonsets.apps', 'default', {
      metadata: { name: 'agent' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: template('x:1') },
    });
    await pass(MINUTE);
    const change = async (image: string) => {
      const old = find('daemonsets.apps', 'agent', 'default');
      if (!old) throw new Error('no daemon set');
      const target = {
        type: cluster.api.type('daemonsets.apps'),
        namespace: 'default',
        name: 'agent',
        subresource: '',
      };
      const spec = { ...objOf(old.spec), template: template(image) };
      cluster.api.replace(target, old, { ...old, spec }, internalWrite('test'));
      await pass(MINUTE);
    };
    const revisions = () =>
      cluster.api.objects
        .list(REVISIONS, 'default')
        .map((one) => [at(one, 'data', 'spec', 'template', 'spec', 'containers'), one.revision])
        .map(([containers, revision]) => [objOf(listOf(containers)[0]).image, revision])
        .sort(([, a], [, b]) => Number(a) - Number(b));
    expect(revisions()).toEqual([['x:1', 1]]);
    await change('x:2');
    expect(revisions()).toEqual([
      ['x:1', 1],
      ['x:2', 2],
    ]);
    await change('x:1');
    expect(revisions()).toEqual([
      ['x:2', 2],
      ['x:1', 3],
    ]);
    const [newest] = cluster.api.objects.list(REVISIONS, 'default').filter((one) => one.revision === 3);
    expect(cells(REVISIONS, newest)).toEqual(
      expect.arrayContaining([
        ['Controller', 'daemonset.apps/agent'],
        ['Revision', '3'],
      ]),
    );
  });
});
