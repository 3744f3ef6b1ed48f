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
  // The cluster's own list is behind by some seconds; where it is, hosts are asked.
  await site.lab.clock.sleep(15_000);
  const before = site.lab.proxmox.requests().total;
  const plan = await site.plan(client);
  expect(plan).toMatchObject({ steps: [], problems: [] });
  return site.lab.proxmox.requests().total - before;
}

describe('a plan without changes', () => {
  const DISK = '  data: { type: disk, size: 1GiB, on: worker }';
  const CSI = `${DISK}\n  shared: { type: proxmox-csi, size: 1GiB, host: pve1 }`;

  it.each([
    [1, 0, DISK],
    [3, 3, DISK],
    [3, 9, DISK],
    // Access objects are looked at as well.
    [3, 3, CSI],
  ])('of %i + %i nodes asks at most 2N + 3 per host + 10 times', async (controlPlanes, workers, volumes) => {
    const requests = await requestsOfPlan(controlPlanes, workers, volumes);
    expect(requests).toBeLessThanOrEqual(2 * (controlPlanes + workers) + 3 * HOSTS.length + 10);
  });
});
