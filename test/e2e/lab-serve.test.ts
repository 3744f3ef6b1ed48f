/** `oxherd lab serve`, `lab fault` and `lab reset` as a user runs them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

const SECRET = '12345678-1234-4123-8123-123456789abc';
const readySchema = z.object({
  endpoint: z.string().regex(/^https:\/\/127\.0\.0\.1:\d+$/),
  token: z.string(),
  fingerprint: z.string().regex(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
  rootTicket: z.string().startsWith('PVE:root@pam:'),
  rootCsrf: z.string(),
  authority: z.string(),
});

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-serve-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await new Promise((done) => child.once('close', done));
    }
  }
  rmSync(folder, { recursive: true });
});

function oxherd(args: readonly string[]): {
  child: ChildProcess;
  ended: Promise<{ code: number | null; output: string }>;
} {
  const child = spawn(process.execPath, ['dist/bin/oxherd.js', ...args], {
    env: { ...process.env, LAB_TOKEN: `root@pam!lab=${SECRET}` },
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, output })),
  );
  return { child, ended };
}

const state = () => join(folder, 'state');

async function serve(...more: string[]) {
  const ready = join(folder, 'ready.json');
  const running = oxherd([
    'lab',
    'serve',
    '--port',
    '0',
    '--state',
    state(),
    '--ready-file',
    ready,
    '--token',
    'env:LAB_TOKEN',
    ...more,
  ]);
  for (let tries = 0; tries < 400 && !existsSync(ready); tries += 1) await wait(50);
  const info = readySchema.parse(JSON.parse(readFileSync(ready, 'utf8')));
  return { ...running, ready, info };
}

describe('oxherd lab serve', () => {
  it('writes how to reach it, and shows no secret', async () => {
    const { child, ended, ready, info } = await serve('--hosts', 'pve1,pve2');
    expect(info.token).toBe(`root@pam!lab=${SECRET}`);
    expect(statSync(ready).mode & 0o777).toBe(0o600);
    child.kill('SIGINT');
    const { code, output } = await ended;
    expect(code).toBe(0);
    expect(output).toContain(info.endpoint);
    for (const secret of [SECRET, info.rootTicket, info.rootCsrf]) expect(output).not.toContain(secret);
  });

  it('is named to whoever wants the same state, and takes faults meanwhile', async () => {
    const { child, ended } = await serve();
    const second = await oxherd(['lab', 'serve', '--port', '0', '--state', state()]).ended;
    expect(second.code).toBe(1);
    expect(second.output).toContain(`in use by process ${child.pid}`);
    const fault = await oxherd(['lab', 'fault', 'no-quorum', 'on', '--state', state()]).ended;
    expect(fault).toMatchObject({ code: 0, output: 'no-quorum is on\n' });
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(readFileSync(join(state(), 'snapshot.json'), 'utf8')).toContain('no-quorum');
    const off = await oxherd(['lab', 'fault', 'no-quorum', 'off', '--state', state()]).ended;
    expect(off.code).toBe(0);
    expect(readFileSync(join(state(), 'snapshot.json'), 'utf8')).not.toContain('no-quorum');
  });

  it('is taken over when it was killed, and forgotten by reset', async () => {
    const first = await serve();
    first.child.kill('SIGKILL');
    await first.ended;
    rmSync(first.ready);
    const second = await serve();
    expect(second.info.fingerprint).toBe(first.info.fingerprint);
    second.child.kill('SIGINT');
    await second.ended;
    const reset = await oxherd(['lab', 'reset', '--yes', '--state', state()]).ended;
    expect(reset.code).toBe(0);
    expect(existsSync(join(state(), 'snapshot.json'))).toBe(false);
    expect(existsSync(join(state(), 'keys.json'))).toBe(false);
  });

  it('says what is wrong with what it is given, without repeating a token', async () => {
    const { code, output } = await oxherd([
      'lab',
      'serve',
      '--state',
      state(),
      '--token',
      `nonsense=${SECRET}`,
    ]).ended;
    expect(code).toBe(1);
    expect(output).toContain('--token is not valid');
    expect(output).not.toContain(SECRET);
    const profile = await oxherd(['lab', 'serve', '--state', state(), '--profile', 'nope']).ended;
    expect(profile.output).toContain('profiles are: empty, recordings');
  });
});
