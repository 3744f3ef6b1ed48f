/** The session as a program uses it, on the lab. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession, readConfigFile, type Session } from '../../src/index.js';
import { visibleVms } from '../../src/observe/observed-vms.js';
import { readJournals } from '../../src/session/journal/journal.js';
import { smallFile } from '../support/small-file.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-session-'));
  writeFileSync(join(folder, 'oxherd.yaml'), smallFile());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function inSession<T>(work: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const env = { HOME: folder };
  const options = { env, ...(signal && { signal }) };
  const session = await openSession(readConfigFile('oxherd.yaml', folder), { kind: 'lab' }, options);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

describe('a session', () => {
  it('writes nothing while it plans, nor where its plan is declined', async () => {
    await inSession(async (session) => {
      const prepared = await session.plan();
      const run = session.apply(prepared, { confirm: ({ planId }) => planId !== prepared.plan.planId });
      expect(await run.result).toEqual({ outcome: 'declined' });
      expect(visibleVms((await session.gather()).observed)).toEqual([]);
      expect(session.hasSecrets).toBe(false);
    });
    expect(readJournals(folder, true)).toEqual([]);
  });

  it('applies, tells each event once in order, keeps them, and finds nothing left to do', async () => {
    const told: string[] = [];
    const read: string[] = [];
    const report = await inSession(async (session) => {
      const run = session.apply(await session.plan(), { onEvent: ({ type }) => told.push(type) });
      for await (const { type } of run) read.push(type);
      expect((await session.plan()).plan.steps).toEqual([]);
      expect((await session.health()).filter(({ state }) => state === 'failed')).toEqual([]);
      expect(await session.lock()).toBeUndefined();
      return run.result;
    });
    expect(report).toMatchObject({ outcome: 'done', failed: [], notStarted: [] });
    expect(read).toEqual(told);
    expect([read[0], read.at(-1)]).toEqual(['run-started', 'run-ended']);
    expect(readJournals(folder, true)[0]?.events.map(({ type }) => type)).toEqual(read);
  });

  it('stops where its signal says so, and says what was not started', async () => {
    const stop = new AbortController();
    const report = await inSession(async (session) => {
      const prepared = await session.plan({ kind: 'restart', nodes: ['work-1'] });
      const onEvent = (event: { type: string }) => event.type === 'run-started' && stop.abort();
      return session.apply(prepared, { onEvent }).result;
    }, stop.signal);
    expect(report.outcome).toBe('interrupted');
  });

  it('refuses a plan with problems of the whole cluster', async () => {
    await inSession(async (session) => {
      const prepared = await session.plan();
      const problem = { code: 'test', scope: 'plan' as const, message: 'no room', advice: 'make some' };
      const blocked = { ...prepared, plan: { ...prepared.plan, problems: [problem] } };
      await expect(session.apply(blocked).result).rejects.toMatchObject({ code: 'apply.problems' });
    });
  });
});

it('reads no file that has errors, and names every one', () => {
  writeFileSync(join(folder, 'wrong.yaml'), `${smallFile()}\nnope: 1\nalso: 2\n`);
  expect(() => readConfigFile('wrong.yaml', folder)).toThrow(/nope[\s\S]*also/);
});
