import { describe, expect, it } from 'vitest';
import { fakeVms } from '../../../../test/support/apply/fake-vms.js';
import { step } from '../../../../test/support/apply/step.js';
import type { Vmid } from '../../../model/identity.js';
import type { ValueChange } from '../../../plan/steps.js';
import { releaseVm } from './release-vm.js';

const release = (changes: Record<string, ValueChange>) =>
  step('release-vm', { vmid: 151 as Vmid, host: 'pve1', changes });

describe('releasing a VM', () => {
  it('writes every option out, one with the default of Proxmox too', async () => {
    const { context, vms } = fakeVms({ 151: { values: { tags: 'a;b' } } });
    const changes = { tags: { from: 'a;b', to: 'a' }, onboot: { to: '0' } };
    expect(await releaseVm(release(changes), context)).toEqual({ already: false });
    expect(vms[151]?.values).toEqual({ tags: 'a', onboot: '0' });
  });

  it('takes off an option that was not set, whatever its default', async () => {
    const { context, vms } = fakeVms({ 151: { values: { onboot: '0' } } });
    expect(await releaseVm(release({ onboot: { from: '0' } }), context)).toEqual({ already: false });
    expect(vms[151]?.values).toEqual({});
  });

  it('does not compare the size of a drive, which is the volume’s', async () => {
    const { context, writes } = fakeVms({
      151: { values: { scsi0: 'local-zfs:vm-151-disk-0,size=20G,ssd=1' } },
    });
    const changes = { scsi0: { from: 'local-zfs:vm-151-disk-0', to: 'local-zfs:vm-151-disk-0,ssd=1' } };
    expect(await releaseVm(release(changes), context)).toEqual({ already: true });
    expect(writes).toEqual([]);
  });

  it('refuses a drive that is another volume by now', async () => {
    const { context, writes } = fakeVms({ 151: { values: { scsi0: 'local-zfs:vm-151-disk-7' } } });
    const changes = { scsi0: { from: 'local-zfs:vm-151-disk-0', to: 'local-zfs:vm-151-disk-0,ssd=1' } };
    await expect(releaseVm(release(changes), context)).rejects.toMatchObject({
      code: 'apply.changed',
      advice: 'it was changed meanwhile; nothing was written, run the command again',
    });
    expect(writes).toEqual([]);
  });
});
