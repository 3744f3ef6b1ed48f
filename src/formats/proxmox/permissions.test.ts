import { describe, expect, it } from 'vitest';
import { heldBelow, heldOn } from './permissions.js';

describe('privileges', () => {
  it('come from the path itself, or from above if they propagate', () => {
    const list = {
      '/': { 'Sys.Audit': true, 'VM.Audit': false },
      '/vms': { 'VM.Audit': true },
      '/vms/151': { 'VM.PowerMgmt': false },
    };
    expect([...heldOn(list, '/mapping/pci/gpu')]).toEqual(['Sys.Audit']);
    expect([...heldOn(list, '/vms/152')]).toEqual(['VM.Audit']);
    expect([...heldOn(list, '/vms/151')]).toEqual(['VM.PowerMgmt']);
    expect([...heldOn({}, '/vms/151')]).toEqual([]);
  });

  it('are none on a path that the list always considers and leaves out', () => {
    expect([...heldOn({ '/': { 'VM.Audit': true } }, '/vms/151')]).toEqual([]);
  });

  it('reach every path below only if they propagate and no listed path below lacks them', () => {
    const below = (vms: Record<string, Record<string, boolean>>) => heldBelow(vms, '/vms', 'VM.Audit');
    expect(below({ '/vms': { 'VM.Audit': true } })).toBe(true);
    expect(below({ '/vms': { 'VM.Audit': true }, '/vms/151': { 'VM.Audit': false } })).toBe(true);
    expect(below({ '/vms': { 'VM.Audit': false } })).toBe(false);
    expect(below({ '/vms': { 'VM.Audit': true }, '/vms/151': { 'VM.PowerMgmt': true } })).toBe(false);
    expect(below({ '/vms/151': { 'VM.Audit': true } })).toBe(false);
  });
});
