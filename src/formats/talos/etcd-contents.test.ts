import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../lab/store.js';
import { bboltDatabase } from '../../lab/talos/etcd/etcd-database.js';
import { snapshotOf } from '../../lab/talos/etcd/etcd-snapshot.js';
import { objectCounts, readEtcdContents } from './etcd-contents.js';

/** `_` between two numbers of eight bytes; `t` behind them: the key was deleted. */
function revision(main: number, isDeletion = false): Buffer {
  const bytes = Buffer.alloc(17 + (isDeletion ? 1 : 0));
  bytes.writeBigUInt64BE(BigInt(main));
  bytes.write('_', 8);
  if (isDeletion) bytes.write('t', 17);
  return bytes;
}
const change = (path: string) => Buffer.concat([Buffer.from([0x0a, path.length]), Buffer.from(path)]);
const database = (key: [Buffer, Buffer][]) =>
  bboltDatabase({ key, members: [['1', Buffer.from('{"id":1,"name":"cp-1"}')]] });

describe('the contents of an etcd database', () => {
  it('are what is there after every revision, deletions included', () => {
    const {
      keys,
      members,
      changes,
      revision: last,
    } = readEtcdContents(
      database([
        [revision(2), change('/registry/pods/a/x')],
        [revision(3), change('/registry/pods/a/y')],
        [revision(4, true), change('/registry/pods/a/x')],
        [revision(5), change('/registry/pods/a/y')],
      ]),
    );
    expect([...keys]).toEqual([['/registry/pods/a/y', 5]]);
    expect({ members, changes, last }).toEqual({
      members: [{ name: 'cp-1', learner: false }],
      changes: 4,
      last: 5,
    });
  });

  it('are refused where pages lead nowhere, and where there are no keys of etcd', () => {
    const broken = Buffer.from(database([[revision(2), change('/registry/pods/a/x')]]));
    broken.writeBigUInt64LE(1_000_000n, 16 + 16);
    broken.writeBigUInt64LE(1_000_000n, 4_096 + 16 + 16);
    expect(() => readEtcdContents(broken)).toThrow(/outside of the file/);
    expect(() => readEtcdContents(bboltDatabase({ other: [] }))).toThrow(/not a database of etcd/);
    expect(() => readEtcdContents(new Uint8Array(8_192))).toThrow(/does not start as a bbolt database/);
  });

  it('read a snapshot of the lab', () => {
    const members = [{ id: '1', name: 'cp-1', ip: '10.0.0.1', learner: true }];
    const state = { id: '7', owner: 'ca', leader: '1', term: 2, index: 20, revision: 11, alarms: [] };
    const bytes = snapshotOf(memoryStore(), { ...state, members }).subarray(0, -32);
    expect(readEtcdContents(bytes)).toMatchObject({ members: [{ name: 'cp-1', learner: true }] });
  });
});

it('objects are counted by kind', () => {
  expect(
    Object.fromEntries(
      objectCounts([
        '/registry/pods/a/x',
        '/registry/pods/a/y',
        '/registry/services/specs/a/x',
        '/registry/cilium.io/ciliumnodes/n',
        'compact_rev_key',
      ]),
    ),
  ).toEqual({ pods: 2, 'services/specs': 1, 'cilium.io/ciliumnodes': 1 });
});
