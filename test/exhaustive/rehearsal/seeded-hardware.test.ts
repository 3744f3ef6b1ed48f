/** HA and PCI devices of the cluster are on its twin: a plan that concerns them is the same one there, and goes through. */
import { expect, it, onTestFinished } from 'vitest';
import { ended } from '../../support/cli.js';
import { ClusterSite } from '../../support/cluster-site.js';
import { onSharedStorage } from '../../support/shared-world.js';
import { smallFile } from '../../support/small-file.js';

async function built(text: string, adapt?: typeof onSharedStorage): Promise<ClusterSite> {
  const site = await ClusterSite.open(text, undefined, adapt);
  onTestFinished(() => site.remove());
  ended(await site.run('apply', '--yes'));
  return site;
}

it('drift of HA resources and rules', { timeout: 300_000 }, async () => {
  const text = smallFile().replace('\n  all: {', '\n  all: { ha: true,');
  const site = await built(text, onSharedStorage);
  await site.lab.clock.sleep(60_000);
  await site.byHand(async (hand) => {
    await hand.updateHaResource('vm:151', { state: 'ignored' });
    await hand.deleteHaRule('oxherd_small__pair-151');
  });
  await same(site, ['create HA rule oxherd_small__pair-151']);
});

it('a node with a PCI device, and one that gets it', { timeout: 300_000 }, async () => {
  const [gpu, more] = [', pci: [{ mapping: gpu }]', ', memory: 5GiB'];
  const site = await built(smallFile({ worker: gpu }));
  site.config = smallFile({ worker: `${gpu}${more}` });
  await same(site, ['restart VM 151 (work-1)']);
  site.config = smallFile();
  ended(await site.run('apply', '--yes'));
  site.config = smallFile({ worker: gpu });
  await same(site, ['restart VM 151 (work-1)']);
});

async function same(site: ClusterSite, titles: readonly string[]): Promise<void> {
  const { planId, steps } = JSON.parse(ended(await site.run('plan', '--json')));
  expect(steps.map(({ title }: { title: string }) => title)).toEqual(expect.arrayContaining([...titles]));
  const { rehearsal } = JSON.parse(ended(await site.run('rehearse', '--json')));
  expect(rehearsal).toMatchObject({ planId, valid: true, outcome: 'done', broken: [], left: [] });
}
