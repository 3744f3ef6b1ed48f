import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storagesWritten } from '../disk-operations.js';
import { KeyedLimit, Semaphore } from './limits.js';

describe('limits', () => {
  it('never lets more in than allowed, and everybody in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 30 }),
        async (limit, turns) => {
          const semaphore = new Semaphore(limit);
          let inside = 0;
          let most = 0;
          let done = 0;
          await Promise.all(
            turns.map(async (count) => {
              const release = await semaphore.acquire();
              inside += 1;
              most = Math.max(most, inside);
              for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
              inside -= 1;
              done += 1;
              release();
              release();
            }),
          );
          expect(most).toBeLessThanOrEqual(limit);
          expect(done).toBe(turns.length);
        },
      ),
    );
  });

  it('cannot lock up those who want the same keys in another order', async () => {
    const limit = new KeyedLimit(1);
    let done = 0;
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const release = await limit.acquireAll(index % 2 === 0 ? ['a', 'b'] : ['b', 'a', 'a']);
        await Promise.resolve();
        done += 1;
        release();
      }),
    );
    expect(done).toBe(20);
  });

  it('sees which storages are written to', () => {
    expect(
      storagesWritten({
        scsi0: 'local-zfs:0,import-from=local:import/t.qcow2,wwn=0x3000000000000001',
        scsi1: 'file=vmdata:20,size=20G',
        scsi2: 'local-zfs:vm-1000-disk-0,size=5G',
        efidisk0: 'local-zfs:1,efitype=4m',
        ide2: 'local:iso/talos.iso,media=cdrom',
        name: 'local:5',
        cores: 2,
      }),
    ).toEqual(['local-zfs', 'vmdata', 'local-zfs']);
  });
});
