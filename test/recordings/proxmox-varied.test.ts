/** Requests that the lab had not seen when it was built, recorded with the same versions of Proxmox VE. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HA_SPEED, replay, SPEED, scenarioFiles, startRecordingsLab } from './proxmox-replay.js';

const scenario = z.object({ setup: z.string().optional(), exchanges: z.array(z.unknown()) });

/** What a scenario starts from: a second host, and an HA manager that acts while it runs. */
function labFor(setup = '') {
  const two = /pve2/.test(setup);
  return startRecordingsLab(
    two ? 'recordings-more' : 'recordings',
    /HA manager/.test(setup) ? HA_SPEED : SPEED,
  );
}

const FILES = scenarioFiles([], 'scenarios-varied').map((file) => ({ file, name: basename(file, '.json') }));

describe('the Proxmox lab answers variations of the scenarios', () => {
  it.each(FILES)('$name', { timeout: 60_000 }, async ({ file }) => {
    const { setup, exchanges } = scenario.parse(JSON.parse(readFileSync(file, 'utf8')));
    const lab = await labFor(setup);
    try {
      const result = await replay(lab, [file]);
      expect(result.results.filter(({ same }) => !same)).toEqual([]);
      expect(result.same).toBe(exchanges.length);
      expect(lab.proxmox.bugs()).toEqual([]);
    } finally {
      await lab.stop();
    }
  });
});
