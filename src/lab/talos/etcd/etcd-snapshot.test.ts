import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadObjects } from '../../kubernetes/storage/object-dump.js';
import { ObjectStore } from '../../kubernetes/storage/object-store.js';
import { memoryStore } from '../../store.js';
import { bboltDatabase, readBboltDatabase } from './etcd-database.js';
import { readSnapshot, snapshotOf } from './etcd-snapshot.js';

const CLUSTER = {
  id: '7',
  owner: 'ca',
  members: [{ id: '1', name: 'cp-1', ip: '10.0.0.1', learner: false }],
  leader: '1',
  term: 2,
  index: 20,
  revision: 11,
  alarms: [],
};

function storeWithObjects() {
  const store = memoryStore();
  const objects = new ObjectStore(store, 'kubernetes/7');
  for (const name of ['a', 'b']) {
    objects.put('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', uid: name, creationTimestamp: '2026-11-15T00:00:00Z' },
      data: { note: 'x'.repeat(9_000) },
    });
  }
  return store;
}

describe('a snapshot of etcd', () => {
  it('brings back the revision and every object, under another cluster', () => {
    const store = storeWithObjects();
    const before = new ObjectStore(store, 'kubernetes/7');
    const { revision, kubernetes } = readSnapshot(Buffer.from(snapshotOf(store, CLUSTER)));
    expect(revision).toBe(11);
    loadObjects(store, '8', kubernetes);
    const after = new ObjectStore(store, 'kubernetes/8');
    expect(after.list('configmaps')).toEqual(before.list('configmaps'));
    expect(after.revision).toBe(before.revision);
  });

  it('that was changed anywhere is refused', () => {
    const whole = Buffer.from(snapshotOf(storeWithObjects(), CLUSTER));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (at) => {
        const wrong = Buffer.from(whole);
        wrong[at] = (wrong[at] ?? 0) ^ 0x40;
        expect(() => readSnapshot(wrong)).toThrow();
      }),
      { numRuns: 50 },
    );
    expect(() => readSnapshot(whole.subarray(0, -4096))).toThrow();
  });
});

describe('a bbolt database', () => {
  it('gives back the keys it was made of', () => {
    const keys = fc.stringMatching(/^[a-z]{1,8}$/);
    const value = fc.uint8Array({ maxLength: 6_000 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.dictionary(keys, value, { maxKeys: 6 }), (entries) => {
        const given = new Map(Object.entries(entries));
        const database = bboltDatabase({ b: [...given], a: [], z: [['one', Buffer.from('1')]] });
        expect(readBboltDatabase(database, 'b')).toEqual(
          new Map([...given].sort(([a], [b]) => (a < b ? -1 : 1))),
        );
        expect(readBboltDatabase(database, 'a')).toEqual(new Map());
        expect(readBboltDatabase(database, 'c')).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });
});
