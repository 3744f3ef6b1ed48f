import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DrivenClock, type LabClock, ScaledClock } from './clock.js';

const clocks: [string, () => LabClock][] = [
  ['driven', () => new DrivenClock(0)],
  ['scaled', () => new ScaledClock(0, 1_000)],
];

describe.each(clocks)('a %s clock', (_, make) => {
  const failures: string[] = [];
  let listeners: NodeJS.UncaughtExceptionListener[] = [];
  const note = (error: Error) => failures.push(error.message);
  beforeEach(() => {
    listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', note);
    failures.length = 0;
  });
  afterEach(() => {
    process.removeListener('uncaughtException', note);
    for (const listener of listeners) process.on('uncaughtException', listener);
  });

  it('goes on after a moment that failed, and the failure is not hidden', async () => {
    const clock = make();
    clock.schedule(10, () => {
      throw new Error('a machine that is switched off');
    });
    await clock.sleep(1_000);
    clock.stop();
    expect(clock.now()).toBeGreaterThanOrEqual(1_000);
    expect(failures).toEqual(['a machine that is switched off']);
  });

  it('does nothing more once it is stopped', async () => {
    const clock = make();
    let happened = 0;
    clock.schedule(5, () => {
      happened += 1;
      clock.stop();
    });
    clock.schedule(5, () => {
      happened += 1;
    });
    void clock.sleep(10);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(happened).toBe(1);
  });
});

it('runs no faster than programs in wall time can follow, until they have ended', async () => {
  const clock = new DrivenClock(0);
  const { speed, end } = clock.limit(100);
  expect(speed).toBe(100);
  const began = performance.now();
  for (let second = 0; second < 10; second += 1) await clock.sleep(1_000);
  // Timers of Node may fire up to a millisecond early, each of them.
  expect(performance.now() - began).toBeGreaterThanOrEqual(90);
  const slower = clock.limit(0.001);
  slower.end();
  end();
  await clock.sleep(86_400_000);
  expect(clock.now()).toBe(86_410_000);
  clock.stop();
});
