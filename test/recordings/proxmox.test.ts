/** Every recorded exchange with a real Proxmox VE gets the same answer from the lab. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { runApp } from '../../src/cli/app.js';
import { testContext } from '../../src/cli/test-support/context.js';
import { startControl } from '../../src/lab/control.js';
import { startLab } from '../../src/lab/index.js';
import { findProfile } from '../../src/lab/profiles/profiles.js';
import { folderState } from '../../src/lab/state.js';
import { type ReplayResult, replay, SPEED, scenarioFiles } from './proxmox-replay.js';

function expectAllSame(result: ReplayResult, count: number): void {
  const different = result.results.filter((one) => !one.same);
  expect(different).toEqual([]);
  expect(result).toMatchObject({ same: count, different: 0 });
}

const readySchema = z.object({
  endpoint: z.string(),
  token: z.string(),
  rootTicket: z.string(),
  rootCsrf: z.string(),
});

/** The command itself, in this process. */
async function serve(profile: string) {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-recordings-'));
  const ready = join(folder, 'ready.json');
  const interrupt = new AbortController();
  const args = ['--profile', profile, '--port', '0', '--speed', String(SPEED), '--ready-file', ready];
  const { context, stderr } = testContext(folder);
  const ended = runApp({
    argv: ['lab', 'serve', ...args],
    ...context,
    signal: interrupt.signal,
    version: '0.0.0-test',
  });
  await vi.waitFor(() => expect(existsSync(ready), stderr()).toBe(true), { timeout: 30_000, interval: 50 });
  const { rootTicket, rootCsrf, ...address } = readySchema.parse(JSON.parse(readFileSync(ready, 'utf8')));
  return {
    ...address,
    rootLogin: () => ({ ticket: rootTicket, csrf: rootCsrf }),
    async stop() {
      interrupt.abort();
      const exit = await ended;
      rmSync(folder, { recursive: true });
      return exit;
    },
  };
}

describe('the Proxmox lab answers as recorded', () => {
  it('in all 26 scenarios, under `oxherd lab serve`', async () => {
    const served = await serve('recordings');
    try {
      expectAllSame(await replay(served, scenarioFiles()), 675);
    } finally {
      expect(await served.stop()).toBe(0);
    }
  }, 120_000);

  it('without quorum, which the command line takes away and gives back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-noquorum-'));
    const state = await folderState(folder);
    const world = findProfile('recordings-noquorum')?.world([]);
    const lab = await startLab({ state, speed: 200, ...(world && { world }) });
    const control = await startControl(lab);
    state.lock.announce(control);
    try {
      const files = scenarioFiles([], 'scenarios-noquorum');
      const hook = `sh test/recordings/quorum-hook.sh ${folder}`;
      expectAllSame(await replay(lab, files, { hook }), 26);
      expect(lab.proxmox.bugs()).toEqual([]);
    } finally {
      await control.close();
      await lab.stop();
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});
