import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAlive } from '../../lock.js';
import { findBinaries } from './binaries.js';
import { startChild } from './child.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-child-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that says its pid and goes on for ever. */
const FOREVER = ['-c', 'echo $$; exec sleep 600'];

async function pidIn(file: string): Promise<number> {
  for (;;) {
    const [pid = ''] = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n');
    if (pid !== '') return Number(pid);
    await wait(20);
  }
}

async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await wait(20);
}

it('ends when it is told to', async () => {
  const log = join(folder, 'log');
  const child = startChild('/bin/sh', FOREVER, log);
  const pid = await pidIn(log);
  expect(child.running).toBe(true);
  await child.stop();
  expect(child.running).toBe(false);
  await untilGone(pid);
});

it('says what it said when it ended by itself', async () => {
  const child = startChild('/bin/sh', ['-c', 'echo no such flag; exit 3'], join(folder, 'log'));
  await child.ended;
  expect(child.running).toBe(false);
  expect(child.failingServiceLog()).toBe('no such flag');
});

it('does not outlive its parent, even one that is killed', async () => {
  const log = join(folder, 'log');
  const url = new URL('./child.ts', import.meta.url).href;
  const code = `import(${JSON.stringify(url)}).then(({ startChild }) => { startChild('/bin/sh', ${JSON.stringify(FOREVER)}, ${JSON.stringify(log)}); setInterval(() => {}, 1000); });`;
  const parent = spawn(process.execPath, ['--import', 'tsx', '-e', code], { stdio: 'inherit' });
  const pid = await pidIn(log);
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await untilGone(pid);
});

it('is found on the PATH, or said to be missing with what to do', () => {
  const program = (name: string) => {
    writeFileSync(join(folder, name), '#!/bin/sh\n');
    chmodSync(join(folder, name), 0o755);
  };
  expect(() => findBinaries(folder)).toThrow('needs etcd and kube-apiserver, which are not on the PATH');
  program('etcd');
  expect(() => findBinaries(`/nowhere:${folder}`)).toThrow('needs kube-apiserver, which is not on the PATH');
  program('kube-apiserver');
  expect(findBinaries(`/nowhere:${folder}`)).toEqual({
    etcd: join(folder, 'etcd'),
    apiServer: join(folder, 'kube-apiserver'),
    programs: {},
  });
  program('kube-scheduler');
  expect(findBinaries(folder).programs).toEqual({ 'kube-scheduler': join(folder, 'kube-scheduler') });
});
