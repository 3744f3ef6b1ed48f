/** Journals that cannot be read, beside one that can: by what lies in their place, as tests may run as root. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { smallFile } from '../../../test/support/small-file.js';
import type { RunEvent } from '../../model/events.js';
import { runsFolder } from '../../secrets/locate.js';
import { journalLine } from '../../session/journal/journal-file.js';
import { RunJournals } from './run-journals.js';
import { serveDashboard } from './serve.js';

const CLUSTER = { name: 'small', env: '' };
const EVENTS: readonly RunEvent[] = [
  { type: 'run-started', at: 0, runId: 'good', steps: 1 },
  { type: 'step-started', at: 0, step: 'a', title: 'a step' },
];

let cwd: string;
let folder: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'oxherd-journals-'));
  folder = runsFolder({ cwd, lab: true }, CLUSTER);
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(cwd, { recursive: true }));

const path = (run: string) => join(folder, `20261115T063545Z-${run}.jsonl`);

function writeRun(runId: string): void {
  const head = { type: 'journal', format: 1, runId, command: 'oxherd apply', cluster: 'small' } as const;
  const startedAt = '2026-11-15T06:35:45.000Z';
  writeFileSync(path(runId), [{ ...head, startedAt, lab: true }, ...EVENTS].map(journalLine).join(''));
}

function followed() {
  const journals = new RunJournals({ cwd, target: { kind: 'lab' } }, CLUSTER);
  journals.follow();
  return journals;
}

const UNREADABLE: readonly (readonly [string, (file: string) => void, RegExp])[] = [
  ['a folder', (file) => mkdirSync(file), /is a folder/],
  ['a link to itself', (file) => symlinkSync(file, file), /links without an end/],
  ['a link to nothing', (file) => symlinkSync(join(cwd, 'nothing'), file), /does not exist/],
  ['a text of something else', (file) => writeFileSync(file, 'not a journal\n{}\n'), /is damaged/],
];

describe('journals of a cluster', () => {
  it.each(UNREADABLE)('are followed beside %s, which is named', (_, make, message) => {
    writeRun('good');
    make(path('bad'));
    const journals = followed();
    expect(journals.summaries().map(({ runId }) => runId)).toEqual(['good']);
    expect(journals.problems.map((problem) => problem.message)).toEqual([expect.stringMatching(message)]);
    appendFileSync(path('good'), journalLine({ type: 'step-progress', at: 5, step: 'a', message: 'on' }));
    expect(journals.follow()).toMatchObject([{ runId: 'good', events: [{ type: 'step-progress' }] }]);
    expect(journals.problems).toHaveLength(1);
    rmSync(path('bad'), { recursive: true });
    journals.follow();
    expect(journals.problems).toEqual([]);
  });

  it('are followed to the last whole line of one that was cut off', () => {
    writeRun('good');
    const journals = followed();
    const half = '{"type":"step-do';
    appendFileSync(path('good'), half);
    expect(journals.follow()).toEqual([]);
    truncateSync(path('good'), 10);
    journals.follow();
    expect(journals.summaries()).toEqual([]);
    expect(journals.problems).toMatchObject([{ code: 'runs.journal' }]);
  });

  it('may be pruned at any moment', () => {
    writeRun('good');
    const journals = followed();
    rmSync(path('good'));
    expect(journals.follow()).toEqual([]);
    expect(journals.summaries()).toEqual([]);
    expect(journals.problems).toEqual([]);
  });

  it.each(UNREADABLE.slice(1))('say so where their folder is %s', (_, make) => {
    rmSync(folder, { recursive: true });
    make(folder);
    const journals = followed();
    expect(journals.summaries()).toEqual([]);
    expect(journals.problems.map(({ code }) => code)).toEqual(['runs.journal']);
  });
});

describe('a server whose journals cannot be read', () => {
  it('lives, says why, and shows runs once they can be read', async () => {
    writeFileSync(join(cwd, 'oxherd.yaml'), smallFile());
    writeRun('good');
    renameSync(folder, `${folder}-aside`);
    writeFileSync(folder, '');
    const dashboard = await serveDashboard({
      sources: [
        { cwd, env: {}, target: { kind: 'lab' }, configPath: 'oxherd.yaml', command: (text) => text },
      ],
      assets: new Map([['/', { type: 'text/html', gzip: gzipSync('') }]]),
      version: '1',
      write: false,
      port: 0,
      followMs: 5,
      read: () => Promise.reject(new Error('not read in this test')),
    });
    try {
      const origin = `http://127.0.0.1:${dashboard.port}`;
      const json = { origin, 'content-type': 'application/json' };
      const token = dashboard.url.split('#token=')[1];
      const entered = await fetch(`${origin}/api/session`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ token }),
      });
      const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
      const { token: header } = (await entered.json()) as { token: string };
      const ask = async (name: string) => {
        const answer = await fetch(`${origin}/api/clusters/1/${name}`, {
          headers: { cookie, 'x-oxherd-token': header },
        });
        return { status: answer.status, body: await answer.json() };
      };
      // Some rounds of reading journals.
      await setTimeout(50);
      expect(await ask('runs')).toMatchObject({
        status: 200,
        body: { runs: [], problems: [{ code: 'runs.journal', message: expect.stringContaining(folder) }] },
      });
      expect(await ask('runs/last')).toMatchObject({ status: 409, body: { error: { code: 'ui.journal' } } });
      rmSync(folder);
      renameSync(`${folder}-aside`, folder);
      expect(await ask('runs/last')).toMatchObject({ status: 200, body: { summary: { runId: 'good' } } });
      expect(await ask('runs')).toMatchObject({ body: { runs: [{ runId: 'good' }], problems: [] } });
    } finally {
      await dashboard.close();
    }
  });
});
