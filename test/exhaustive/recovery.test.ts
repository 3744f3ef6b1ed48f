/** What was lost, and how a cluster comes back from it: data, VMs, members, snapshots. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CliFolder, ended } from '../support/cli.js';
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
  const built = await ClusterSite.open(FILE);
  ended(await built.run('apply', '--yes'));
  begin = await built.close();
  return () => begin.remove();
}, HOOK_MS);
afterEach(() => site.remove());

async function open(): Promise<void> {
  site = await ClusterSite.open(FILE, begin.copy());
}

/** The etcd cluster that runs now; one that was given up stays on disks that were set aside. */
function etcd() {
  const ids = new Set([...site.room.machines()].flatMap((machine) => machine.etcdData?.clusterId ?? []));
  const living = site.etcd.filter(({ id }) => ids.has(id));
  const [only] = living;
  if (!only || living.length > 1) throw new Error(`${living.length} etcd clusters run`);
  return only;
}
const memberOf = (name: string) => etcd().members.find((member) => member.name === name)?.id;

async function destroyVm(host: string, vmid: number): Promise<void> {
  await site.byHand(async (hand) => {
    if ((await hand.vmStatus(host, vmid)).status === 'running')
      await hand.runTask(() => hand.stopVm(host, vmid));
    await hand.updateVm(host, vmid, { set: { protection: 0 } });
    await hand.runTask(() => hand.destroyVm(host, vmid));
  });
}

function writeNote(name: string, text: string): void {
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { text },
  };
  if (!kubernetesOf(site.room)?.create('configmaps', 'default', body, 'test'))
    throw new Error('the lab refused it');
}
const noteOf = (name: string) => kubernetesOf(site.room)?.find('configmaps', 'default', name)?.data;

describe('a dead control plane', () => {
  it('returns as the member it was where its data is there', async () => {
    await open();
    const before = etcd();
    await destroyVm('pve2', 142);
    const shown = ended(await site.run('apply', '--yes'));
    expect(shown).not.toMatch(/remove member/);
    expect(etcd().members).toEqual(before.members);
    await expectNothingToDo(site);
  });

  it('joins as a new member where its data is gone: the old one is removed by its id first', async () => {
    await open();
    const { id } = etcd();
    const lost = memberOf('cp-2');
    await destroyVm('pve2', 142);
    await destroyVm('pve2', 1420);
    const shown = ended(await site.run('apply', '--yes'));
    expect(shown).toContain(`remove member ${BigInt(lost ?? 0).toString(16)} (cp-2) from etcd`);
    expect(shown).toContain('its data is gone: there is no data VM 1420');
    expect(shown).toContain('2 of 3 members must agree; 2 are healthy');
    expect(etcd().id).toBe(id);
    expect(etcd().members).toHaveLength(3);
    expect(memberOf('cp-2')).not.toBe(lost);
    await expectNothingToDo(site);
  });

  it('is given up only when somebody says that a disk is lost for good', async () => {
    await open();
    const lost = memberOf('cp-2');
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve2', 142));
      await hand.updateVm('pve2', 142, { delete: ['scsi1'] });
      await hand.updateVm('pve2', 1420, { set: { protection: 0 } });
      await hand.updateVm('pve2', 1420, { delete: ['scsi0'] });
      await hand.updateVm('pve2', 1420, { delete: ['unused0'] });
    });
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/data VM 1420 has no disk ephemeral although it was made with one/);
    expect(refused.stdout).toContain('oxherd apply --fresh --only cp-2 --confirm herd');
    expect((await site.run('apply', '--fresh', '--only', 'cp-2', '--yes')).stderr).toMatch(
      /say its name to confirm: oxherd apply --fresh --only cp-2 --confirm herd/,
    );
    ended(await site.run('apply', '--fresh', '--only', 'cp-2', ...CONFIRM));
    expect(memberOf('cp-2')).not.toBe(lost);
    expect(etcd().members).toHaveLength(3);
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
  });

  it('does not start while its volume is gone from the storage, and says what to do', async () => {
    await open();
    const volid = await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve2', 142));
      const { entries } = await hand.vmPending('pve2', 1420);
      const file = entries.scsi0?.value?.split(',')[0] ?? '';
      await hand.runTask(() => hand.deleteVolume('pve2', file));
      return file;
    });
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toContain(`data VM 1420 names ${volid}, and there is no such volume any more`);
    expect(refused.stdout).toContain('qm set 1420 --protection 0 --delete scsi0');
    expect(etcd().members).toHaveLength(3);
  });

  it('whose data VM was destroyed under it begins anew on new disks, when asked', async () => {
    await open();
    const { id } = etcd();
    await site.byHand((hand) => hand.runTask(() => hand.stopVm('pve2', 142)));
    await destroyVm('pve2', 1420);
    const refused = await site.run('apply', '--yes');
    expect(refused.stdout).toMatch(/VM 142 is there, but the data VM 1420 that owns its disks is gone/);
    const shown = ended(await site.run('apply', '--fresh', '--only', 'cp-2', ...CONFIRM));
    expect(shown).not.toMatch(/bootstrap etcd/);
    expect(etcd()).toMatchObject({ id, members: [{}, {}, {}] });
    await expectNothingToDo(site);
  });

  it('stays dead while the others have no quorum to remove it', async () => {
    await open();
    await destroyVm('pve2', 142);
    await destroyVm('pve2', 1420);
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve3', 143));
    });
    const refused = await site.run('apply', '--yes', '--only', 'cp-2');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/cp-2 cannot join etcd anew .*: etcd has no quorum/);
    expect(refused.stdout).toContain('oxherd etcd restore FILE --confirm herd');
  });

  it('that is alive can begin anew as well, one at a time', async () => {
    await open();
    const before = memberOf('cp-3');
    ended(await site.run('apply', '--fresh', '--only', 'cp-3', ...CONFIRM));
    expect(memberOf('cp-3')).not.toBe(before);
    expect(ended(await site.run('volumes', 'list'))).toMatch(/cp-3\/ephemeral\.1 .*parked/);
    await expectNothingToDo(site);
  });
});

describe('a member that was removed', () => {
  it('never gets its old disk back: it is set aside, and the plan says so', async () => {
    await open();
    const removed = memberOf('cp-3');
    await destroyVm('pve3', 143);
    site.config = herd({ controlPlanes: 2, workers: 1 });
    const shown = ended(await site.run('apply', '--yes'));
    expect(shown).toMatch(/its VM 143 is gone, but etcd still counts member/);
    expect(
      etcd()
        .members.map(({ name }) => name)
        .sort(),
    ).toEqual(['cp-1', 'cp-2']);
    await expectNothingToDo(site);

    site.config = FILE;
    const back = ended(await site.run('apply', '--yes'));
    expect(back).toMatch(/make a new disk ephemeral .* on data VM 1430; the old one is kept as ephemeral\.1/);
    expect(back).toMatch(
      /its disk was that of etcd member [0-9a-f]+, which was removed and cannot come back/,
    );
    expect(etcd().members).toHaveLength(3);
    expect(memberOf('cp-3')).not.toBe(removed);
    await expectNothingToDo(site);
  });

  it('by somebody else, while its machine runs, is said and joins anew when asked', async () => {
    await open();
    const removed = memberOf('cp-2') ?? '';
    site.room.etcd.remove(etcd().id, removed);
    site.room.settle();
    const plan = await site.run('plan');
    expect(plan.stdout).toMatch(/cp-2 runs etcd with the data of a member that was removed/);
    ended(await site.run('apply', '--fresh', '--only', 'cp-2', ...CONFIRM));
    expect(etcd().members).toHaveLength(3);
    expect(memberOf('cp-2')).not.toBe(removed);
    await expectNothingToDo(site);
  });

  it('that left by itself keeps its disk', async () => {
    await open();
    site.config = herd({ controlPlanes: 1, workers: 1 });
    ended(await site.run('apply', '--yes'));
    expect(etcd().members.map(({ name }) => name)).toEqual(['cp-1']);
    site.config = FILE;
    expect(ended(await site.run('apply', '--yes'))).not.toMatch(/make a new disk ephemeral/);
    expect(etcd().members).toHaveLength(3);
    await expectNothingToDo(site);
  });
});

describe('the last control plane', () => {
  it('is exchanged for another one only when that is a voting member', async () => {
    const one = herd({ controlPlanes: 1, workers: 1 });
    site = await ClusterSite.open(one);
    ended(await site.run('apply', '--yes'));
    const { id } = etcd();
    site.lab.core.faults.set({ name: 'etcd-slow', subject: '149', countdown: null });
    site.config = one.replace(
      'cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141 }',
      'cp-9: { role: controlplane, host: pve2, ip: 10.20.30.49, vmid: 149 }',
    );
    const stuck = await site.run('apply', '--yes');
    expect(stuck.exit).toBe(1);
    expect(stuck.stdout).toMatch(/cp-9 is not ready: etcd: it is still a learner/);
    expect([...site.room.machines()].map((machine) => machine.vmid)).toContain(141);
    expect(
      etcd()
        .members.filter((member) => !member.learner)
        .map(({ name }) => name),
    ).toEqual(['cp-1']);
    expect((await site.run('apply', '--yes')).stdout).toMatch(
      /cp-1 must stay: of the 1 control planes that would be left 0 are healthy, and all must be/,
    );
    site.lab.core.faults.clear('etcd-slow', '149');
    ended(await site.run('apply', '--yes'));
    expect(etcd().id).toBe(id);
    expect(etcd().members.map(({ name }) => name)).toEqual(['cp-9']);
    await expectNothingToDo(site);
  });
});

describe('a cluster without its VMs', () => {
  it('goes on from its data VMs: the same etcd, nothing forgotten', async () => {
    await open();
    const before = etcd();
    writeNote('kept', 'yes');
    for (const [host, vmid] of [
      ['pve1', 141],
      ['pve2', 142],
      ['pve3', 143],
      ['pve1', 151],
    ] as const)
      await destroyVm(host, vmid);
    expect([...site.room.machines()]).toEqual([]);
    ended(await site.run('apply', '--yes'));
    expect(etcd().id).toBe(before.id);
    expect(etcd().members).toEqual(before.members);
    expect(etcd().revision).toBeGreaterThanOrEqual(before.revision);
    expect(noteOf('kept')).toEqual({ text: 'yes' });
    await expectNothingToDo(site);
  });

  it('stops where a member of it is not in the file, and says how to go on', async () => {
    await open();
    ended(await site.run('destroy', '--yes'));
    site.config = herd({ controlPlanes: 1, workers: 1 });
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/cp-2 \(data VM 1420\), cp-3 \(data VM 1430\) are members of it/);
    expect(refused.stdout).toContain('oxherd apply --fresh --confirm herd');
    ended(await site.run('apply', '--fresh', ...CONFIRM));
    expect(etcd().members.map(({ name }) => name)).toEqual(['cp-1']);
    await expectNothingToDo(site);
  });

  it('begins anew with --fresh: a new etcd, the old disks and all volumes kept', async () => {
    await open();
    const before = etcd();
    writeNote('old', 'yes');
    const alive = await site.run('apply', '--fresh', ...CONFIRM);
    expect(alive.exit).toBe(1);
    expect(alive.stdout).toMatch(/the cluster is alive: etcd runs on cp-1, cp-2, cp-3/);
    ended(await site.run('destroy', '--yes'));
    const shown = ended(await site.run('apply', '--fresh', ...CONFIRM));
    expect(shown).toMatch(
      /make a new disk ephemeral .* the old one is kept as ephemeral\.1 +the node begins anew/,
    );
    expect(etcd().id).not.toBe(before.id);
    expect(noteOf('old')).toBeUndefined();
    const volumes = ended(await site.run('volumes', 'list'));
    for (const node of ['cp-1', 'cp-2', 'cp-3', 'work-1']) {
      expect(volumes).toMatch(new RegExp(`${node}/ephemeral\\.1 .*parked`));
    }
    expect(volumes).toMatch(/work-1\/scratch .*attached/);
    await expectNothingToDo(site);
  });

  it('begins anew with other secrets, and with no others than by --fresh', async () => {
    await open();
    ended(await site.run('destroy', '--yes'));
    const path = join(site.folder.path, '.oxherd', 'lab', 'secrets.yaml');
    const other = await ClusterSite.open(FILE);
    try {
      ended(await other.run('secrets', 'init'));
      writeFileSync(path, readFileSync(join(other.folder.path, '.oxherd', 'lab', 'secrets.yaml')));
    } finally {
      await other.remove();
    }
    const secrets = readFileSync(path);
    rmSync(path);
    expect((await site.run('apply', '--yes')).stderr).toMatch(/its secrets are not there/);
    writeFileSync(path, secrets);
    const refused = await site.run('apply', '--yes');
    expect(refused.stderr).toMatch(/holds the secrets of another cluster/);
    expect(refused.stderr).toContain('oxherd apply --fresh');
    ended(await site.run('apply', '--fresh', ...CONFIRM));
    await expectNothingToDo(site);
  });
});

describe('etcd restore', () => {
  it('goes back to what the snapshot holds, and keeps the disks of what it replaces', async () => {
    await open();
    writeNote('before', 'yes');
    const taken = JSON.parse(ended(await site.run('etcd', 'backup', '--out', 'etcd.snapshot', '--json')));
    const { id, revision } = etcd();
    writeNote('after', 'yes');

    const asked = await site.run('etcd', 'restore', 'etcd.snapshot');
    expect(asked.exit).toBe(1);
    expect(asked.stderr).toContain('oxherd etcd restore etcd.snapshot --confirm herd');
    expect(noteOf('after')).toEqual({ text: 'yes' });

    const shown = ended(await site.run('etcd', 'restore', 'etcd.snapshot', ...CONFIRM));
    expect(shown).toContain('restore etcd on cp-1');
    expect(shown).toContain(`sha256 ${taken.sha256}`);
    expect(etcd().id).not.toBe(id);
    // Nothing was written since but what cp-2 and cp-3 wrote when they joined for the first time, too.
    expect(etcd().revision).toBe(revision + (revision - 1));
    expect(
      etcd()
        .members.map(({ name }) => name)
        .sort(),
    ).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(noteOf('before')).toEqual({ text: 'yes' });
    expect(noteOf('after')).toBeUndefined();
    expect(ended(await site.run('volumes', 'list'))).toMatch(/cp-1\/ephemeral\.1 .*parked/);
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
  });

  it('brings a cluster back whose majority is lost', async () => {
    await open();
    writeNote('before', 'yes');
    ended(await site.run('etcd', 'backup', '--out', 'etcd.snapshot'));
    for (const [host, vmid] of [
      ['pve1', 141],
      ['pve1', 1410],
      ['pve2', 142],
      ['pve2', 1420],
    ] as const)
      await destroyVm(host, vmid);
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toContain('oxherd etcd restore FILE --confirm herd');
    ended(await site.run('etcd', 'restore', 'etcd.snapshot', ...CONFIRM));
    expect(noteOf('before')).toEqual({ text: 'yes' });
    expect(etcd().members).toHaveLength(3);
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
  });

  it('refuses a file that is none, or not all of one, before anything is touched', async () => {
    await open();
    const before = etcd();
    ended(await site.run('etcd', 'backup', '--out', 'etcd.snapshot'));
    const path = join(site.folder.path, 'etcd.snapshot');
    const whole = readFileSync(path);
    writeFileSync(join(site.folder.path, 'cut.snapshot'), whole.subarray(0, -100));
    writeFileSync(join(site.folder.path, 'note.txt'), 'hello');
    const changed = Buffer.from(whole);
    changed[5_000] = (changed[5_000] ?? 0) ^ 1;
    writeFileSync(join(site.folder.path, 'changed.snapshot'), changed);
    for (const [name, words] of [
      ['cut.snapshot', /is no whole snapshot of etcd: it was cut off/],
      ['note.txt', /is no whole snapshot of etcd: it has 5 bytes only/],
      ['changed.snapshot', /its SHA-256 is not the one at its end/],
      ['nothing.snapshot', /nothing\.snapshot cannot be read/],
    ] as const) {
      const refused = await site.run('etcd', 'restore', name, ...CONFIRM);
      expect(refused.exit).toBe(1);
      expect(refused.stderr).toMatch(words);
    }
    expect(etcd()).toEqual(before);
  });
});
