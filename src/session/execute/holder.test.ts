import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { hasEnded } from '../../apply/lock/holder.js';
import { processAt, thisHolder } from './holder.js';

describe('the holder that this process is', () => {
  it('is told apart from every other run', () => {
    const [one, other] = [thisHolder(0), thisHolder(0)];
    expect(one.token).toMatch(/^[0-9a-f]{16}$/);
    expect(one.token).not.toBe(other.token);
    expect(one).toMatchObject({ pid: process.pid, bootId: other.bootId, started: other.started });
  });

  it.runIf(process.platform !== 'win32')('knows its boot, its process ids and its start', () => {
    expect(thisHolder(0)).toMatchObject({
      bootId: expect.stringMatching(/^[0-9a-fA-F-]{36}$/),
      pidNamespace: expect.stringMatching(/./),
      started: expect.stringMatching(/\d/),
    });
  });
});

describe('a process', () => {
  it('lives, is killed, and has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    const sight = processAt(pid);
    expect(sight.alive).toBe(true);
    const holder = { ...thisHolder(0), ...(sight.alive && { started: sight.started ?? '' }), pid };
    expect(hasEnded(holder, thisHolder(0), processAt, new Set())).toBe(false);
    child.kill('SIGSTOP');
    expect(hasEnded(holder, thisHolder(0), processAt, new Set())).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(hasEnded(holder, thisHolder(0), processAt, new Set())).toBe(true);
  });

  it.each([0, -1, 2 ** 30])('%i is none', (pid) => {
    expect(processAt(pid)).toEqual({ alive: false });
  });
});
