import { describe, expect, it } from 'vitest';
import {
  clusterForTests,
  deployment,
  MINUTE,
  phase,
  SECOND,
  template,
} from '../../../../test/support/lab/kubernetes/controllers/cluster.js';
import { PLAIN_DELETE } from '../api/options.js';

const cluster = clusterForTests();
const { create, find, pass, pods } = cluster;

describe('the end of things', () => {
  it('a namespace takes everything in it along', async () => {
    await pass(MINUTE);
    create('namespaces', undefined, { metadata: { name: 'shop' } });
    await pass(SECOND);
    create('deployments.apps', 'shop', deployment('web', 2));
    await pass(MINUTE);
    expect(cluster.api.objects.list('pods', 'shop')).toHaveLength(2);
    cluster.api.delete(
      { type: cluster.api.type('namespaces'), namespace: undefined, name: 'shop', subresource: '' },
      PLAIN_DELETE,
    );
    await pass(2 * MINUTE);
    expect(find('namespaces', 'shop')).toBeUndefined();
    expect(cluster.api.objects.list('pods', 'shop')).toEqual([]);
  });

  it('nothing moves while no API server runs', async () => {
    await pass(MINUTE);
    await cluster.lab.feed.apiServerDown('10.20.30.41');
    create('deployments.apps', 'default', deployment('web', 2));
    await pass(5 * MINUTE);
    expect(pods('web')).toEqual([]);
    await cluster.lab.feed.apiServerUp('10.20.30.41');
    await pass(MINUTE);
    expect(pods('web').map(phase)).toEqual(['Running', 'Running']);
  });
});

describe('a cluster that no one touches', () => {
  it('is at rest: only heartbeats are written', async () => {
    create('deployments.apps', 'default', deployment('web', 3));
    create('statefulsets.apps', 'default', {
      metadata: { name: 'db' },
      spec: { serviceName: 'db', selector: { matchLabels: { app: 'db' } }, template: template('db') },
    });
    create('poddisruptionbudgets.policy', 'default', {
      metadata: { name: 'web' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await pass(5 * MINUTE);
    const written: string[] = [];
    const stop = cluster.api.objects.subscribe((change) => {
      if (change.resource !== 'leases.coordination.k8s.io')
        written.push(`${change.resource} ${change.object.metadata.name}`);
    });
    await pass(60 * MINUTE);
    stop();
    // Four nodes report their conditions every five minutes.
    expect(new Set(written)).toEqual(new Set(['nodes cp-1', 'nodes work-1', 'nodes work-2', 'nodes work-3']));
    expect(written.length).toBeLessThanOrEqual(4 * 13);
  });

  it('goes on where it stood when its process was killed', async () => {
    await pass(MINUTE);
    create('deployments.apps', 'default', deployment('web', 2));
    await pass(500);
    const before = pods('web').map((pod) => pod.metadata.uid);
    await cluster.startAgain();
    await pass(MINUTE);
    expect(pods('web').map((pod) => pod.metadata.uid)).toEqual(before);
    expect(pods('web').map(phase)).toEqual(['Running', 'Running']);
  });
});
