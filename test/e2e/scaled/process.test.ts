/** Runs in a process of their own: killed, interrupted, and looked at from outside. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LAB_MARK } from '../../../src/cli/app.js';
import { CliFolder, ended } from '../../support/cli.js';
import { disksOf, volumeProblems } from '../../support/disks.js';
import { tier } from '../../support/shard.js';
import { smallFile } from '../../support/small-file.js';

const WHOLE = tier() !== 'test';

function folder(): CliFolder {
  const made = CliFolder.make(smallFile());
  onTestFinished(() => made.remove());
  return made;
}

/** The next run brings it to its end: every disk once, nothing left over. */
async function converges(made: CliFolder): Promise<void> {
  ended(await made.lab('apply', '--yes'));
  ended(await made.lab('plan', '--exit-code'));
  await made.withLab(async ({ lab }) => {
    const disks = disksOf(lab);
    // OS and EPHEMERAL of two nodes, and one volume; each identity on one volume.
    expect(disks.size).toBe(5);
    expect([...disks.values()].filter((volumes) => volumes.includes(' and '))).toEqual([]);
    expect(volumeProblems(lab)).toEqual([]);
  });
}

describe('a process that is killed', () => {
  it('several times in one build leaves nothing that the next run does not set right', async () => {
    const made = folder();
    for (const steps of WHOLE ? [1, 3, 5, 7, 10] : [3, 7]) {
      const { child, printed, ended: end } = made.spawn(['--lab', '--json', 'apply', '--yes']);
      // Events are lines: the run is so far when it dies.
      await printed(steps);
      child.kill('SIGKILL');
      const { signal } = await end;
      expect(signal).toBe('SIGKILL');
    }
    await converges(made);
  });

  it('by one Ctrl-C ends what runs, says how to go on, and exits with 130', async () => {
    const made = folder();
    const { child, printed, ended: end } = made.spawn(['--lab', 'apply', '--yes']);
    // The plan, and the first steps.
    await printed(40);
    child.kill('SIGINT');
    const { exit, stdout } = await end;
    expect(exit).toBe(130);
    expect(stdout).toMatch(/Interrupted\. \d+ done, 0 failed, \d+ not started\./);
    expect(stdout).toMatch(/not started:\n/);
    expect(stdout).toMatch(/no data was lost; resume with: oxherd (--lab )?apply/);
    await converges(made);
  });
});

describe.runIf(WHOLE)('a process that is terminated', () => {
  // While the plan is made, and in the middle of the run; the machine may be busy with other tests.
  it.each([1, 45])('after %i lines ends within a second', { retry: 2 }, async (lines) => {
    const made = folder();
    const { child, printed, ended: end } = made.spawn(['--lab', 'apply', '--yes']);
    await printed(lines);
    const begun = performance.now();
    child.kill('SIGTERM');
    // A shell says 143.
    expect(await end).toMatchObject({ signal: 'SIGTERM', stderr: LAB_MARK });
    expect(performance.now() - begun).toBeLessThan(1_000);
    await converges(made);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('by %s twice ends at once', async (signal) => {
    const made = folder();
    const { child, printed, ended: end } = made.spawn(['--lab', 'apply', '--yes']);
    await printed(40);
    child.kill(signal);
    // The first one has been taken: two that wait are one.
    await setTimeout(50);
    child.kill(signal);
    expect(await end).toMatchObject({ signal });
    await converges(made);
  });
});

describe('secrets', () => {
  const files = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? files(join(path, entry.name)) : [join(path, entry.name)],
    );

  it('the token is in no output, plan, state file or process listing', async () => {
    const made = folder();
    const output: string[] = [];
    const {
      child,
      printed,
      ended: end,
    } = made.spawn(['--lab', '--json', 'apply', '--yes'], {
      env: { OXHERD_DEBUG: '1' },
    });
    await printed(3);
    const commandLine = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
    const first = await end;
    output.push(first.stdout, first.stderr);
    for (const args of [
      ['plan', '--out', 'plan.json'],
      ['doctor'],
      ['status'],
      // Errors, with their stacks.
      ['apply', 'nowhere.json'],
      ['plan', '--fault', 'api-error'],
      ['plan', '--fault', 'drop-before'],
      ['destroy', '--yes'],
    ]) {
      const { stdout, stderr } = await made.run(['--lab', ...args], { env: { OXHERD_DEBUG: '1' } });
      output.push(stdout, stderr);
    }
    const tokenFile = join(made.path, '.oxherd', 'lab', 'token');
    const token = readFileSync(tokenFile, 'utf8').trim();
    const secret = token.slice(token.indexOf('=') + 1);
    expect(secret).toMatch(/^[0-9a-f-]{36}$/);
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    expect(commandLine).toContain('apply');
    expect(commandLine).not.toContain(secret);
    expect(output.filter((text) => text.includes(secret))).toEqual([]);
    const holding = files(made.path).filter((file) => readFileSync(file, 'utf8').includes(secret));
    expect(holding).toEqual([tokenFile]);
  });
});
