import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EtcdStatusInfo } from '../../clients/talos/etcd.js';
import { bboltDatabase } from '../../lab/talos/etcd/etcd-database.js';
import { ensureFreshSnapshot, lastSnapshot, type SnapshotGiver, takeSnapshot } from './etcd-snapshots.js';

const NOW = Date.UTC(2026, 10, 15, 12, 0, 0);
const DATABASE = bboltDatabase({ lab: [['state', Buffer.alloc(9_000, 'x')]] });
const WHOLE = Buffer.concat([DATABASE, createHash('sha256').update(DATABASE).digest()]);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-snapshots-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function giver(
  address: string,
  {
    status = {},
    sends = WHOLE,
    pieces = 1_000,
  }: { status?: Partial<EtcdStatusInfo>; sends?: Buffer; pieces?: number } = {},
): SnapshotGiver {
  return {
    address,
    etcd: {
      status: async () => ({
        memberId: 1n,
        leader: 9n,
        learner: false,
        dbSize: 0,
        dbSizeInUse: 0,
        raftIndex: 5n,
        raftTerm: 1n,
        raftAppliedIndex: 5n,
        protocolVersion: '3.6.0',
        storageVersion: '3.6.0',
        errors: [],
        ...status,
      }),
      async *snapshot() {
        for (let start = 0; start < sends.length; start += pieces)
          yield sends.subarray(start, start + pieces);
      },
    },
  };
}

function source(givers: Record<string, SnapshotGiver | undefined>) {
  const controlPlanes = Object.keys(givers).map((name) => ({ name, ip: name }));
  return { talos: { admin: (ip: string) => givers[ip] }, controlPlanes };
}

describe('a snapshot', () => {
  it.each([7, 31, 33, 4_096, 1_000_000])(
    'is whole on disk whatever the pieces are: %d bytes',
    async (pieces) => {
      const path = join(folder, 'etcd.snapshot');
      const taken = await takeSnapshot(source({ a: giver('a', { pieces }) }), path, NOW);
      expect(readFileSync(path).equals(WHOLE)).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(taken).toEqual({
        path,
        size: WHOLE.length,
        sha256: createHash('sha256').update(WHOLE).digest('hex'),
        node: 'a',
        takenAt: NOW,
      });
    },
  );

  it.each([
    ['cut off', WHOLE.subarray(0, -4_000), /truncated/],
    ['empty', Buffer.alloc(0), /0 bytes only/],
    [
      'damaged',
      Buffer.concat([WHOLE.subarray(0, 5_000), Buffer.from('!'), WHOLE.subarray(5_001)]),
      /SHA-256/,
    ],
    ['no database', Buffer.alloc(8_224), /does not start as a bbolt database/],
  ])('that is %s replaces nothing', async (_, sends, why) => {
    const path = join(folder, 'etcd.snapshot');
    writeFileSync(path, 'the old one');
    await expect(takeSnapshot(source({ a: giver('a', { sends }) }), path, NOW)).rejects.toThrow(why);
    expect(readdirSync(folder)).toEqual(['etcd.snapshot']);
    expect(readFileSync(path, 'utf8')).toBe('the old one');
  });

  it('comes from the follower that is furthest, not from the leader', async () => {
    const givers = {
      leader: giver('leader', { status: { memberId: 9n, raftAppliedIndex: 9n } }),
      behind: giver('behind', { status: { memberId: 2n, raftAppliedIndex: 3n } }),
      near: giver('near', { status: { memberId: 3n, raftAppliedIndex: 8n } }),
    };
    expect((await takeSnapshot(source(givers), join(folder, 'x'), NOW)).node).toBe('near');
  });

  it('is not taken from members that are not healthy, and says what each said', async () => {
    const dead: SnapshotGiver = {
      address: 'dead',
      etcd: { ...giver('dead').etcd, status: () => Promise.reject(new Error('nobody answers')) },
    };
    const givers = {
      dead,
      learner: giver('learner', { status: { learner: true } }),
      alone: giver('alone', { status: { leader: 0n, errors: ['etcdserver: no leader'] } }),
      unknown: undefined,
    };
    await expect(takeSnapshot(source(givers), join(folder, 'x'), NOW)).rejects.toThrow(
      'no control plane has a healthy etcd (alone: etcdserver: no leader; dead: nobody answers; learner: still a learner)',
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a fresh snapshot', () => {
  const options = (now: number) => ({ folder, maxAgeSeconds: 3_600, keep: 20, now });

  it('is the last one while it is young enough, and a new one after that', async () => {
    const from = source({ a: giver('a') });
    const first = await ensureFreshSnapshot(from, options(NOW));
    expect(first).toMatchObject({ taken: true, takenAt: NOW });
    const second = await ensureFreshSnapshot(from, options(NOW + 3_600_000));
    expect(second).toEqual({ path: first.path, takenAt: NOW, taken: false });
    const third = await ensureFreshSnapshot(from, options(NOW + 3_601_000));
    expect(third.taken).toBe(true);
    expect((await lastSnapshot(folder, NOW + 9_000_000))?.path).toBe(third.path);
  });

  it('is not one of another cluster, nor a damaged one', async () => {
    const cluster = (uid: string, secrets = 'aa') => ({
      ...source({ a: giver('a') }),
      owner: async () => ({ secrets, cluster: uid }),
    });
    const fresh = async (from: ReturnType<typeof cluster>, at: number) =>
      (await ensureFreshSnapshot(from, options(NOW + at * 1_000))).taken;
    expect(await fresh(cluster('one'), 0)).toBe(true);
    expect(await fresh(cluster('one'), 1)).toBe(false);
    expect(await fresh(cluster('two'), 2)).toBe(true);
    expect(await fresh(cluster('two'), 3)).toBe(false);
    expect(await fresh(cluster('two', 'bb'), 4)).toBe(true);
    const last = await lastSnapshot(folder, NOW + 9_000);
    writeFileSync(last?.path ?? '', WHOLE.subarray(0, -10));
    expect(await fresh(cluster('two', 'bb'), 5)).toBe(true);
  });

  it('goes with its note', async () => {
    const from = { ...source({ a: giver('a') }), owner: async () => ({ secrets: 'aa', cluster: 'one' }) };
    for (const at of [0, 4_000_000, 8_000_000])
      await ensureFreshSnapshot(from, { ...options(NOW + at), keep: 2 });
    const names = readdirSync(folder);
    expect(names.filter((name) => name.endsWith('.snapshot'))).toHaveLength(2);
    expect(names.filter((name) => name.endsWith('.snapshot.json'))).toHaveLength(2);
  });

  it('is not one from the future, nor any other file', async () => {
    writeFileSync(join(folder, 'etcd-20991231T000000Z.snapshot'), '');
    writeFileSync(join(folder, 'notes.txt'), '');
    const from = source({ a: giver('a') });
    expect((await ensureFreshSnapshot(from, options(NOW))).taken).toBe(true);
    expect((await ensureFreshSnapshot(from, options(NOW + 1_000))).taken).toBe(false);
  });

  it('is none where there is no folder yet', async () => {
    expect(await lastSnapshot(join(folder, 'none'), NOW)).toBeUndefined();
  });
});
