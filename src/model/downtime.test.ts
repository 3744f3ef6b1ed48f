import { describe, expect, it } from 'vitest';
import { downtimesIn, timeAway } from './downtime.js';
import type { RunEvent } from './events.js';

const away = (at: number, node: string): RunEvent => ({ type: 'node-away', at, node, reason: 'restart' });
const back = (at: number, node: string): RunEvent => ({ type: 'node-back', at, node, reason: 'ready' });

describe('absences', () => {
  it('are from away to back, per node and in order', () => {
    const absences = downtimesIn([
      away(1, 'a'),
      away(2, 'b'),
      back(5, 'a'),
      back(9, 'b'),
      away(10, 'a'),
      back(12, 'a'),
    ]);
    expect(absences.map(({ node, from, to }) => [node, from, to])).toEqual([
      ['a', 1, 5],
      ['b', 2, 9],
      ['a', 10, 12],
    ]);
    expect(timeAway(absences, 20)).toEqual([
      { node: 'a', times: 2, ms: 6, still: false },
      { node: 'b', times: 1, ms: 7, still: false },
    ]);
  });

  it('begin with the first away, end with the next back, and may be open', () => {
    const absences = downtimesIn([back(0, 'a'), away(1, 'a'), away(3, 'a'), back(4, 'a'), away(6, 'a')]);
    expect(absences.map(({ from, to }) => [from, to])).toEqual([
      [1, 4],
      [6, undefined],
    ]);
    expect(timeAway(absences, 10)).toEqual([{ node: 'a', times: 2, ms: 7, still: true }]);
  });
});
