import { describe, expect, it } from 'vitest';
import { fakeVms } from '../../../../test/support/apply/fake-vms.js';
import type { Vmid, Wwn } from '../../../model/identity.js';
import type { StepOf } from '../../../plan/steps.js';
import { growDrive } from './grow-drive.js';

const WWN = '0x5000c5a1b2c3d4e5' as Wwn;
const VOLUME = 'local-zfs:vm-1510-disk-1';
const GIB = 1024 ** 3;

const step = {
  kind: 'grow-drive',
  vmid: 151 as Vmid,
  host: 'pve1',
  wwn: WWN,
  size: 4 * GIB,
} as StepOf<'grow-drive'>;

/** The line in the config says `size=9G`, which is not the truth. */
function site(sizeNow: number, options = {}) {
  const made = fakeVms({ 151: { values: { scsi6: `${VOLUME},wwn=${WWN},size=9G` } } }, options);
  made.sizes[VOLUME] = sizeNow;
  return made;
}

describe('growing a drive', () => {
  it('resizes the slot that has its identity', async () => {
    const { context, writes } = site(2 * GIB);
    expect(await growDrive(step, context)).toEqual({ already: false });
    expect(writes).toEqual([`resizeDisk 151 scsi6 ${4 * GIB}`]);
  });

  it.each([4 * GIB, 5 * GIB])('of %i bytes never shrinks it', async (size) => {
    const { context, writes } = site(size);
    expect(await growDrive(step, context)).toEqual({ already: true });
    expect(writes).toEqual([]);
  });

  it('is refused where the VM has no such drive', async () => {
    const { context } = fakeVms({ 151: { values: { scsi6: VOLUME } } });
    await expect(growDrive(step, context)).rejects.toMatchObject({ code: 'apply.drive-gone' });
  });

  it('is read back from the storage', async () => {
    const { context } = site(2 * GIB, { deaf: true });
    await expect(growDrive(step, context)).rejects.toMatchObject({ code: 'apply.not-as-written' });
  });
});
