import { describe, expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox, emptyProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { withoutVms } from '../../observe/observed-vms.js';
import { planCluster } from '../plan-cluster.js';

const CONFIG = config({
  nodes: [nodeConfig('cp-1', 141, 'controlplane'), nodeConfig('work-1', 151, 'worker')],
});

describe('a VM that the token may not see', () => {
  it.each([151, 1510])('is not created: the node of VM %i is left out, the others are planned', (vmid) => {
    const empty = emptyProxmox();
    const hidden = { [vmid]: `VM ${vmid} exists, and the token may not see it` };
    const plan = planCluster(design(CONFIG), { ...empty, vms: { ...empty.vms, hidden } });
    expect(plan.steps.filter(({ node }) => node === 'work-1')).toEqual([]);
    expect(plan.steps.some(({ id }) => id === 'create-talos-vm:141')).toBe(true);
    expect(plan.problems).toMatchObject([{ code: 'vm-hidden', scope: 'node', node: 'work-1' }]);
    expect(plan.problems[0]?.message).toContain(`VM ${vmid}`);
    expect(plan.problems[0]?.advice).toContain(`VM.Audit on /vms/${vmid}`);
    expect(plan.problems[0]?.advice).toContain('pveum acl modify /vms');
  });

  it.each([151, 1510])('gets no steps while nothing says whether VM %i runs', (vmid) => {
    const built = builtProxmox(CONFIG);
    const listed = built.vms.listed.map((vm) =>
      vm.vmid === vmid ? { ...vm, status: 'unknown' as const } : vm,
    );
    const { steps, problems } = planCluster(design(CONFIG), { ...built, vms: { ...built.vms, listed } });
    expect(steps.filter(({ node }) => node === 'work-1')).toEqual([]);
    expect(problems).toMatchObject([{ code: 'vm-state-unknown', scope: 'node', node: 'work-1' }]);
  });

  it('is named with the pool that may have given the rights', () => {
    const empty = emptyProxmox();
    const plan = planCluster(
      { ...design(CONFIG), pool: 'oxherd_x' },
      { ...empty, vms: { ...empty.vms, hidden: { 151: 'hidden' } } },
    );
    expect(plan.problems[0]?.advice).toContain('pveum pool modify oxherd_x --vms 151 --allow-move 1');
  });

  it('keeps a list without VMs from being a list of VMs to create', () => {
    const built = builtProxmox(CONFIG);
    const ids = new Set(built.vms.listed.map(({ vmid }) => Number(vmid)));
    const vms = { ...withoutVms(built.vms, ids), free: [], unlisted: 'VM.Audit is missing' };
    const plan = planCluster(design(CONFIG), { ...built, vms, taken: {} });
    expect(plan.steps.filter(({ kind }) => kind.startsWith('create-'))).toEqual([]);
    expect(plan.problems.map(({ code }) => code)).toEqual(Array(4).fill('vm-hidden'));
  });
});
