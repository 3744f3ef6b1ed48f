import { describe, expect, it } from 'vitest';
import { FakeMachine } from '../../../../test/support/apply/fake-machine.js';
import { fakeVms } from '../../../../test/support/apply/fake-vms.js';
import type { Vmid, Wwn } from '../../../model/identity.js';
import type { StepOf } from '../../../plan/steps.js';
import { detachDrive } from './detach-drive.js';

const WWN = '0x5000c5a1b2c3d4e5' as Wwn;
const LINE = `local-zfs:vm-1510-disk-1,wwn=${WWN}`;

const step = {
  kind: 'detach-drive',
  vmid: 151 as Vmid,
  host: 'pve1',
  slot: 'scsi2',
  wwn: WWN,
  volume: 'local-zfs:vm-1510-disk-1',
} as StepOf<'detach-drive'>;

describe('detaching a drive', () => {
  it('removes the slot and nothing else', async () => {
    const { context, writes, vms } = fakeVms({
      151: { values: { scsi1: 'local-zfs:vm-1510-disk-0', scsi2: LINE } },
    });
    expect(await detachDrive(step, context)).toEqual({ already: false });
    expect(writes).toEqual(['updateVm 151 {"delete":["scsi2"]}']);
    expect(vms[151]?.values).toEqual({ scsi1: 'local-zfs:vm-1510-disk-0' });
  });

  it('that was detached before writes nothing', async () => {
    const { context, writes } = fakeVms({ 151: { values: { scsi1: 'local-zfs:vm-1510-disk-0' } } });
    expect(await detachDrive(step, context)).toEqual({ already: true });
    expect(writes).toEqual([]);
  });

  it.each([
    ['on another slot', { scsi7: LINE }],
    ['with another volume', { scsi2: `local-zfs:vm-999-disk-0,wwn=${WWN}` }],
  ])('refuses a drive that is %s since the plan', async (_, values) => {
    const { context, writes } = fakeVms({ 151: { values } });
    await expect(detachDrive(step, context)).rejects.toMatchObject({ code: 'apply.slot-lost' });
    expect(writes).toEqual([]);
  });

  it('says when Proxmox accepted it and the drive is still there', async () => {
    const { context } = fakeVms({ 151: { values: { scsi2: LINE } } }, { deaf: true });
    await expect(detachDrive(step, context)).rejects.toMatchObject({ code: 'apply.not-as-written' });
  });
});

describe('a drive whose volume a running machine had', () => {
  const DISK = `naa.${WWN.slice(2)}`;
  const used = { ...step, node: 'work-1', usedAt: '10.0.0.51' };

  function machineWith(volumes: FakeMachine['volumes'], status: 'running' | 'stopped' = 'running') {
    const vms = fakeVms({ 151: { values: { scsi2: LINE }, status } });
    const machine = new FakeMachine('', '');
    machine.volumes = volumes;
    return {
      ...vms,
      context: { ...vms.context, ...machine.context, client: vms.context.client },
    };
  }

  it('is detached once the machine has closed it', async () => {
    for (const volumes of [
      [],
      [{ id: 'u-data', phase: 'closed', wwid: DISK }],
      [{ id: 'u-b', phase: 'ready', wwid: 'naa.x' }],
    ]) {
      const { context, writes } = machineWith(volumes);
      await detachDrive(used, context);
      expect(writes).toHaveLength(1);
    }
  });

  it('stays attached while the volume is open, whatever the config says', async () => {
    const { context, writes } = machineWith([{ id: 'u-data', phase: 'ready', wwid: DISK }]);
    await expect(detachDrive(used, context)).rejects.toMatchObject({
      code: 'apply.volume-open',
      message: expect.stringContaining('Talos still has u-data (ready) on it'),
      advice: expect.stringContaining('oxherd restart work-1'),
    });
    expect(writes).toEqual([]);
  });

  it('is detached from a VM that is off', async () => {
    const { context, writes } = machineWith([{ id: 'u-data', phase: 'ready', wwid: DISK }], 'stopped');
    await detachDrive(used, context);
    expect(writes).toHaveLength(1);
  });
});
