import { describe, expect, it } from 'vitest';
import { config, diskVolume, nodeConfig } from '../../test/support/design/config.js';
import { builtProxmox, emptyProxmox } from '../../test/support/plan/observed.js';
import { design } from '../design/design-cluster.js';
import { unknown } from '../observe/observed.js';
import { visibleVm, withVms } from '../observe/observed-vms.js';
import { planCluster } from './plan-cluster.js';

const WANTED = config({ volumes: [diskVolume('media')] });

describe('the plan of a cluster', () => {
  it('creates data VMs before the VMs that use their disks, and starts what is whole', () => {
    const { steps, problems } = planCluster(design(WANTED), emptyProxmox());
    expect(problems).toEqual([]);
    const ids = steps.map(({ id }) => id);
    const of = (id: string) => steps.find((step) => step.id === id);
    expect(of('create-talos-vm:151')?.needs).toContain('create-data-vm:1510');
    expect(of('start-vm:151')?.needs).toEqual(['create-talos-vm:151']);
    for (const step of steps)
      for (const need of step.needs) expect(ids.indexOf(need)).toBeLessThan(ids.indexOf(step.id));
  });

  it('is empty once everything is there', () => {
    expect(planCluster(design(WANTED), builtProxmox(WANTED))).toMatchObject({
      steps: [],
      problems: [],
      notes: [],
    });
  });

  it('downloads an image once for all nodes of a host', () => {
    const { steps } = planCluster(design(WANTED), emptyProxmox());
    expect(steps.filter(({ kind }) => kind === 'download-image')).toHaveLength(1);
  });

  it('has the same id for the same input, and another for another', () => {
    const one = planCluster(design(WANTED), emptyProxmox()).planId;
    expect(planCluster(design(WANTED), emptyProxmox()).planId).toBe(one);
    expect(planCluster(design(config()), emptyProxmox()).planId).not.toBe(one);
  });

  it('leaves nodes of a host alone that is down', () => {
    const down = emptyProxmox({
      hosts: { ...emptyProxmox().hosts, pve1: { name: 'pve1', online: false } },
    });
    const { steps, problems } = planCluster(design(WANTED), down);
    expect(steps).toEqual([]);
    expect(problems.map(({ message }) => message).join('\n')).toContain('pve1');
  });

  it('touches only the nodes it is limited to', () => {
    const { steps } = planCluster(design(WANTED), emptyProxmox(), { only: ['work-1'] });
    expect(new Set(steps.flatMap(({ node }) => node ?? []))).toEqual(new Set(['work-1']));
  });

  it('refuses an id that a VM of another owner has', () => {
    const taken = {
      151: {
        vmid: nodeConfig('x', 151, 'worker').vmid,
        name: 'nas',
        host: 'pve2',
        tags: [],
        status: 'running',
      },
    };
    const { problems, steps } = planCluster(design(WANTED), emptyProxmox({ taken }));
    expect(problems).toMatchObject([{ code: 'vmid-taken', scope: 'plan', node: 'work-1' }]);
    expect(steps.filter(({ node }) => node === 'work-1')).toEqual([]);
  });

  it('does not take an unreadable VM for a missing one', () => {
    const built = builtProxmox(WANTED);
    const vm = visibleVm(built, 151);
    const vms = vm
      ? withVms(built.vms, [{ ...vm, config: unknown<never>('the host does not answer') }])
      : built.vms;
    const { steps } = planCluster(design(WANTED), { ...built, vms });
    expect(steps.filter(({ kind }) => kind.startsWith('create-'))).toEqual([]);
  });
});
