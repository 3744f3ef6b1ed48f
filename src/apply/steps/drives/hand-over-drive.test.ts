import { describe, expect, it } from 'vitest';
import { type FakeVm, fakeVms, ownValues } from '../../../../test/support/apply/fake-vms.js';
import { partOf } from '../../../../test/support/part-of.js';
import type { Vmid, Wwn } from '../../../model/identity.js';
import type { StepOf } from '../../../plan/steps.js';
import type { StepContext } from '../../support/context.js';
import { handOverDrive } from './hand-over-drive.js';

const WWN = '0x5000c5a1b2c3d4e5' as Wwn;
const DATA_LINE = `local-zfs:vm-1510-disk-0,backup=0,wwn=${WWN}`;

const stepWith = (impact: 'none' | 'restart') =>
  partOf<StepOf<'hand-over-drive'>>({
    kind: 'hand-over-drive',
    node: 'work-1',
    impact,
    vmid: 151 as Vmid,
    dataVmid: 1510 as Vmid,
    host: 'pve1',
    wwn: WWN,
    slot: 'scsi3',
    options: { backup: '0' },
    attached: { slot: 'scsi2', name: 'data', wwn: WWN, options: { backup: '1' } },
  });

const restored = (status: 'running' | 'stopped'): Record<number, FakeVm> => ({
  151: { values: { ...ownValues(151), scsi2: `local-zfs:vm-151-disk-0,wwn=${WWN}` }, status },
  1510: { values: {}, status: 'stopped' },
});

const WRITES = new Set(['shutdownVm', 'moveDisk', 'updateVm', 'startVm']);

/** The request is sent or not, but its answer is lost: as when the connection or the process ends there. */
function cutting(context: StepContext, { at, arrives }: { at: number; arrives: boolean }): StepContext {
  let requests = 0;
  const cut = <T extends object>(calls: T): T =>
    new Proxy(calls, {
      get: (target, name) => {
        const call: unknown = Reflect.get(target, name);
        if (typeof call === 'object' && call !== null) return cut(call);
        if (typeof call !== 'function' || !WRITES.has(String(name))) return call;
        return async (...given: unknown[]) => {
          requests += 1;
          if (requests !== at) return Reflect.apply(call, target, given);
          if (arrives) await Reflect.apply(call, target, given);
          throw new Error('cut');
        };
      },
    });
  return { ...context, client: cut(context.client) };
}

const PARTS = [1, 2, 3, 4, 5].flatMap((at) => [true, false].map((arrives) => ({ at, arrives })));

describe('handing a drive over to the data VM', () => {
  it.each(PARTS)('is finished after a cut at request $at (it arrives: $arrives)', async (cut) => {
    const { context, vms } = fakeVms(restored('running'));
    await expect(handOverDrive(stepWith('restart'), cutting(context, cut))).rejects.toThrow('cut');
    await handOverDrive(stepWith('restart'), context);
    expect(vms[1510]?.values).toEqual({ scsi3: DATA_LINE });
    expect(vms[151]).toEqual({
      values: { ...ownValues(151), scsi2: DATA_LINE.replace('backup=0', 'backup=1') },
      status: 'running',
    });
    expect(await handOverDrive(stepWith('restart'), context)).toEqual({ already: true });
  });

  it('leaves a VM off that was off when it was planned', async () => {
    const { context, vms, writes } = fakeVms(restored('stopped'));
    expect(await handOverDrive(stepWith('none'), context)).toEqual({ already: false });
    expect(vms[151]?.status).toBe('stopped');
    expect(writes.map((write) => write.split(' ')[0])).toEqual(['moveDisk', 'updateVm', 'updateVm']);
  });

  it('takes no disk that the Talos VM does not own', async () => {
    const foreign = { 151: { values: { scsi2: `local-zfs:vm-99-disk-0,wwn=${WWN}` } }, 1510: { values: {} } };
    const { context, writes } = fakeVms(foreign);
    await expect(handOverDrive(stepWith('restart'), context)).rejects.toMatchObject({
      code: 'apply.drive-gone',
    });
    expect(writes).toEqual([]);
  });
});
