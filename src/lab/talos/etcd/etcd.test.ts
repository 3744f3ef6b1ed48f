import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedRandom } from '../../random.js';
import { memoryStore } from '../../store.js';
import { openTalosDb } from '../machine/machine-record.js';
import { EtcdModel } from './etcd.js';

function model() {
  const store = memoryStore();
  const running = new Set<string>();
  const etcd = new EtcdModel(openTalosDb(store), storedRandom(store, 'etcd'), (_, member) =>
    running.has(member),
  );
  const { clusterId, memberId } = etcd.create('owner', 'cp-1', '10.0.0.1');
  running.add(memberId);
  const join = (name: string) => {
    const id = etcd.addLearner(clusterId, name, '10.0.0.9');
    running.add(id);
    etcd.promote(clusterId, id);
    return id;
  };
  return { etcd, running, clusterId, first: memberId, join };
}

describe('the etcd model', () => {
  it('has a leader only with a majority of voters', () => {
    const { etcd, running, clusterId, first, join } = model();
    const [second, third] = [join('cp-2'), join('cp-3')];
    expect(etcd.leader(clusterId)).toBe(first);
    running.delete(first);
    expect(etcd.leader(clusterId)).toBe(second);
    running.delete(third);
    expect(etcd.leader(clusterId)).toBeUndefined();
    expect(etcd.write(clusterId)).toBe(false);
    running.add(first);
    expect(etcd.leader(clusterId)).toBe(second);
  });

  it('replaces a member of the same name that comes with an empty disk', () => {
    const { etcd, clusterId, join } = model();
    const old = join('cp-2');
    const fresh = etcd.addLearner(clusterId, 'cp-2', '10.0.0.2');
    const ids = etcd.get(clusterId)?.members.map((member) => member.id);
    expect(ids).toContain(fresh);
    expect(ids).not.toContain(old);
  });

  it('gives leadership to another voter, never to a learner', () => {
    const { etcd, running, clusterId, first } = model();
    const learner = etcd.addLearner(clusterId, 'cp-2', '10.0.0.2');
    running.add(learner);
    expect(etcd.forfeit(clusterId)).toBeUndefined();
    etcd.promote(clusterId, learner);
    expect(etcd.forfeit(clusterId)).toBe(learner);
    expect(etcd.leader(clusterId)).not.toBe(first);
  });

  it('never goes back, whoever runs', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(4), fc.boolean()), { maxLength: 40 }), (moves) => {
        const { etcd, running, clusterId, first, join } = model();
        const members = [first, join('cp-2'), join('cp-3'), join('cp-4'), join('cp-5')];
        let before = etcd.get(clusterId);
        for (const [index, up] of moves) {
          const member = members[index] ?? first;
          if (up) running.add(member);
          else running.delete(member);
          const leader = etcd.leader(clusterId);
          etcd.write(clusterId);
          const now = etcd.get(clusterId);
          expect(now?.term).toBeGreaterThanOrEqual(before?.term ?? 0);
          expect(now?.revision).toBeGreaterThanOrEqual(before?.revision ?? 0);
          const up3 = members.filter((one) => running.has(one)).length >= 3;
          expect(leader !== undefined).toBe(up3);
          if (leader !== undefined) expect(running.has(leader)).toBe(true);
          if (!up3) expect(now?.revision).toBe(before?.revision);
          before = now;
        }
      }),
      { numRuns: 60 },
    );
  });
});
