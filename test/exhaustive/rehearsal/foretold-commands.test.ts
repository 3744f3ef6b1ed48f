/** What a rehearsal foretells is what happens: every command that changes a cluster, and a cluster that resists. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClusterSite } from '../../support/cluster-site.js';
import { edited, type Situation, SituationBench } from '../../support/situations.js';
import { runningKubernetes } from '../../support/watcher.js';

let bench: SituationBench;
beforeAll(async () => {
  bench = await SituationBench.build();
}, 300_000);
afterAll(() => bench.remove());

const command = (name: string, rehearse: string[], run: string[]): Situation => ({
  name,
  command: { rehearse, run: [...run, '--yes'] },
});

/** A budget that lets none of its pods go: the drain waits for it in vain. */
async function holdPods(site: ClusterSite): Promise<void> {
  const api = runningKubernetes(site);
  const budget = api.list('poddisruptionbudgets.policy').find(({ metadata }) => metadata.name === 'web');
  if (!budget) throw new Error('there is no budget');
  const held = { ...budget, spec: { ...Object(budget.spec), minAvailable: 3 } };
  api.update('poddisruptionbudgets.policy', held, '', 'kubectl');
  await site.lab.clock.sleep(30_000);
}

it.each<Situation>([
  command('restart', ['restart', 'work-1'], ['restart', 'work-1']),
  command('replace', ['replace', 'work-2'], ['replace', 'work-2']),
  command('restart of a control plane', ['restart', 'cp-1'], ['restart', 'cp-1']),
  command('host drain', ['drain', 'pve3'], ['host', 'drain', 'pve3']),
  {
    ...command('host return', ['return', 'pve3'], ['host', 'return', 'pve3']),
    before: async (site) => {
      await site.run('host', 'drain', 'pve3', '--yes');
    },
  },
  command('destroy', ['destroy'], ['destroy']),
  { ...edited('worker: cores'), name: 'pods that a budget holds', before: holdPods },
])('$name', async (situation) => {
  expect(await bench.wrongIn(situation)).toEqual([]);
});
