/** A new beginning that was interrupted: no mixture of old and new disks ever runs, and the same command finishes it. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CliFolder, type CliResult, ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { herd } from '../support/herd.js';
import { expectNothingToDo } from '../support/rolling.js';
import { kubernetesOf } from '../support/watcher.js';

const FILE = herd({ controlPlanes: 3, workers: 1 });
const CONFIRM = ['--confirm', 'herd'];
const HOOK_MS = 300_000;

let begin: CliFolder;
let site: ClusterSite;
beforeAll(async () => {
  site = await ClusterSite.open(FILE);
  ended(await site.run('apply', '--yes'));
  const note = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note', namespace: 'default' } };
  if (!kubernetesOf(site.room)?.create('configmaps', 'default', note, 'test')) throw new Error('no note');
  ended(await site.run('etcd', 'backup', '--out', 'etcd.snapshot'));
  begin = await site.close();
  return () => begin.remove();
}, HOOK_MS);
afterEach(() => site.remove());

const noteIsThere = () => kubernetesOf(site.room)?.find('configmaps', 'default', 'note') !== undefined;

/** Names of those that vote in the one etcd that runs. */
function voters(): string[] {
  const ids = new Set([...site.room.machines()].flatMap((machine) => machine.etcdData?.clusterId ?? []));
  expect(ids.size).toBe(1);
  const members = site.etcd.find(({ id }) => ids.has(id))?.members ?? [];
  return members.flatMap(({ name, learner }) => (learner ? [] : [name])).sort();
}

/** Ctrl-C once so many steps are done. */
async function interrupted(steps: number, ...args: string[]): Promise<CliResult> {
  const controller = new AbortController();
  let done = 0;
  site.signal = controller.signal;
  site.onPrint = (text) => {
    done += text.split('\n').filter((line) => /^\[ *\d+\/\d+\] ✓/.test(line)).length;
    if (done >= steps) controller.abort();
  };
  const result = await site.run(...args);
  site.onPrint = () => {};
  site.signal = undefined;
  return result;
}

/** Proxmox answers nothing but errors once so many steps are done. */
async function failing(steps: number, ...args: string[]): Promise<CliResult> {
  let done = 0;
  site.onPrint = (text) => {
    done += text.split('\n').filter((line) => /^\[ *\d+\/\d+\] ✓/.test(line)).length;
    if (done >= steps) site.lab.core.faults.set({ name: 'api-error', subject: '', countdown: null });
  };
  const result = await site.run(...args);
  site.onPrint = () => {};
  site.lab.core.faults.clear('api-error');
  return result;
}

/** What a plain apply makes of it: it goes on with the old cluster, or refuses; it never begins an empty one. */
async function expectNoMixture(): Promise<void> {
  const plain = await site.run('apply', '--yes');
  if (plain.exit === 0) {
    expect(voters()).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(noteIsThere()).toBe(true);
  } else {
    expect(plain.stdout).toMatch(/was started and not finished/);
    expect(plain.stdout).toMatch(/finish it: oxherd --lab (etcd restore|apply --fresh)/);
  }
}

describe('cut off after some of its steps', () => {
  it.each([1, 4, 7, 10, 14])('etcd restore is finished by itself: %d', async (steps) => {
    site = await ClusterSite.open(FILE, begin.copy());
    const restore = ['etcd', 'restore', 'etcd.snapshot', ...CONFIRM];
    expect((await interrupted(steps, ...restore)).exit).toBe(130);
    await expectNoMixture();
    ended(await site.run(...restore));
    expect(voters()).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(noteIsThere()).toBe(true);
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
  });

  it.each([1, 3, 6, 12])('apply --fresh is finished by itself: %d', async (steps) => {
    site = await ClusterSite.open(FILE, begin.copy());
    ended(await site.run('destroy', '--yes'));
    const fresh = ['apply', '--fresh', ...CONFIRM];
    expect((await interrupted(steps, ...fresh)).exit).toBe(130);
    ended(await site.run(...fresh));
    expect(voters()).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(noteIsThere()).toBe(false);
    await expectNothingToDo(site);
  });

  it.each([1, 2, 3, 4, 5, 6])('a node that joins again is finished by a plain apply: %d', async (steps) => {
    site = await ClusterSite.open(FILE, begin.copy());
    expect((await failing(steps, 'apply', '--fresh', '--only', 'cp-2', ...CONFIRM)).exit).toBe(1);
    ended(await site.run('apply', '--yes'));
    expect(voters()).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(noteIsThere()).toBe(true);
    await expectNothingToDo(site);
  });
});
