import { describe, expect, it } from 'vitest';
import { config, diskVolume, gib } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import type { DiskVolume } from '../../config/volume-config.js';
import { design } from '../../design/design-cluster.js';
import { planCluster } from '../plan-cluster.js';

const of = (...volumes: DiskVolume[]) => config({ volumes });
const media = (size: number) => diskVolume('media', { size: gib(size) });

function planned(before: ReturnType<typeof of>, after: ReturnType<typeof of>) {
  return planCluster(design(after), builtProxmox(before));
}

describe('drives of a node', () => {
  it('that are new are created on the data VM, then attached', () => {
    const { steps } = planned(of(), of(media(4)));
    expect(steps.map(({ kind }) => kind)).toEqual(['add-drive', 'attach-drive']);
    expect(steps[1]?.needs).toContain(steps[0]?.id);
    expect(steps.every(({ node }) => node === 'work-1')).toBe(true);
  });

  it('that grow are resized and never replaced', () => {
    const { steps } = planned(of(media(4)), of(media(8)));
    expect(steps.find(({ kind }) => kind === 'grow-drive')).toMatchObject({ vmid: 151, size: gib(8) });
    expect(steps.some(({ impact }) => impact === 'data-loss')).toBe(false);
  });

  it('cannot shrink', () => {
    const { steps, problems } = planned(of(media(8)), of(media(4)));
    expect(steps.filter(({ kind }) => kind === 'grow-drive')).toEqual([]);
    expect(problems).toMatchObject([
      { node: 'work-1', advice: expect.stringContaining('oxherd volumes accept-size work-1/media') },
    ]);
  });

  it('that are removed from oxherd.yaml are detached and kept', () => {
    const { steps, notes } = planned(of(media(4)), of());
    expect(steps.map(({ kind }) => kind)).toContain('detach-drive');
    expect(steps.some(({ kind }) => kind === 'delete-volume')).toBe(false);
    expect(notes.some(({ code }) => code === 'parked')).toBe(true);
  });

  it('of two volumes have their own slots and identities', () => {
    const { steps, problems } = planned(of(), of(media(4), diskVolume('cache', { size: gib(1) })));
    expect(problems.map(({ message }) => message)).toEqual([]);
    const attached = steps.filter((step) => step.kind === 'attach-drive');
    expect(new Set(attached.map(({ drive }) => drive.slot)).size).toBe(2);
    expect(new Set(attached.map(({ drive }) => drive.wwn)).size).toBe(2);
  });
});
