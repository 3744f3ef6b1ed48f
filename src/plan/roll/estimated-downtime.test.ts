import { describe, expect, it } from 'vitest';
import type { Vmid } from '../../model/identity.js';
import { StepList } from '../step-list.js';
import { durationWords, estimatedDowntime } from './estimated-downtime.js';

const vmid = 151 as Vmid;

/** A node that is stopped, moves, is started and comes back. */
function planOfMove(bytes: number): StepList {
  const list = new StepList();
  const common = {
    node: 'work-1',
    title: '',
    impact: 'none' as const,
    ip: '10.0.0.1',
    role: 'worker' as const,
    vmid,
  };
  const begin = list.add('work-1', {
    ...common,
    kind: 'begin-disruption',
    controlPlanes: [],
    outage: false,
    others: [],
    maxAway: 1,
    gates: [],
  });
  const stop = list.add('151', { ...common, kind: 'stop-vm', host: 'a', needs: [begin] });
  const move = list.add('151', {
    ...common,
    kind: 'migrate-vm',
    from: 'a',
    host: 'b',
    online: false,
    storages: {},
    copies: { zfs: bytes },
    needs: [stop],
  });
  const start = list.add('151', { ...common, kind: 'start-vm', host: 'b', needs: [move] });
  const end = list.add('work-1', { ...common, kind: 'end-disruption', needs: [start] });
  // After its return, and of another node: neither counts.
  list.add('151', { ...common, kind: 'restart-vm', host: 'b', asked: true, needs: [end] });
  list.add('152', { ...common, node: 'work-2', kind: 'stop-vm', host: 'a' });
  return list;
}

describe('the time a node is away', () => {
  it('is the sum of what happens between its going and its return', () => {
    expect(estimatedDowntime(planOfMove(0).steps, 'work-1')).toEqual({ least: 38, most: 170 });
  });

  it('grows with what is copied', () => {
    expect(estimatedDowntime(planOfMove(60e9).steps, 'work-1')).toEqual({ least: 98, most: 1170 });
  });

  it('is none for a node that stays', () => {
    expect(estimatedDowntime(planOfMove(0).steps, 'work-2')).toBeUndefined();
  });

  it.each([
    [{ least: 1, most: 20 }, 'less than a minute'],
    [{ least: 38, most: 170 }, '1 to 3 minutes'],
    [{ least: 98, most: 1170 }, '1 to 20 minutes'],
    [{ least: 3_700, most: 36_000 }, '1 to 10 hours'],
    [{ least: 60, most: 60 }, 'a minute'],
  ])('%o is said as %s', (seconds, words) => {
    expect(durationWords(seconds)).toBe(words);
  });
});
