/** What is done on the lab never touches the files of the real cluster in the same folder. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAB_MARK, runApp } from '../../src/cli/app.js';
import { CliFolder, collector, ended } from '../support/cli.js';
import { smallFile } from '../support/small-file.js';

const REAL = {
  'secrets.sops.yaml': 'secrets of the real cluster',
  '.oxherd/small/kubeconfig': 'real kubeconfig',
  '.oxherd/small/talosconfig': 'real talosconfig',
  '.oxherd/small/upgrade.json': '{"talos":"v1.99.0","kubernetes":"v1.99.0"}',
  '.oxherd/small/etcd-20260101T000000Z.snapshot': 'real snapshot',
  '.oxherd/runs/20260101T000000Z-real0001.jsonl':
    '{"type":"journal","format":1,"runId":"real0001","command":"oxherd apply","cluster":"small","startedAt":"2026-01-01T00:00:00.000Z","lab":false}\n',
};

/** Every file outside of the lab, by its hash. */
function hashes(folder: string): Record<string, string> {
  const files = (at: string): string[] =>
    readdirSync(at).flatMap((name) => {
      const path = join(at, name);
      if (relative(folder, path) === join('.oxherd', 'lab')) return [];
      return statSync(path).isDirectory() ? files(path) : [path];
    });
  return Object.fromEntries(
    files(folder).map((path) => [
      relative(folder, path),
      createHash('sha256').update(readFileSync(path)).digest('hex'),
    ]),
  );
}

describe('the lab beside a real cluster', () => {
  let folder: CliFolder;
  let before: Record<string, string>;

  beforeAll(() => {
    folder = CliFolder.make(smallFile());
    for (const [name, text] of Object.entries(REAL)) {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      writeFileSync(join(folder.path, name), text, { mode: 0o600 });
    }
    before = hashes(folder.path);
  });
  afterAll(() => folder.remove());

  it.each([
    ['validate'],
    ['plan'],
    ['apply', '--yes'],
    ['status'],
    ['kubeconfig'],
    ['talosconfig'],
    ['etcd', 'backup'],
    ['secrets', 'rotate-admin'],
    ['volumes', 'list'],
    ['runs', 'list'],
    ['capacity', '--live'],
    ['graph', '--live'],
    ['doctor'],
    ['restart', 'work-1', '--yes'],
    ['replace', 'work-1', '--yes'],
    ['unlock', '--yes'],
    ['destroy', '--yes'],
  ])('%s %s changes none of its files', async (...args) => {
    await folder.lab(...args.filter((arg) => arg !== undefined));
    expect(hashes(folder.path)).toEqual(before);
  });

  it('lets an upgrade change the config only with --write, or after asking', async () => {
    ended(await folder.lab('apply', '--yes'));
    const refused = await folder.lab('upgrade', '--talos', 'v1.14.2', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toContain('--write');
    expect(hashes(folder.path)).toEqual(before);
  });

  it('marks what it shows, runs among real ones too', async () => {
    const stderr = collector();
    const stdout = collector();
    await runApp({
      argv: ['--lab', 'plan'],
      cwd: folder.path,
      env: { HOME: folder.path },
      stdin: process.stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      signal: new AbortController().signal,
      version: '0',
    });
    expect(stderr.text()).toContain(LAB_MARK);
    const runs = ended(await folder.run(['runs', 'list'])).split('\n');
    expect(runs.find((line) => line.startsWith('real0001'))).not.toContain('LAB');
    expect(runs.filter((line) => line.includes('LAB')).length).toBeGreaterThan(1);
  });

  it('is forgotten alone by a reset, and nothing else is taken for a lab', async () => {
    writeFileSync(join(folder.path, '.oxherd', 'lab', 'notes.txt'), 'mine');
    const wrong = await folder.run(['lab', 'reset', '--yes', '--state', 'docs']);
    expect(wrong.stdout).toContain('there was no lab');
    mkdirSync(join(folder.path, 'precious'));
    writeFileSync(join(folder.path, 'precious', 'thesis.txt'), 'mine');
    expect(await folder.run(['lab', 'reset', '--yes', '--state', 'precious'])).toMatchObject({ exit: 1 });
    expect(readFileSync(join(folder.path, 'precious', 'thesis.txt'), 'utf8')).toBe('mine');
    const reset = ended(await folder.run(['lab', 'reset', '--yes']));
    expect(reset).toContain('left in place: notes.txt');
    expect(readdirSync(join(folder.path, '.oxherd', 'lab'))).toEqual(['notes.txt']);
  });
});
