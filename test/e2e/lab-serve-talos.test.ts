/** The machines of the recordings under `oxherd lab serve`, reached as any other program reaches them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RecordingsTalos } from '../../src/lab/talos/index.js';
import { call, fill, REAL, records } from '../recordings/talos/replay.js';

const pair = z.object({ certificate: z.string().includes('BEGIN CERTIFICATE'), key: z.string() });
const readySchema = z.object({
  talos: z.object({
    port: z.literal(50_000),
    addresses: z.object({ cp1: z.string(), cp2: z.string(), worker: z.string(), absent: z.string() }),
    ca: z.string(),
    certificates: z.record(z.string(), pair),
  }),
});

let folder: string;
let lab: ChildProcess;
let ready: RecordingsTalos['ready'];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-serve-'));
  const file = join(folder, 'ready.json');
  const args = ['lab', 'serve', '--port', '0', '--state', join(folder, 'state'), '--ready-file', file];
  lab = spawn(
    process.execPath,
    ['--import', 'tsx', 'src/cli/main.ts', ...args, '--profile', 'recordings-talos', '--speed', '200'],
    { stdio: 'ignore' },
  );
  for (let tries = 0; tries < 600 && !existsSync(file); tries += 1) await wait(50);
  expect(statSync(file).mode & 0o077).toBe(0);
  ready = readySchema.parse(JSON.parse(readFileSync(file, 'utf8'))).talos;
});

afterAll(async () => {
  const ended = new Promise((done) => lab.once('close', done));
  lab.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true });
});

describe('lab serve --profile recordings-talos', () => {
  it('has a certificate for each role of the Talos API', () => {
    const roles = ['admin', 'operator', 'reader', 'etcd:backup', 'meta:writer', 'impersonator'];
    expect(Object.keys(ready.certificates)).toEqual(expect.arrayContaining(roles));
  });

  // Those that need cp1 in no other state than its first; all of them, in order, are in test/recordings/talos.
  const untouched = records.filter(
    ({ state, endpoint, source, method }) =>
      REAL.includes(source) &&
      (endpoint !== 'cp1' || state === 'maintenance') &&
      !/\/(Watch|ApplyConfiguration)$/.test(method),
  );

  it('answers as recorded', async () => {
    const wrong: string[] = [];
    for (const recorded of untouched) {
      const answer = await call(ready, recorded);
      const { code, message } = recorded.response;
      if (answer.code !== code || answer.message !== fill(ready, message))
        wrong.push(`${recorded.name}: ${JSON.stringify(answer)}`);
    }
    expect(untouched.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});
