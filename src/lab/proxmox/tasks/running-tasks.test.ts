import { expect, test } from 'vitest';
import { memoryStore } from '../../store.js';
import type { TaskRecord } from '../db.js';
import { runningTasks } from './running-tasks.js';

const task = (upid: string, node: string, exitstatus?: string): TaskRecord => ({
  upid,
  node,
  pid: 1,
  pstart: 1,
  starttime: 1,
  type: 'qmstart',
  id: '100',
  user: 'root@pam',
  log: [],
  ...(exitstatus === undefined ? {} : { exitstatus }),
});

test('running tasks of a host, in the order of their start, from before and from since', () => {
  const tasks = memoryStore({
    tasks: [
      ['a', task('a', 'pve1')],
      ['b', task('b', 'pve1', 'OK')],
    ],
  }).table<TaskRecord>('tasks');
  const running = () => [...runningTasks({ tasks }, 'pve1')].map(({ upid }) => upid);
  expect(running()).toEqual(['a']);
  tasks.put('c', task('c', 'pve1'));
  tasks.put('d', task('d', 'pve2'));
  tasks.put('a', { ...task('a', 'pve1'), log: ['still going'] });
  expect(running()).toEqual(['a', 'c']);
  expect([...runningTasks({ tasks }, 'pve1')][0]?.log).toEqual(['still going']);
  tasks.put('a', task('a', 'pve1', 'OK'));
  expect(running()).toEqual(['c']);
  tasks.delete('c');
  expect(running()).toEqual([]);
});
