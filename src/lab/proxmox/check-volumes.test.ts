import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../test/support/lab/proxmox/test-bench.js';
import { recordings } from '../profiles/recordings.js';
import { checkVolumes } from './check-volumes.js';

const QEMU = '/nodes/pve1/qemu';
const vmid = fc.integer({ min: 100, max: 102 });
const slot = fc.constantFrom('scsi0', 'scsi0', 'scsi1', 'sata0');
const storage = fc.constantFrom('local-zfs', 'vmdata');
const name = fc.constantFrom('s1', 's2');

type Step = readonly [method: string, path: string, params?: Record<string, string | number>];
const step = (...parts: Step): Step => parts;

/** What a VM can go through with disks of its own. */
const ownDisks: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: vmid.map((id) => step('DELETE', `${QEMU}/${id}`)) },
  {
    weight: 20,
    arbitrary: fc.oneof(
      fc
        .tuple(vmid, slot, storage)
        .map(([id, key, on]) => step('POST', QEMU, { vmid: id, [key]: `${on}:1` })),
      fc
        .tuple(
          vmid,
          slot,
          storage,
          fc.constantFrom(':1', ':2,format=raw', ':0,import-from=local:import/talos.qcow2'),
        )
        .map(([id, key, on, what]) => step('PUT', `${QEMU}/${id}/config`, { [key]: `${on}${what}` })),
      fc
        .tuple(vmid, fc.oneof(slot, fc.constantFrom('unused0', 'unused1')), fc.constantFrom(0, 1))
        .map(([id, key, force]) => step('PUT', `${QEMU}/${id}/unlink`, { idlist: key, force })),
      fc.tuple(vmid, slot).map(([id, disk]) => step('PUT', `${QEMU}/${id}/resize`, { disk, size: '+1G' })),
      fc
        .tuple(vmid, slot, storage, fc.constantFrom(0, 1))
        .map(([id, disk, to, gone]) =>
          step('POST', `${QEMU}/${id}/move_disk`, { disk, storage: to, delete: gone }),
        ),
      fc
        .tuple(vmid, fc.oneof(slot, fc.constant('unused0')), vmid, slot)
        .map(([id, disk, target, to]) =>
          step('POST', `${QEMU}/${id}/move_disk`, { disk, 'target-vmid': target, 'target-disk': to }),
        ),
      fc.tuple(vmid, name).map(([id, snapname]) => step('POST', `${QEMU}/${id}/snapshot`, { snapname })),
      fc.tuple(vmid, name).map(([id, snapname]) => step('DELETE', `${QEMU}/${id}/snapshot/${snapname}`)),
      fc
        .tuple(vmid, vmid, fc.constantFrom(0, 1))
        .map(([id, newid, full]) => step('POST', `${QEMU}/${id}/clone`, { newid, full })),
      vmid.map((id) => step('POST', `${QEMU}/${id}/template`)),
      fc
        .tuple(vmid, fc.constantFrom('start', 'stop', 'shutdown'))
        .map(([id, what]) => step('POST', `${QEMU}/${id}/status/${what}`)),
    ),
  },
);

/** And what Proxmox lets anybody do to it. */
const anything: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: ownDisks },
  fc
    .tuple(vmid, slot, vmid, fc.integer({ min: 0, max: 3 }))
    .map(([id, key, owner, n]) =>
      step('PUT', `${QEMU}/${id}/config`, { [key]: `local-zfs:vm-${owner}-disk-${n}` }),
    ),
  fc
    .tuple(vmid, fc.integer({ min: 0, max: 3 }))
    .map(([owner, n]) =>
      step('DELETE', `/nodes/pve1/storage/local-zfs/content/local-zfs:vm-${owner}-disk-${n}`),
    ),
  fc.tuple(vmid, fc.integer({ min: 0, max: 3 })).map(([owner, n]) =>
    step('POST', '/nodes/pve1/storage/local-zfs/content', {
      vmid: owner,
      filename: `vm-${owner}-disk-${n}`,
      size: '1G',
    }),
  ),
  fc.tuple(vmid, name).map(([id, snapname]) => step('POST', `${QEMU}/${id}/snapshot/${snapname}/rollback`)),
  vmid.map((id) => step('DELETE', `${QEMU}/${id}`, { purge: 1, 'destroy-unreferenced-disks': 1 })),
);

async function walk(steps: readonly Step[], after: (bench: Bench, step: Step) => void): Promise<void> {
  const bench = openBench(recordings);
  for (const vmid of [100, 101])
    await bench.run('POST', QEMU, { vmid, scsi0: 'local-zfs:1', scsi1: 'vmdata:1' });
  for (const one of steps) {
    const status = await bench.run(...one);
    expect(bench.bugs, `${one.join(' ')}: ${status}`).toEqual([]);
    after(bench, one);
  }
}

describe('every volume is accounted for', () => {
  it('with disks of its own, a VM never loses one and never names one that is gone', async () => {
    const steps = fc.array(ownDisks, { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, (list) =>
        walk(list, (bench, one) => {
          const accounts = checkVolumes(bench.pve.db);
          expect(accounts, one.join(' ')).toEqual({ problems: [], dangling: [], loose: [] });
        }),
      ),
      { numRuns: 60, seed: 4 },
    );
  }, 60_000);

  it('whatever else is asked, each has an owner and its base', async () => {
    const steps = fc.array(anything, { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, (list) =>
        walk(list, (bench, one) =>
          expect(checkVolumes(bench.pve.db).problems, JSON.stringify(one)).toEqual([]),
        ),
      ),
      { numRuns: 60, seed: 4 },
    );
  }, 60_000);
});
