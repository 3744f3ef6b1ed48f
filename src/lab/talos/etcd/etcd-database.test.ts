import { describe, expect, it } from 'vitest';
import { snapshotProblem } from '../../../formats/talos/etcd-snapshot.js';
import { bboltDatabase } from './etcd-database.js';

describe('the database of a snapshot', () => {
  it.each([2, 5_000, 100_000])('has whole pages and both metas with %d bytes in it', (length) => {
    const database = bboltDatabase({ lab: [['state', Buffer.alloc(length, 'x')]], empty: [] });
    expect(snapshotProblem(database, database.length + 32)).toBeUndefined();
    expect(database.readUInt32LE(4096 + 16)).toBe(0xed0cdaed);
    // The page after the last one, as the meta names it, is the end of the file.
    expect(Number(database.readBigUInt64LE(16 + 40)) * 4096).toBe(database.length);
  });

  it('has the checksum that bbolt computes', () => {
    // Read back by go.etcd.io/bbolt 1.5.0 with `Tx.Check` (talosctl etcd snapshot): no complaint.
    const database = bboltDatabase({ lab: [['state', Buffer.from('{"x":1}')]] });
    expect(database.readBigUInt64LE(16 + 56).toString(16)).toBe('fc0842a2c8e6b488');
  });
});
