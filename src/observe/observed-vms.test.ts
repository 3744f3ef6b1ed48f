import { describe, expect, it } from 'vitest';
import { partOf } from '../../test/support/part-of.js';
import { partVms } from '../../test/support/plan/part-vms.js';
import type { Observed } from './observed.js';
import {
  findVm,
  isAbsent,
  mayCreate,
  type ObservedVms,
  visibleVm,
  withoutVms,
  withVms,
} from './observed-vms.js';

const seen = (vms: Partial<ObservedVms> = {}, taken: Record<number, object> = {}) =>
  partOf<Observed>({ vms: { ...partVms({ vmid: 141 }), ...vms }, taken: { 141: { vmid: 141 }, ...taken } });

describe('a VM', () => {
  it('is present if it was listed', () => {
    expect(findVm(seen(), 141)).toMatchObject({ state: 'present', vm: { vmid: 141 } });
  });

  it('is absent only by a complete list, or because its id is free', () => {
    expect(isAbsent(seen(), 151)).toBe(true);
    expect(isAbsent(seen({ unlisted: 'no right', free: [151] }), 151)).toBe(true);
    expect(isAbsent(seen({ unlisted: 'no right' }), 151)).toBe(false);
  });

  it('is hidden if the token may not see it, whatever the list seems to be', () => {
    const hidden = { 151: 'the token may not see it' };
    expect(findVm(seen({ hidden }), 151)).toEqual({
      state: 'hidden',
      because: 'unseen',
      why: 'the token may not see it',
    });
    expect(findVm(seen({ unlisted: 'no right' }), 152)).toMatchObject({ state: 'hidden', why: 'no right' });
    expect(visibleVm(seen({ hidden }), 151)).toBeUndefined();
  });

  it('is neither absent nor ours if a VM without the marks of the cluster has its id', () => {
    const foreign = seen({}, { 151: { vmid: 151, tags: ['theirs'] } });
    expect(findVm(foreign, 151)).toMatchObject({ state: 'hidden', because: 'foreign' });
    expect(mayCreate(foreign, 151)).toBe(false);
    expect(mayCreate(seen({}, { 151: { vmid: 151, tags: [], lock: 'create' } }), 151)).toBe(true);
  });

  it('is replaced and removed in copies of the list', () => {
    const { vms } = seen();
    const changed = withVms(vms, partVms({ vmid: 151 }, { vmid: 141, host: 'pve2' }).listed);
    expect(changed.listed.map(({ vmid, host }) => [vmid, host])).toEqual([
      [141, 'pve2'],
      [151, undefined],
    ]);
    const less = withoutVms({ ...changed, unlisted: 'no right' }, new Set([151]));
    expect(isAbsent(partOf<Observed>({ vms: less, taken: {} }), 151)).toBe(true);
    expect(isAbsent(partOf<Observed>({ vms: less, taken: {} }), 152)).toBe(false);
  });
});
