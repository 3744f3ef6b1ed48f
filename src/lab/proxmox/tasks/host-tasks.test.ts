import { expect, test } from 'vitest';
import { memoryStore } from '../../store.js';
import type { TaskRecord } from '../db.js';
import { endedTasks, runningTasks } from './host-tasks.js';

const task = (upid: string, node: string, starttime: number, exitstatus?: string): TaskRecord => ({
  upid,
  node,
  pid: 1,
  pstart: 1,
  starttime,
  type: 'qmstart',
  id: '100',
  user: 'root@pam',
  log: [],
  ...(exitstatus === undefined ? {} : { exitstatus }),
});

const names = (tasks: readonly TaskRecord[]) => tasks.map(({ upid }) => upid);

test('tasks of a host, in the order of their start, from before and from since', () => {
  const tasks = memoryStore({
    tasks: [
      ['a', task('a', 'pve1', 1)],
      ['b', task('b', 'pve1', 2, 'OK')],
    ],
  }).table<TaskRecord>('tasks');
  const running = () => names(runningTasks({ tasks }, 'pve1'));
  const ended = (since?: number) => names(endedTasks({ tasks }, 'pve1', since));
  expect([running(), ended(), ended(3)]).toEqual([['a'], ['b'], []]);
  tasks.put('c', task('c', 'pve1', 3));
  tasks.put('d', task('d', 'pve2', 3));
  tasks.put('a', { ...task('a', 'pve1', 1), log: ['still going'] });
  expect(running()).toEqual(['a', 'c']);
  expect(runningTasks({ tasks }, 'pve1')[0]?.log).toEqual(['still going']);
  tasks.put('c', task('c', 'pve1', 3, 'OK'));
  tasks.put('a', task('a', 'pve1', 1, 'OK'));
  expect([running(), ended(), ended(2)]).toEqual([[], ['a', 'b', 'c'], ['b', 'c']]);
  tasks.delete('b');
  expect(ended()).toEqual(['a', 'c']);
});

test('a task that began before the one in front of it is found by its time as well', () => {
  const tasks = memoryStore().table<TaskRecord>('tasks');
  for (const [upid, time] of [
    ['late', 9],
    ['early', 1],
    ['middle', 5],
  ] as const)
    tasks.put(upid, task(upid, 'pve1', time, 'OK'));
  expect(names(endedTasks({ tasks }, 'pve1', 5))).toEqual(['late', 'middle']);
});
