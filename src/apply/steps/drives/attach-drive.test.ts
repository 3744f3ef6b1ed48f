import { describe, expect, it } from 'vitest';
import { type FakeVm, fakeVms } from '../../../../test/support/apply/fake-vms.js';
import { partOf } from '../../../../test/support/part-of.js';
import type { Vmid, Wwn } from '../../../model/identity.js';
import type { StepOf } from '../../../plan/steps.js';
import { attachDrive } from './attach-drive.js';

const WWN = '0x5000c5a1b2c3d4e5' as Wwn;
const VOLUME = 'local-zfs:vm-1510-disk-1';
const OWNER: FakeVm = { values: { scsi5: `${VOLUME},wwn=${WWN}` } };

const step = partOf<StepOf<'attach-drive'>>({
  kind: 'attach-drive',
  node: 'work-1',
  vmid: 151 as Vmid,
  dataVmid: 1510 as Vmid,
  host: 'pve1',
  drive: { slot: 'scsi2', name: 'scratch', wwn: WWN, options: { discard: 'on' } },
});

describe('attaching a drive', () => {
  it('uses the volume that the data VM has now, with the identity', async () => {
    const { context, vms, writes } = fakeVms({ 151: { values: {} }, 1510: OWNER });
    expect(await attachDrive(step, context)).toEqual({ already: false });
    expect(vms[151]?.values.scsi2).toMatch(new RegExp(`^${VOLUME},`));
    expect(vms[151]?.values.scsi2).toContain(`wwn=${WWN}`);
    expect(writes).toHaveLength(1);
  });

  it('is done once, whatever slot it is on', async () => {
    const { context, writes } = fakeVms({ 151: { values: { scsi9: `${VOLUME},wwn=${WWN}` } }, 1510: OWNER });
    expect(await attachDrive(step, context)).toEqual({ already: true });
    expect(writes).toEqual([]);
  });

  it.each([
    ['the data VM lost it', 'apply.drive-gone', {}, { values: {} }],
    [
      'another volume has its identity',
      'apply.drive-differs',
      { scsi2: `local-zfs:vm-1510-disk-8,wwn=${WWN}` },
      OWNER,
    ],
    ['its slot was taken', 'apply.slot-lost', { scsi2: 'local-zfs:vm-9999-pvc' }, OWNER],
  ])('is refused where %s', async (_, code, values, owner) => {
    const { context, writes } = fakeVms({ 151: { values: { ...values } }, 1510: owner });
    await expect(attachDrive(step, context)).rejects.toMatchObject({ code });
    expect(writes).toEqual([]);
  });

  it('is refused where the slot is taken by a change that waits for the next start', async () => {
    const { context } = fakeVms({
      151: { values: {}, pending: { scsi2: 'local-zfs:vm-9999-pvc' } },
      1510: OWNER,
    });
    await expect(attachDrive(step, context)).rejects.toMatchObject({ code: 'apply.slot-lost' });
  });
});
