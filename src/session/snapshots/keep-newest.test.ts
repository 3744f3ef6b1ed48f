import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snapshotName, snapshotTime } from '../../formats/talos/etcd-snapshot.js';
import { keepNewest } from './keep-newest.js';

const isSnapshot = (name: string) => snapshotTime(name) !== undefined;

describe('old files', () => {
  it('go, the newest stay, and what has another name is not ours', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 4e9 }), { maxLength: 12 }),
        fc.integer({ min: 0, max: 8 }),
        async (seconds, keep) => {
          const folder = mkdtempSync(join(tmpdir(), 'oxherd-keep-'));
          try {
            const names = seconds.map((second) => snapshotName(second * 1_000));
            for (const name of [...names, 'kubeconfig', 'etcd-mine.snapshot'])
              writeFileSync(join(folder, name), '');
            await keepNewest(folder, isSnapshot, keep);
            const left = readdirSync(folder);
            const newest = [...names].sort().reverse().slice(0, Math.max(1, keep));
            expect(left.filter(isSnapshot).sort()).toEqual(newest.sort());
            expect(left).toEqual(expect.arrayContaining(['kubeconfig', 'etcd-mine.snapshot']));
          } finally {
            rmSync(folder, { recursive: true });
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});
