/** What a rehearsal foretells is what happens: every command that changes a cluster, and a cluster that resists. */
import type { ClusterSite } from '../../support/cluster-site.js';
import { foretells } from '../../support/foretells.js';
import { edited, type Situation } from '../../support/situations.js';
import { runningKubernetes } from '../../support/watcher.js';

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

foretells([
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
]);
