/** Errors that nothing caught, planted into the process of a command: what a run makes of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CliFolder, ended, labFile } from '../../support/cli.js';
import { tier } from '../../support/shard.js';
import { smallFile } from '../../support/small-file.js';

const WHOLE = tier() !== 'test';
const PRELOAD = pathToFileURL(fileURLToPath(new URL('../../support/throw-later.mjs', import.meta.url)));

function folder(): CliFolder {
  const made = CliFolder.make(smallFile());
  onTestFinished(() => made.remove());
  return made;
}

const planted = (how: string, lines: number) => ({
  NODE_OPTIONS: `--import ${PRELOAD.href}`,
  THROW_AS: how,
  THROW_AFTER_LINES: String(lines),
});

function journalOf(made: CliFolder): { type: string; step?: string; result?: { outcome: string } }[] {
  const runs = labFile(made.path, 'runs');
  const [name = ''] = readdirSync(runs).filter((one) => one.endsWith('.jsonl'));
  return readFileSync(`${runs}/${name}`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const locks = (made: CliFolder) =>
  made.withLab(async ({ lab }) => [...lab.proxmox.pve.db.pools.values()].map(({ id }) => id));

describe('an error that nothing caught', () => {
  it.each(WHOLE ? ['error', 'rejection'] : ['rejection'])(
    'as %s ends the run as Ctrl-C does, unlocks the cluster and exits with 1',
    async (how) => {
      const made = folder();
      const args = ['--lab', '--json', 'apply', '--yes'];
      const { exit, stdout, stderr } = await made.spawn(args, { env: planted(how, 8) }).ended;
      expect(exit).toBe(1);
      expect(stderr).toContain('unexpected error: planted by the test');
      const events = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      // Nothing began after it, and everything that ran came to its end.
      const struck = events.slice(8);
      expect(struck.filter(({ type }) => type === 'step-started')).toEqual([]);
      expect(events.at(-2)).toMatchObject({ type: 'run-ended', result: { outcome: 'failed' } });
      expect(events.at(-2).result.notStarted.length).toBeGreaterThan(0);
      expect(events.at(-1)).toMatchObject({
        error: { code: 'uncaught', advice: expect.stringContaining('run the same command again') },
      });
      const journal = journalOf(made);
      expect(journal.at(-1)).toMatchObject({ type: 'run-ended', result: { outcome: 'failed' } });
      expect(await locks(made)).toEqual([]);
      if (WHOLE) ended(await made.lab('apply', '--yes'));
    },
  );

  it.runIf(WHOLE)('says how to resume', async () => {
    const made = folder();
    const { exit, stdout } = await made.spawn(['--lab', 'apply', '--yes'], { env: planted('error', 45) })
      .ended;
    expect(exit).toBe(1);
    expect(stdout).toMatch(/Failed\. \d+ done, 0 failed, \d+ not started\./);
    expect(stdout).toContain('no data was lost; resume with: oxherd --lab apply');
  });

  it.runIf(WHOLE)('that leaves nothing able to end says what becomes of the lock', async () => {
    const made = folder();
    const run = made.spawn(['--lab', '--json', 'apply', '--yes'], { env: planted('stuck', 8) });
    const { exit, stderr } = await run.ended;
    expect(exit).toBe(1);
    expect(stderr).toContain('unexpected error: planted by the test');
    expect(stderr).toContain('oxherd unlock');
    expect(await locks(made)).toEqual(['oxherd_small.lock']);
    ended(await made.lab('apply', '--yes'));
    expect(await locks(made)).toEqual([]);
  });
});
