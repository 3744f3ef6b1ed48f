import { expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { withDrainNote } from '../../formats/marks/drain-note.js';
import { known, type Observed } from '../../observe/observed.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { planCluster } from '../plan-cluster.js';

const NODES = [
  nodeConfig('cp-1', 141, 'controlplane', { host: 'pve1' }),
  nodeConfig('work-1', 151, 'worker', { host: 'pve2' }),
];

/** work-1 stays off on pve2, which is drained. */
function drained(): Observed {
  const built = builtProxmox(config({ nodes: NODES }));
  const [talos, data] = [visibleVm(built, 151), visibleVm(built, 1510)];
  if (!talos || !data?.config.known) throw new Error('there is no VM');
  const { values, ...rest } = data.config.value;
  const description = withDrainNote(values.description ?? '', { host: 'pve2' });
  return {
    ...built,
    vms: withVms(built.vms, [
      { ...talos, status: 'stopped' },
      { ...data, config: known({ ...rest, values: { ...values, description } }) },
    ]),
  };
}

it('nothing is created on a host that is drained, and nothing moves there', () => {
  const more = [...NODES, nodeConfig('work-2', 152, 'worker', { host: 'pve2' })];
  const created = planCluster(design(config({ nodes: more })), drained());
  expect(created.problems.map(({ message }) => message)).toEqual([
    'pve2 is drained: work-2 is not created there before it returns',
  ]);
  expect(created.steps.filter(({ node }) => node === 'work-2')).toEqual([]);
  const elsewhere = [...NODES, nodeConfig('work-2', 152, 'worker', { host: 'pve3' })];
  expect(planCluster(design(config({ nodes: elsewhere })), drained()).problems).toEqual([]);
  const moved = [nodeConfig('cp-1', 141, 'controlplane', { host: 'pve2' }), ...NODES.slice(1)];
  expect(planCluster(design(config({ nodes: moved })), drained()).problems).toMatchObject([
    { node: 'cp-1', message: 'pve2 is drained: cp-1 is not moved there before it returns' },
  ]);
});
