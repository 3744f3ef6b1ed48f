/** How much a plan asks of Proxmox. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { smallCluster } from '../support/configs.js';
import { configOf, VmSite } from '../support/vm-site.js';

const HOSTS = ['pve1', 'pve2', 'pve3'];

async function requestsOfPlan(controlPlanes: number, workers: number, volumes: string): Promise<number> {
  const site = await VmSite.start(configOf(smallCluster({ controlPlanes, workers, hosts: HOSTS, volumes })));
  onTestFinished(() => site.stop());
  const client = site.connect();
  onTestFinished(() => client.close());
  const { result } = await site.apply(client);
  expect(result.outcome).toBe('done');
  const before = site.lab.proxmox.requests().total;
  const plan = await site.plan(client);
  expect(plan).toMatchObject({ steps: [], problems: [] });
  return site.lab.proxmox.requests().total - before;
}

describe('a plan without changes', () => {
  const DISK = '  data: { type: disk, size: 1GiB, on: worker }';
  const CSI = `${DISK}\n  shared: { type: proxmox-csi, size: 1GiB, host: pve1 }`;

  it.each([
    [1, 0, DISK, 0],
    [3, 3, DISK, 0],
    [3, 9, DISK, 0],
    // Access objects are looked at as well, under the names of version 0.1.0 too.
    [3, 3, CSI, 6],
  ])(
    'of %i + %i nodes asks four times per node (config and snapshots of two VMs), four times per host and a few times more',
    async (controlPlanes, workers, volumes, more) => {
      const requests = await requestsOfPlan(controlPlanes, workers, volumes);
      expect(requests).toBeLessThanOrEqual(4 * (controlPlanes + workers) + 4 * HOSTS.length + 10 + more);
    },
  );
});
