import { describe, expect, it } from 'vitest';
import { FakeMachine } from '../../../../test/support/apply/fake-machine.js';
import { fakeVms } from '../../../../test/support/apply/fake-vms.js';
import { partOf } from '../../../../test/support/part-of.js';
import type { StepOf } from '../../../plan/steps.js';
import { deleteOldSystemDisk } from './delete-old-system-disk.js';

const OLD_DISK = 'local-zfs:vm-151-disk-0';
const step = partOf<StepOf<'delete-old-system-disk'>>({
  kind: 'delete-old-system-disk',
  node: 'work-1',
  vmid: 151,
  host: 'pve1',
  ip: '10.0.0.51',
  role: 'worker',
  volume: OLD_DISK,
  keptOn: { EPHEMERAL: 'naa.1', 'u-media': 'naa.2' },
});

/** The new system shows these volumes; the old disk is on no slot. */
function replaced(volumes: FakeMachine['volumes']) {
  const { context, vms, writes } = fakeVms({ 151: { values: { unused0: OLD_DISK } } });
  const machine = new FakeMachine('version: v1alpha1\n', '');
  machine.volumes = volumes;
  return { vms, writes, context: { ...machine.context, client: context.client } };
}

describe('the old system disk', () => {
  const shown = (media: string) => [
    { id: 'EPHEMERAL', phase: 'ready', wwid: 'naa.1' },
    { id: 'u-media', phase: 'ready', wwid: media },
  ];

  it('is deleted once the new system shows every kept volume on its own disk', async () => {
    const { context, writes } = replaced(shown('naa.2'));
    expect(await deleteOldSystemDisk(step, context)).toEqual({ already: false });
    expect(writes).toEqual(['updateVm 151 {"delete":["unused0"]}']);
    expect(await deleteOldSystemDisk(step, context)).toEqual({ already: true });
  });

  it.each([
    ['on another disk', shown('naa.9'), 'on another disk (naa.9)'],
    ['nowhere', shown('naa.2').slice(0, 1), 'on a disk that is not known'],
  ])('is kept where a volume is %s', async (_, volumes, why) => {
    const { context, writes, vms } = replaced(volumes);
    await expect(deleteOldSystemDisk(step, context)).rejects.toMatchObject({
      code: 'apply.data-elsewhere',
      message: `work-1 keeps u-media ${why}, not on its own (naa.2)`,
    });
    expect(writes).toEqual([]);
    expect(vms[151]?.values.unused0).toBe(OLD_DISK);
  });
});
