import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerOf } from './rendezvous.js';
import { WorkQueue } from './work-queue.js';

describe('rendezvous hashing', () => {
  it('moves only the keys of a replica that goes', () => {
    const keys = Array.from({ length: 300 }, (_, index) => `ns/c${index}`);
    const all = ['a', 'b', 'c'];
    const before = keys.map((key) => ownerOf(key, all));
    for (const gone of all) {
      const left = all.filter((one) => one !== gone);
      keys.forEach((key, index) => {
        const now = ownerOf(key, left);
        if (before[index] !== gone) expect(now).toBe(before[index]);
        else expect(left).toContain(now);
      });
    }
    for (const one of all) expect(before.filter((owner) => owner === one).length).toBeGreaterThan(60);
  });
});

describe('the queue', () => {
  const queueAt = (clock: { now: number }) => new WorkQueue({ now: () => clock.now, random: () => 0 });

  it('gives a key to one worker at a time, and again where it was added meanwhile', () => {
    const clock = { now: 0 };
    const queue = queueAt(clock);
    queue.add('a');
    queue.add('a');
    expect(queue.take()).toBe('a');
    expect(queue.take()).toBeUndefined();
    queue.add('a');
    expect(queue.take()).toBeUndefined();
    queue.done('a', 10_000);
    expect(queue.take()).toBe('a');
    queue.done('a');
    clock.now = 10_000;
    expect(queue.take()).toBeUndefined();
  });

  it('comes back later and later after failures, and forgets them after a success', () => {
    const clock = { now: 0 };
    const queue = queueAt(clock);
    const pauses: number[] = [];
    queue.add('a');
    for (let round = 0; round < 9; round += 1) {
      clock.now += queue.wait() ?? 0;
      queue.take();
      queue.failed('a');
      pauses.push(queue.wait() ?? 0);
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    clock.now += 30_000;
    queue.take();
    queue.done('a', 0);
    queue.take();
    queue.failed('a');
    expect(queue.wait()).toBe(500);
  });

  it('never has a key in work twice, and loses none', () => {
    const orders = fc.array(
      fc.tuple(fc.constantFrom('add', 'take', 'done', 'failed'), fc.constantFrom('a', 'b', 'c')),
    );
    const property = fc.property(orders, (list) => {
      const clock = { now: 0 };
      const queue = queueAt(clock);
      const working = new Set<string>();
      const wanted = new Set<string>();
      for (const [order, key] of list) {
        clock.now += 100_000;
        if (order === 'add') {
          queue.add(key);
          wanted.add(key);
        } else if (order === 'take') {
          const taken = queue.take();
          if (taken === undefined) continue;
          expect(working.has(taken)).toBe(false);
          working.add(taken);
          wanted.delete(taken);
        } else if (working.delete(key)) {
          if (order === 'done') queue.done(key);
          else {
            queue.failed(key);
            wanted.add(key);
          }
        }
      }
      for (const key of working) queue.done(key);
      clock.now += 1e9;
      const left = new Set<string>();
      for (let key = queue.take(); key !== undefined; key = queue.take()) left.add(key);
      expect(left).toEqual(wanted);
    });
    fc.assert(property, { numRuns: 60 });
  });
});
