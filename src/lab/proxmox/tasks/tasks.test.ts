import { beforeEach, describe, expect, it } from 'vitest';
import { DrivenClock } from '../../clock.js';
import { createFaults } from '../../faults.js';
import type { LabCore } from '../../lab.js';
import { privateNetwork } from '../../network.js';
import { storedRandom } from '../../random.js';
import { memoryStore, type Store } from '../../store.js';
import { createTimeline } from '../../timeline.js';
import { PveError } from '../api.js';
import { openPveDb } from '../db.js';
import { TaskEngine } from './tasks.js';

function coreOn(store: Store, start = 1_700_000_000_000): LabCore {
  const clock = new DrivenClock(start);
  return {
    store,
    clock,
    timeline: createTimeline(store, clock),
    network: privateNetwork(),
    faults: createFaults(store),
    random: storedRandom(store, 'test'),
  };
}

describe('tasks', () => {
  let store: Store;
  let core: LabCore;
  let tasks: TaskEngine;
  let done: string[];

  const engine = (on: LabCore) => {
    const made = new TaskEngine(on, openPveDb(on.store), 1);
    made.define<{ what: string }>(
      'work',
      ({ what }, task) => {
        if (what === 'fail') throw new PveError(500, 'no\n\n');
        if (what === 'warn') task.warn('careful');
        task.log(`did ${what}`);
        done.push(what);
        return undefined;
      },
      ({ what }) => void done.push(`undone ${what}`),
    );
    let rounds = 0;
    made.define('patient', (_, task) => {
      rounds += 1;
      task.log(`round ${rounds}`);
      return rounds < 3 ? { again: 1_000 } : undefined;
    });
    return made;
  };
  const start = (what: string, type = 'work') =>
    tasks.start({ user: 'root@pam!lab' }, { node: 'pve1', type, id: '100', args: { what }, duration: 500 });
  const task = (upid: string) => openPveDb(store).tasks.get(upid);

  beforeEach(() => {
    done = [];
    store = memoryStore();
    core = coreOn(store);
    tasks = engine(core);
  });

  it('run for their time and end with a log', async () => {
    const upid = start('a');
    expect(upid).toMatch(/^UPID:pve1:[0-9A-F]{8}:[0-9A-F]{8}:[0-9A-F]{8}:work:100:root@pam!lab:$/);
    expect(task(upid)?.exitstatus).toBeUndefined();
    expect(done).toEqual([]);
    await core.clock.sleep(600);
    expect(task(upid)).toMatchObject({
      exitstatus: 'OK',
      log: ['did a', 'TASK OK'],
      user: 'root@pam',
      tokenid: 'lab',
    });
    expect(task(upid)).not.toHaveProperty('args');
  });

  it('fail with the text of their error, its line breaks as blanks', async () => {
    const upid = start('fail');
    await core.clock.sleep(600);
    expect(task(upid)).toMatchObject({ exitstatus: 'no ', log: ['TASK ERROR: no '] });
  });

  it('count warnings', async () => {
    const upid = start('warn');
    await core.clock.sleep(600);
    expect(task(upid)).toMatchObject({
      exitstatus: 'WARNINGS: 1',
      log: ['WARN: careful', 'did warn', 'TASK WARNINGS: 1'],
    });
  });

  it('may wait for others and keep their log meanwhile', async () => {
    const upid = start('', 'patient');
    await core.clock.sleep(1_600);
    expect(task(upid)).toMatchObject({ log: ['round 1', 'round 2'] });
    await core.clock.sleep(1_000);
    expect(task(upid)).toMatchObject({ exitstatus: 'OK', log: ['round 1', 'round 2', 'round 3', 'TASK OK'] });
  });

  it('fail, warn and hang as faults say, with nothing done where they fail', async () => {
    core.faults.set({ name: 'task-fails', subject: '100', countdown: 0 });
    const failing = start('a');
    core.faults.set({ name: 'task-warns', subject: 'work', countdown: 0 });
    const warning = start('b');
    core.faults.set({ name: 'task-hangs', subject: 'work:100', countdown: 0 });
    const hanging = start('c');
    await core.clock.sleep(100_000);
    expect(task(failing)?.exitstatus).toBe("lab fault 'task-fails'");
    expect(task(warning)?.exitstatus).toBe('WARNINGS: 1');
    expect(task(hanging)?.exitstatus).toBeUndefined();
    expect(done).toEqual(['undone a', 'b']);
    tasks.stop(hanging);
    expect(task(hanging)?.exitstatus).toBe('received interrupt');
    expect(done).toEqual(['undone a', 'b', 'undone c']);
  });

  it('can be stopped before their work is done, and not after', async () => {
    const upid = start('a');
    tasks.stop(upid);
    await core.clock.sleep(600);
    expect(task(upid)?.exitstatus).toBe('received interrupt');
    expect(done).toEqual(['undone a']);
    tasks.stop(upid);
    expect(done).toEqual(['undone a']);
  });

  it('go on in another process', async () => {
    const upid = start('a');
    core.clock.stop();
    const later = coreOn(store, core.clock.now());
    engine(later);
    later.timeline.resume();
    await later.clock.sleep(600);
    expect(task(upid)?.exitstatus).toBe('OK');
  });
});
