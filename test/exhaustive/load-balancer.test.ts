/** Addresses for Services: one apply brings the pool and who announces it; edits, drift and removal are planned. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICES } from '../../src/clients/kubernetes/resources.js';
import { CliFolder } from '../support/cli.js';
import { withCluster } from '../support/cluster.js';

const NODE = '10.20.30.41';

const config = (loadBalancer: string) => `
cluster: { name: small, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: ${NODE}, vmid: 141 }
kubernetes:
  cilium: { hubble: false }
${loadBalancer}
policy: { outage: allow }
`;
const L2 = (pool: string) => config(`  loadBalancer: { pool: ${pool} }`);
const BGP = config(
  '  loadBalancer: { pool: 192.0.2.0/28, mode: bgp, peers: [{ address: 10.20.30.254, asn: 64513, multihop: 2 }] }',
);

const web = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: 'web' } },
};

describe('addresses of load balancers', () => {
  let folder: CliFolder;
  beforeAll(async () => {
    folder = CliFolder.make(L2('10.20.30.200-10.20.30.201'));
    expect(await folder.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
  });
  afterAll(() => folder.remove());

  const inCluster = <T>(work: Parameters<typeof withCluster<T>>[2]) => withCluster(folder, NODE, work);
  const address = () =>
    inCluster(async ({ kubernetes, pass }) => {
      await pass(5);
      const service = await kubernetes.get(SERVICES, 'web', 'default');
      return service?.status?.loadBalancer?.ingress?.[0]?.ip;
    });
  const converges = async (...steps: RegExp[]) => {
    const plan = await folder.lab('plan');
    for (const step of steps) expect(plan.stdout).toMatch(step);
    expect(await folder.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
    expect((await folder.lab('plan')).stdout).toBe('No changes. The cluster matches oxherd.yaml.\n');
    return plan.stdout;
  };

  it('are handed out from the pool, and status counts them', async () => {
    await inCluster(({ kubernetes }) => kubernetes.apply(web));
    expect(await address()).toBe('10.20.30.200');
    const status = await folder.lab('status', '-a');
    expect(status.stdout).toContain('1 load balancer addresses free');
  });

  it('follow the pool, and a pool that was changed by hand is changed back', async () => {
    folder.config = L2('[10.20.30.210]');
    await converges(/change CiliumLoadBalancerIPPool oxherd/, /kubernetes\.loadBalancer has changed/);
    expect(await address()).toBe('10.20.30.210');
    await inCluster(async ({ kubernetes }) => {
      const pools = await kubernetes.resourceOf('cilium.io/v2', 'CiliumLoadBalancerIPPool');
      const blocks = [{ start: '10.20.30.99', stop: '10.20.30.99' }];
      await kubernetes.patch(pools, 'oxherd', { spec: { blocks } }, { kind: 'merge' });
    });
    await converges(/spec\.blocks\[0\]\.start differs/);
  });

  it('are announced by BGP once Cilium has it on, and go with the section', async () => {
    folder.config = BGP;
    const text = await converges(
      /upgrade Cilium/,
      /create CiliumBGPClusterConfig oxherd/,
      /create CiliumBGPPeerConfig oxherd-hops-2/,
      /create CiliumBGPAdvertisement oxherd/,
      /remove CiliumL2AnnouncementPolicy oxherd/,
    );
    expect(text).not.toMatch(/remove CiliumLoadBalancerIPPool/);
    expect(await address()).toBe('192.0.2.0');
    folder.config = config('');
    await converges(/remove CiliumBGPClusterConfig oxherd/, /remove CiliumLoadBalancerIPPool oxherd/);
    expect(await address()).toBeUndefined();
  });
});
