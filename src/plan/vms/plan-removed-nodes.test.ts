import { describe, expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { planCluster } from '../plan-cluster.js';

const CP = nodeConfig('cp-1', 141, 'controlplane');
const FULL = config({
  nodes: [CP, nodeConfig('work-1', 151, 'worker'), nodeConfig('work-2', 152, 'worker')],
});
const LESS = config({ nodes: [CP, nodeConfig('work-1', 151, 'worker')] });

function removal(edit: (observed: Observed) => Observed = (observed) => observed) {
  return planCluster(design(LESS), edit(builtProxmox(FULL)));
}

describe('a node that is no longer in oxherd.yaml', () => {
  it('loses its VM and keeps its data VM', () => {
    const { steps, notes } = removal();
    expect(steps.map(({ id }) => id)).toContain('destroy-talos-vm:152');
    expect(steps.some(({ kind }) => kind === 'destroy-data-vm')).toBe(false);
    expect(steps.every(({ impact }) => impact !== 'data-loss')).toBe(true);
    expect(notes).toContainEqual(
      expect.objectContaining({ code: 'parked', message: expect.stringContaining('data VM 1520') }),
    );
  });

  it('leaves the cluster before its VM is removed', () => {
    const { steps } = removal();
    const ids = steps.map(({ id }) => id);
    const retire = ids.findIndex((id) => id.startsWith('retire-node:'));
    if (retire >= 0) expect(retire).toBeLessThan(ids.indexOf('destroy-talos-vm:152'));
    expect(steps.find(({ id }) => id === 'destroy-talos-vm:152')).toMatchObject({
      impact: 'remove',
      volids: [],
    });
  });

  it('is left where its VM has a disk of another owner', () => {
    const { steps, problems } = removal((observed) => {
      const vm = visibleVm(observed, 152);
      if (!vm?.config.known) return observed;
      const values = { ...vm.config.value.values, scsi20: 'local-zfs:vm-152-disk-9' };
      return {
        ...observed,
        vms: withVms(observed.vms, [
          { ...vm, config: { known: true, value: { ...vm.config.value, values } } },
        ]),
      };
    });
    expect(steps.some(({ id }) => id === 'destroy-talos-vm:152')).toBe(false);
    expect(problems.map(({ message }) => message).join()).toContain('vm-152-disk-9');
  });

  it('changes nothing on the nodes that stay', () => {
    expect(removal().steps.filter(({ node }) => node === 'work-1')).toEqual([]);
  });
});
