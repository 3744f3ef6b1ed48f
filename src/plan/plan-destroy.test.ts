import { describe, expect, it } from 'vitest';
import { config, diskVolume } from '../../test/support/design/config.js';
import { builtProxmox, emptyProxmox } from '../../test/support/plan/observed.js';
import { design } from '../design/design-cluster.js';
import { planDestroy } from './plan-destroy.js';

const CONFIG = config({ volumes: [diskVolume('media')] });

describe('destroying a cluster', () => {
  it('removes the Talos VMs and keeps every data VM', () => {
    const { steps, problems } = planDestroy(design(CONFIG), builtProxmox(CONFIG), { deleteData: false });
    expect(problems).toEqual([]);
    expect(steps.filter(({ kind }) => kind === 'destroy-talos-vm').map(({ id }) => id)).toEqual([
      'destroy-talos-vm:141',
      'destroy-talos-vm:151',
    ]);
    expect(steps.some(({ kind, impact }) => kind === 'destroy-data-vm' || impact === 'data-loss')).toBe(
      false,
    );
  });

  it('with its data names every volume that is lost, and removes data VMs last', () => {
    const { steps } = planDestroy(design(CONFIG), builtProxmox(CONFIG), { deleteData: true });
    const lost = steps.filter((step) => step.kind === 'destroy-data-vm');
    expect(lost.map(({ vmid }) => vmid)).toEqual([1410, 1510]);
    for (const step of lost) {
      expect(step.impact).toBe('data-loss');
      expect(step.volids.length).toBeGreaterThan(0);
    }
    const kinds = steps.map(({ kind }) => kind);
    expect(kinds.lastIndexOf('destroy-talos-vm')).toBeLessThan(kinds.length - 1);
  });

  it('that is not there does nothing', () => {
    expect(planDestroy(design(CONFIG), emptyProxmox(), { deleteData: false }).steps).toEqual([]);
  });
});
