import { describe, expect, it } from 'vitest';
import { snapshotName, snapshotProblem, snapshotTime } from './etcd-snapshot.js';

function head(
  changes: { flags?: number; magic?: number; version?: number; pageSize?: number } = {},
): Uint8Array {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  view.setUint16(8, changes.flags ?? 4, true);
  view.setUint32(16, changes.magic ?? 0xed0cdaed, true);
  view.setUint32(20, changes.version ?? 2, true);
  view.setUint32(24, changes.pageSize ?? 4096, true);
  return bytes;
}

describe('the form of a snapshot', () => {
  it('is whole pages of bbolt and a hash', () => {
    expect(snapshotProblem(head(), 4 * 4096 + 32)).toBeUndefined();
    expect(snapshotProblem(head({ pageSize: 16384 }), 4 * 16384 + 32)).toBeUndefined();
  });

  it.each([
    ['cut off', head(), 4 * 4096 + 31, /truncated/],
    ['without its hash', head(), 4 * 4096, /truncated/],
    ['empty', head(), 32, /32 bytes only/],
    ['something else', head({ magic: 0 }), 4 * 4096 + 32, /does not start as a bbolt/],
    ['another page first', head({ flags: 2 }), 4 * 4096 + 32, /does not start as a bbolt/],
    ['of another version', head({ version: 3 }), 4 * 4096 + 32, /version is 3/],
  ])('is not that when %s', (_, bytes, size, problem) => {
    expect(snapshotProblem(bytes, size)).toMatch(problem);
  });
});

describe('the name of a snapshot', () => {
  it('says when it was taken', () => {
    const at = Date.UTC(2026, 10, 15, 6, 35, 45);
    expect(snapshotName(at + 999)).toBe('etcd-20261115T063545Z.snapshot');
    expect(snapshotTime(snapshotName(at))).toBe(at);
    expect(snapshotTime('etcd-today.snapshot')).toBeUndefined();
  });
});
