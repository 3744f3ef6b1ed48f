/** A rehearsal with a bug that writes to the cluster it looks at: the write is refused, and nothing has changed. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { NODES } from '../../../src/clients/kubernetes/resources.js';
import type { Site } from '../../../src/session/connect/site.js';
import { ended } from '../../support/cli.js';
import { ClusterSite } from '../../support/cluster-site.js';
import { realState } from '../../support/rehearsals.js';
import { smallFile } from '../../support/small-file.js';

/** What the bug does while the cluster is looked at. */
let plant: ((site: Site) => Promise<unknown>) | undefined;
vi.mock('../../../src/session/rehearse/take-observation.js', async (original) => {
  const real = await original<typeof import('../../../src/session/rehearse/take-observation.js')>();
  const takeObservation: typeof real.takeObservation = async (site, options) => {
    const seen = await real.takeObservation(site, options);
    await plant?.(site);
    return seen;
  };
  return { ...real, takeObservation };
});

let site: ClusterSite;
beforeAll(async () => {
  site = await ClusterSite.open(smallFile());
  ended(await site.run('apply', '--yes'));
  site.config = smallFile({ worker: ', memory: 5GiB' });
}, 300_000);
afterAll(() => site.remove());

const OPEN = { open: async () => {}, isOpen: () => true };
const WORKER = '10.20.30.51';
const WRITES: Record<string, (site: Site) => Promise<unknown> | undefined> = {
  'a VM is changed': ({ client }) => client.updateVm('pve2', 151, { set: { memory: 1024 } }),
  'a VM is stopped past a gate of its own': ({ client }) => client.behind(OPEN).stopVm('pve2', 151),
  'a pool is made': ({ client }) => client.createPool('planted', ''),
  'a machine restarts': ({ machines: { talos } }) => talos.admin(WORKER)?.reboot(),
  'a machine gets a config': ({ machines: { talos } }) =>
    talos.behind(OPEN).admin(WORKER)?.applyConfiguration('machine: {}', { mode: 'auto' }),
  'a node is deleted': ({ machines: { cluster } }) => cluster.client?.delete(NODES, 'work-1'),
  'secrets are made': (opened) => opened.withSecrets(),
};

it.each(Object.entries(WRITES))('%s', async (_, write) => {
  plant = async (opened) => {
    const writing = write(opened);
    expect(writing).toBeDefined();
    await writing;
  };
  const before = realState(site);
  const { exit, stderr } = await site.run('rehearse');
  expect([exit, stderr]).toEqual([1, expect.stringContaining('this session only reads')]);
  expect(realState(site)).toBe(before);
});

it('goes through where nothing is planted, and leaves the cluster and its files as they are', async () => {
  plant = undefined;
  const before = realState(site);
  ended(await site.run('rehearse', '--chaos', '--budget', '1s'));
  expect(realState(site)).toBe(before);
});
