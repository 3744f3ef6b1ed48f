/** How much a site is asked by the fleet controller, by the lab's own count of requests. */
import { setMaxListeners } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectProxmox } from '../../src/clients/proxmox/client.js';
import { CLUSTERS, SITES } from '../../src/controller/api/group.js';
import { SiteBook } from '../../src/controller/sites/site-book.js';
import { SitePoll } from '../../src/controller/sites/site-poll.js';
import { Fleet, NAMESPACE, statusOf } from '../support/fleet.js';
import { smallFile } from '../support/small-file.js';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start(smallFile());
  await fleet.giveSecrets();
  await fleet.setConfig(smallFile());
  await fleet.createCluster({ secretsRef: { name: 'given' } });
});
afterAll(() => fleet?.stop());

const asked = () => fleet.lab.proxmox.requests().total;

it('is never more than the limit of the site allows', async () => {
  await fleet.client.patch(SITES, 'rack', { spec: { limits: { requestsPerSecond: 5 } } }, { kind: 'merge' });
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  const replica = fleet.replica('one', { sites: new SiteBook(fleet.time, signal) });
  let ended = false;
  const work = fleet.reconcile(replica).finally(() => {
    ended = true;
  });
  const begun = { asked: asked(), at: fleet.time.elapsed() };
  const seconds = () => (fleet.time.elapsed() - begun.at) / 1_000;
  while (!ended) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(asked() - begun.asked).toBeLessThanOrEqual(5 * (seconds() + 1));
    fleet.time.pass(100);
  }
  await work;
  expect(await fleet.conditions()).toMatchObject({ Observed: 'True Succeeded' });
  expect(asked() - begun.asked).toBeGreaterThan(10);
  expect(seconds()).toBeGreaterThan(1);
});

it('is one request for all clusters of a site, and wakes those whose VMs changed', async () => {
  const woken: string[] = [];
  const replica = fleet.replica('two');
  const poll = new SitePoll(
    replica,
    (key) => woken.push(key),
    (key) => key !== 'team-a/elsewhere',
  );
  await fleet.createCluster({ secretsRef: { name: 'given' }, suspend: true }, 'elsewhere');
  const cluster = { namespace: NAMESPACE, hosts: ['pve1', 'pve2'], running: false };
  const clusters = [
    { ...cluster, key: 'team-a/small', name: 'small', tag: 'oxherd-x' },
    { ...cluster, key: 'team-a/elsewhere', name: 'elsewhere', tag: 'oxherd-y', hosts: [] },
  ];
  const before = asked();
  await poll.ask('rack', clusters);
  await poll.ask('rack', clusters);
  expect(asked() - before).toBe(2);
  expect(woken).toEqual([]);
  expect(poll.isDue('rack')).toBe(false);
  fleet.time.pass(30_000);
  expect(poll.isDue('rack')).toBe(true);
  const { lab } = fleet;
  const hand = connectProxmox({ ...fleet.place().connection, clock: lab.clock, random: () => 0.5 });
  await hand.waitTask(await hand.createVm('pve1', 900, { tags: 'oxherd-x;other' }));
  await hand.waitTask(await hand.createVm('pve1', 901, { tags: 'oxherd-y' }));
  await hand.close();
  await poll.ask('rack', clusters);
  expect(woken).toEqual(['team-a/small']);
  // One of another replica is woken through its object.
  const elsewhere = await fleet.client.get(CLUSTERS, 'elsewhere', NAMESPACE);
  expect(statusOf(elsewhere)).toMatchObject({ changedAt: expect.stringContaining('2026-06-01T10:') });
});
