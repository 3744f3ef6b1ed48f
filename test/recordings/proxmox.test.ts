/** Every recorded exchange with a real Proxmox VE gets the same answer from the lab. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startControl } from '../../src/lab/control.js';
import { startLab } from '../../src/lab/index.js';
import { findProfile } from '../../src/lab/profiles/profiles.js';
import { folderState } from '../../src/lab/state.js';
import { type ReplayResult, replay, scenarioFiles, startRecordingsLab } from './proxmox-replay.js';

function expectAllSame(result: ReplayResult, count: number): void {
  const different = result.results.filter((one) => !one.same);
  expect(different).toEqual([]);
  expect(result).toMatchObject({ same: count, different: 0 });
}

describe('the Proxmox lab answers as recorded', () => {
  it('in all 26 scenarios', async () => {
    const lab = await startRecordingsLab();
    try {
      expectAllSame(await replay(lab, scenarioFiles()), 675);
      expect(lab.proxmox.bugs()).toEqual([]);
    } finally {
      await lab.stop();
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
