import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DrivenClock } from './clock.js';
import { fileStore } from './store.js';
import { createTimeline } from './timeline.js';

describe('an event and what its handler writes', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oxherd-timeline-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are both there or neither, wherever the log was cut off', async () => {
    const store = fileStore(folder);
    const clock = new DrivenClock(0);
    const timeline = createTimeline(store, clock);
    const done = store.table<string>('done');
    const steps = store.table<number>('steps');
    timeline.on<{ name: string }>('work', ({ name }) => {
      done.put(`${name}-first`, 'x'.repeat(50));
      steps.put(name, 1);
      done.put(`${name}-second`, 'y'.repeat(50));
    });
    for (const name of ['a', 'b', 'c']) timeline.after(10, 'work', { name });
    await clock.sleep(100);
    await turn();
    clock.stop();
    const log = readFileSync(join(folder, 'changes.log'));
    expect([...done.entries()]).toHaveLength(6);

    for (let length = 0; length <= log.length; length += 13) {
      writeFileSync(join(folder, 'changes.log'), log.subarray(0, length));
      const reopened = fileStore(folder);
      const waiting = [...reopened.table<{ args: { name: string } }>('timeline').values()];
      for (const name of ['a', 'b', 'c']) {
        const left = waiting.some(({ args }) => args.name === name);
        const written = ['first', 'second'].filter((part) => reopened.table('done').has(`${name}-${part}`));
        const asked = left || written.length > 0;
        if (asked) expect(written, `${name} at ${length}`).toHaveLength(left ? 0 : 2);
      }
    }
  });
});
