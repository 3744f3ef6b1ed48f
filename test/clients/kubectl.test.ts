/** The daily commands of kubectl on a served lab. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missing, type ServedCluster, serveCluster } from './served-cluster.js';

const noKubectl = await missing('kubectl', 'version', '--client');

const READS: readonly [command: string, shape: RegExp][] = [
  ['version', /Server Version: v1\.36\.0/],
  ['get nodes', /^NAME\s+STATUS\s+ROLES\s+AGE\s+VERSION\none\s+Ready\s+control-plane/],
  ['get pods -A', /kube-system\s+kube-apiserver-one\s+1\/1\s+Running/],
  ['get node one -o jsonpath={.status.nodeInfo.osImage}', /^Talos \(v1\.14\.1\)$/],
  ['describe node one', /Name:\s+one[\s\S]*Conditions:[\s\S]*Ready\s+True/],
  ['get --raw /readyz', /^ok$/],
  ['api-resources', /^NAME\s+SHORTNAMES\s+APIVERSION[\s\S]*deployments\s+deploy\s+apps\/v1/],
  ['get events -A', /.*/],
];

describe.skipIf(noKubectl !== '')(`kubectl${noKubectl}`, () => {
  let cluster: ServedCluster;
  beforeAll(async () => {
    cluster = await serveCluster();
  }, 240_000);
  afterAll(() => cluster?.close());

  it.each(READS)('%s', async (command, shape) => {
    const { exit, stdout, stderr } = await cluster.run('kubectl', command.split(' '));
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatch(shape);
  });

  it('applies, scales, and drains', async () => {
    const manifest = JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
        },
      },
    });
    const kubectl = (command: string, input?: string) => cluster.run('kubectl', command.split(' '), input);
    expect((await kubectl('apply -f -', manifest)).stdout).toBe('deployment.apps/web created\n');
    expect((await kubectl('rollout status deployment/web --timeout=60s')).exit).toBe(0);
    expect((await kubectl('scale deployment/web --replicas=2')).stdout).toBe('deployment.apps/web scaled\n');
    expect((await kubectl('cordon one')).stdout).toBe('node/one cordoned\n');
    expect((await kubectl('uncordon one')).stdout).toBe('node/one uncordoned\n');
    expect((await kubectl('get pod nosuch')).exit).toBe(1);
  });
});
