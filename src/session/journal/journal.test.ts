import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runsText, runText } from '../../cli/views/runs.js';
import type { RunEvent } from '../../model/events.js';
import type { SessionContext } from '../context.js';
import { openJournal, readJournals } from './journal.js';
import { describeRun, summarise } from './run-summary.js';

const START = Date.UTC(2026, 10, 15, 6, 35, 45, 120);
const FACTS = { runId: 'abc12345', command: 'oxherd apply', cluster: { name: 'small', env: '' } };

const EVENTS: RunEvent[] = [
  { type: 'run-started', at: 0, runId: 'abc12345', steps: 3 },
  { type: 'step-started', at: 0, step: 'set-options:151', title: 'set cores of VM 151', node: 'work-1' },
  { type: 'step-progress', at: 10, step: 'set-options:151', message: 'writing' },
  { type: 'step-done', at: 500, step: 'set-options:151', ms: 500, already: false, warnings: ['slow'] },
  { type: 'node-away', at: 500, node: 'work-1', reason: 'restart' },
  { type: 'step-started', at: 500, step: 'restart-vm:151', title: 'restart VM 151', node: 'work-1' },
  { type: 'node-back', at: 61_500, node: 'work-1', reason: 'ready' },
  {
    type: 'step-failed',
    at: 62_000,
    step: 'restart-vm:151',
    ms: 61_500,
    error: { code: 'proxmox.task', message: 'the task failed', advice: 'look at the host' },
  },
  {
    type: 'run-ended',
    at: 62_000,
    ms: 62_000,
    result: {
      outcome: 'failed',
      done: ['set-options:151'],
      failed: ['restart-vm:151'],
      notStarted: ['set-options:152'],
    },
  },
];

let folder: string;
let stderr: PassThrough;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-journal-'));
  stderr = new PassThrough();
});
afterEach(() => rmSync(folder, { recursive: true }));

function context(): SessionContext {
  return {
    cwd: folder,
    env: {},
    configPath: 'oxherd.yaml',
    target: { kind: 'lab' },
    tell: ({ message }) => void stderr.write(`note ${message}\n`),
    signal: new AbortController().signal,
  };
}

function write(events: readonly RunEvent[], facts = FACTS, at = START): string {
  const journal = openJournal(context(), facts, at);
  for (const event of events) journal.emit(event);
  journal.close();
  const runs = join(folder, '.oxherd', 'lab', 'small', 'runs');
  return join(runs, readdirSync(runs).find((name) => name.includes(facts.runId)) ?? '');
}

describe('the journal', () => {
  it('is a file of mode 0600, named by time and run, with every event in it', () => {
    const path = write(EVENTS);
    expect(path).toMatch(/20261115T063545Z-abc12345\.jsonl$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const [journal] = readJournals(folder, false);
    expect(journal?.head).toMatchObject({
      ...FACTS,
      cluster: 'small',
      lab: true,
      startedAt: '2026-11-15T06:35:45.120Z',
    });
    expect(journal?.events).toEqual(EVENTS);
  });

  it('keeps no private key and no token, wherever it was in an event', () => {
    const key =
      '-----BEGIN ED25519 PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIB\n-----END ED25519 PRIVATE KEY-----';
    const token = 'PVEAPIToken=root@pam!oxherd=01234567-89ab-cdef-0123-456789abcdef';
    const path = write([
      { type: 'step-failed', at: 1, step: 's', ms: 1, error: { code: 'x', message: `bad: ${key} ${token}` } },
    ]);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toMatch(/MC4CAQ|456789abcdef/);
    expect(text).toContain('root@pam!oxherd=(redacted)');
  });

  it('is read past a line that was cut off, and past files that are none', () => {
    const path = write(EVENTS.slice(0, 5));
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"type":"step-do`);
    writeFileSync(join(path, '..', 'other.jsonl'), 'hello\n');
    expect(readJournals(folder, false).map(summarise)).toEqual([
      expect.objectContaining({
        outcome: 'unfinished',
        steps: 3,
        done: 1,
        notStarted: 2,
        away: [{ node: 'work-1', times: 1, ms: 0, still: true }],
      }),
    ]);
  });

  it.each(['', '{"type":"journal","form'])('with no whole first line (%j) is named, not hidden', (text) => {
    writeFileSync(write(EVENTS), text);
    const problems: string[] = [];
    expect(readJournals(folder, false, ({ message }) => problems.push(message))).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/-abc12345\.jsonl has no events: the disk was full/)]);
  });

  it('goes when enough newer ones are there, and nothing else does', () => {
    const open = (runId: string, at: number) => openJournal(context(), { ...FACTS, runId }, at, 3).close();
    for (let run = 0; run < 5; run += 1) open(`run${run}`, START + run * 1_000);
    const runs = join(folder, '.oxherd', 'lab', 'small', 'runs');
    writeFileSync(join(runs, 'mine.jsonl'), 'hello\n');
    open('last', START + 60_000);
    expect(readJournals(folder, false).map(({ head }) => head.runId)).toEqual(['last', 'run4', 'run3']);
    expect(readdirSync(runs)).toContain('mine.jsonl');
  });

  it('is kept and read beside one that is a folder, which is named', () => {
    const runs = join(folder, '.oxherd', 'lab', 'small', 'runs');
    mkdirSync(join(runs, '20250101T000000Z-old.jsonl'), { recursive: true });
    const journal = openJournal(context(), FACTS, START, 1);
    for (const event of EVENTS) journal.emit(event);
    journal.close();
    const problems: string[] = [];
    const found = readJournals(folder, false, ({ message }) => problems.push(message));
    expect(found.map(({ events }) => events)).toEqual([EVENTS]);
    expect(problems).toEqual([expect.stringContaining('old.jsonl is a folder')]);
    expect(String(stderr.read())).toContain('an old journal cannot be removed');
  });

  it('that cannot be written is said once and stops nothing', () => {
    mkdirSync(join(folder, '.oxherd', 'lab', 'small'), { recursive: true });
    writeFileSync(join(folder, '.oxherd', 'lab', 'small', 'runs'), '');
    const journal = openJournal(context(), FACTS, START);
    for (const event of EVENTS) journal.emit(event);
    journal.close();
    const said = String(stderr.read());
    expect(said.split('\n').filter((line) => line.startsWith('note the journal'))).toHaveLength(1);
  });
});

describe('runs', () => {
  it('are listed newest first', () => {
    write(EVENTS);
    write(EVENTS.slice(0, 4), { ...FACTS, runId: 'fff00000', command: 'oxherd upgrade' }, START + 60_000);
    expect(runsText(readJournals(folder, false).map(summarise), false)).toMatchInlineSnapshot(`
      "ID        STARTED                    COMMAND         OUTCOME     STEPS                                 TOOK   NODES DOWN
      fff00000  2026-11-15 06:36:45Z  LAB  oxherd upgrade  unfinished  1 of 3 done, 2 not started            500ms
      abc12345  2026-11-15 06:35:45Z  LAB  oxherd apply    failed      1 of 3 done, 1 failed, 1 not started  1m02s  1"
    `);
  });

  it('are shown with their steps, errors and how long nodes were away', () => {
    write(EVENTS);
    const [journal] = readJournals(folder, false);
    if (!journal) throw new Error('no journal');
    expect(runText(describeRun(journal), false)).toMatchInlineSnapshot(`
      "oxherd apply  abc12345, 2026-11-15 06:35:45Z, small, LAB
        ✓ work-1  set cores of VM 151  500ms
            warning slow
        ✗ work-1  restart VM 151  1m02s
            the task failed
            next look at the host

      failed after 1m02s: 1 of 3 done, 1 failed, 1 not started
        work-1 was unavailable for 1m01s"
    `);
  });
});
