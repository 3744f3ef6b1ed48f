/** Every recorded exchange with a real Proxmox VE gets the same answer from the lab. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { runApp } from '../../src/cli/app.js';
import { startControl } from '../../src/lab/control.js';
import { startLab } from '../../src/lab/index.js';
import { findProfile } from '../../src/lab/profiles/profiles.js';
import { folderState } from '../../src/lab/state.js';
import { testContext } from '../support/cli/context.js';
import { takeFaultOrders } from './fault-orders.js';
import {
  HA_SPEED,
  type ReplayResult,
  replay,
  SPEED,
  scenarioFiles,
  startRecordingsLab,
} from './proxmox-replay.js';

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

const CLUSTER_SCENARIOS = [
  'backup-jobs',
  'firewall-vm',
  'migrate',
  'migrate-abort',
  'migrate-more',
  'next-id',
  'storage-config',
  'task-lists',
  'upload',
];

/** One recorded task log has the time of its recording and the addresses of its hosts in every line. */
const TIMED_LOG = 'migrate with a foreign disk';

function withoutExceptions(result: ReplayResult): ReplayResult {
  const log = result.results.find(({ exchange, same }) => exchange === TIMED_LOG && !same);
  if (!log?.differences?.every(({ path }) => path.startsWith('task.log['))) return result;
  const results = result.results.map((one) => (one === log ? { ...one, same: true, differences: [] } : one));
  return { ...result, results, same: result.same + 1, different: result.different - 1 };
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

  it('in the scenarios of a cluster without HA', async () => {
    const lab = await startRecordingsLab('recordings-more');
    try {
      const result = await replay(lab, scenarioFiles(CLUSTER_SCENARIOS, 'scenarios-more'));
      expectAllSame(withoutExceptions(result), 478);
      expect(lab.proxmox.bugs()).toEqual([]);
    } finally {
      await lab.stop();
    }
  }, 120_000);

  it('in the scenarios of an HA manager that acts', async () => {
    const lab = await startRecordingsLab('recordings-more', HA_SPEED);
    try {
      const files = scenarioFiles(['ha-live', 'ha-migrate', 'ha-rules'], 'scenarios-more');
      expectAllSame(await replay(lab, files), 114);
      expect(lab.proxmox.bugs()).toEqual([]);
    } finally {
      await lab.stop();
    }
  }, 120_000);

  it('in the scenarios of HA without a manager', async () => {
    const lab = await startRecordingsLab('recordings-more');
    lab.core.faults.set({ name: 'ha-manager-down', subject: '', countdown: null });
    try {
      const files = scenarioFiles(['ha-groups', 'ha-resources'], 'scenarios-more');
      expectAllSame(await replay(lab, files), 78);
      expect(lab.proxmox.bugs()).toEqual([]);
    } finally {
      await lab.stop();
    }
  }, 120_000);

  it('when hosts and their daemons go and come back, as the command line orders', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-nodes-'));
    const state = await folderState(folder);
    const world = findProfile('recordings-more')?.world([]);
    const lab = await startLab({ state, speed: SPEED, ...(world && { world }) });
    const control = await startControl(lab);
    state.lock.announce(control);
    const orders = await takeFaultOrders(folder);
    try {
      const files = scenarioFiles(['node-states'], 'scenarios-more');
      expectAllSame(await replay(lab, files, { hook: orders.hook }), 41);
      expect(lab.proxmox.bugs()).toEqual([]);
    } finally {
      orders.close();
      await control.close();
      await lab.stop();
      rmSync(folder, { recursive: true });
    }
  }, 120_000);

  it('without quorum, which the command line takes away and gives back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-noquorum-'));
    const state = await folderState(folder);
    const world = findProfile('recordings-noquorum')?.world([]);
    const lab = await startLab({ state, speed: 200, ...(world && { world }) });
    const control = await startControl(lab);
    state.lock.announce(control);
    const orders = await takeFaultOrders(folder);
    try {
      const files = scenarioFiles([], 'scenarios-noquorum');
      expectAllSame(await replay(lab, files, { hook: orders.hook }), 26);
      expect(lab.proxmox.bugs()).toEqual([]);
    } finally {
      orders.close();
      await control.close();
      await lab.stop();
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});
