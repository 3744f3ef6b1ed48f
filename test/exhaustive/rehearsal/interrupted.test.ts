/** Rehearsals that are interrupted: they end soon and leave nothing behind but what was tried, where the next one continues. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliFolder, type CliResult, ended, labFile } from '../../support/cli.js';
import { smallFile } from '../../support/small-file.js';

let folder: CliFolder;
let temporary: string;
beforeAll(async () => {
  folder = CliFolder.make(smallFile());
  temporary = join(folder.path, 'tmp');
  mkdirSync(temporary);
  ended(await folder.lab('apply', '--yes'));
  folder.config = smallFile({ worker: ', memory: 5GiB' });
}, 300_000);
afterAll(() => folder.remove());

async function cut(signal: NodeJS.Signals, told: RegExp, ...flags: string[]): Promise<CliResult> {
  const { child, ended: end } = folder.spawn(['--lab', 'rehearse', ...flags], { env: { TMPDIR: temporary } });
  let text = '';
  child.stderr?.on('data', (chunk: string) => {
    if (told.test(text)) return;
    text += chunk;
    if (told.test(text)) child.kill(signal);
  });
  const result = await end;
  expect(told.test(text)).toBe(true);
  expect([result.exit, result.signal]).toEqual(signal === 'SIGINT' ? [130, null] : [-1, signal]);
  expect(readdirSync(temporary)).toEqual([]);
  return result;
}

function tried(): number {
  return JSON.parse(readFileSync(labFile(folder.path, 'chaos.json'), 'utf8')).tried.length;
}

it.each(['SIGINT', 'SIGTERM'] as const)('%s in the middle of the run', async (signal) => {
  const { stdout, stderr } = await cut(signal, /restart VM 151/);
  // A part of a run is no report.
  expect(stdout).toBe('');
  if (signal === 'SIGINT') expect(stderr).toContain('run the same command again');
});

it('in the middle of the cases, which are kept, and continued by the same command', async () => {
  await cut('SIGTERM', / {2}5\/\d+ /, '--chaos');
  const first = tried();
  expect(first).toBeGreaterThanOrEqual(5);
  const { stdout, stderr } = await cut('SIGINT', /tried before[\s\S]* {2}\d+\/\d+ /, '--chaos');
  expect(stderr).toContain(`${first} were tried before, continuing there`);
  const second = tried();
  expect(second).toBeGreaterThan(first);
  expect(stdout).toMatch(/\d+ cases left: run the same command again to continue/);
  // What was tried outlives one that is cut off before its first case.
  await cut('SIGINT', /restart VM 151/, '--chaos');
  expect(tried()).toBe(second);
});

it('by the end of its time, which says how many cases are left', async () => {
  const { chaos } = JSON.parse(ended(await folder.lab('--json', 'rehearse', '--chaos', '--budget', '1s')));
  const report = ended(await folder.lab('rehearse', '--chaos', '--budget', '1s'));
  const [, left = ''] = /(\d+) cases left: run the same command again/.exec(report) ?? [];
  expect(chaos.tried.length).toBeGreaterThan(0);
  expect(Number(left) + tried()).toBe(chaos.cases);
});
