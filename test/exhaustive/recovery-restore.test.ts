/** How a cluster comes back that lost all its VMs, or goes back to a snapshot. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, labFile } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { herd } from '../support/herd.js';
import { copiesOf, destroyVm, etcdOf, noteOf, writeNote } from '../support/recovery.js';
import { expectNothingToDo } from '../support/rolling.js';

const FILE = herd({ controlPlanes: 3, workers: 1 });
const CONFIRM = ['--confirm', 'herd'];

const copy = copiesOf(FILE);
let site: ClusterSite;
async function open(): Promise<void> {
  site = await copy();
}

describe('a cluster without its VMs', () => {
  it('goes on from its data VMs: the same etcd, nothing forgotten', async () => {
    await open();
    const before = etcdOf(site);
    writeNote(site, 'kept', 'yes');
    for (const [host, vmid] of [
      ['pve1', 141],
      ['pve2', 142],
      ['pve3', 143],
      ['pve1', 151],
    ] as const)
      await destroyVm(site, host, vmid);
    expect([...site.room.machines()]).toEqual([]);
    ended(await site.run('apply', '--yes'));
    expect(etcdOf(site).id).toBe(before.id);
    expect(etcdOf(site).members).toEqual(before.members);
    expect(etcdOf(site).revision).toBeGreaterThanOrEqual(before.revision);
    expect(noteOf(site, 'kept')).toEqual({ text: 'yes' });
    await expectNothingToDo(site);
  });

  it('stops where a member of it is not in oxherd.yaml, and says how to go on', async () => {
    await open();
    ended(await site.run('destroy', '--yes'));
    site.config = herd({ controlPlanes: 1, workers: 1 });
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/cp-2 \(data VM 1420\), cp-3 \(data VM 1430\) are members of it/);
    expect(refused.stdout).toMatch(/oxherd (--lab )?apply --fresh --confirm herd/);
    ended(await site.run('apply', '--fresh', ...CONFIRM));
    expect(etcdOf(site).members.map(({ name }) => name)).toEqual(['cp-1']);
    await expectNothingToDo(site);
  });

  it('starts again with --fresh: a new etcd, the old disks and all volumes kept', async () => {
    await open();
    const before = etcdOf(site);
    writeNote(site, 'old', 'yes');
    const alive = await site.run('apply', '--fresh', ...CONFIRM);
    expect(alive.exit).toBe(1);
    expect(alive.stdout).toMatch(/the cluster is alive: etcd runs on cp-1, cp-2, cp-3/);
    ended(await site.run('destroy', '--yes'));
    const shown = ended(await site.run('apply', '--fresh', ...CONFIRM));
    expect(shown).toMatch(
      /create new disk ephemeral .* the old one is kept as ephemeral\.1 +resets the node \(new \/var\)/,
    );
    expect(etcdOf(site).id).not.toBe(before.id);
    expect(noteOf(site, 'old')).toBeUndefined();
    const volumes = ended(await site.run('volumes', 'list'));
    for (const node of ['cp-1', 'cp-2', 'cp-3', 'work-1']) {
      expect(volumes).toMatch(new RegExp(`${node}/ephemeral\\.1 .*parked`));
    }
    expect(volumes).toMatch(/work-1\/scratch .*attached/);
    await expectNothingToDo(site);
  });

  it('starts again with other secrets, and with no others than by --fresh', async () => {
    await open();
    ended(await site.run('destroy', '--yes'));
    const path = labFile(site.folder.path, 'secrets.yaml');
    const other = await ClusterSite.open(FILE);
    try {
      ended(await other.run('secrets', 'init'));
      writeFileSync(path, readFileSync(labFile(other.folder.path, 'secrets.yaml')));
    } finally {
      await other.remove();
    }
    const secrets = readFileSync(path);
    rmSync(path);
    expect((await site.run('apply', '--yes')).stderr).toMatch(/its secrets are missing/);
    writeFileSync(path, secrets);
    const refused = await site.run('apply', '--yes');
    expect(refused.stderr).toMatch(/holds the secrets of another cluster/);
    expect(refused.stderr).toMatch(/oxherd (--lab )?apply --fresh/);
    ended(await site.run('apply', '--fresh', ...CONFIRM));
    await expectNothingToDo(site);
  });
});

describe('etcd restore', () => {
  it('goes back to what the snapshot holds, and keeps the disks of what it replaces', async () => {
    await open();
    writeNote(site, 'before', 'yes');
    const taken = JSON.parse(ended(await site.run('etcd', 'backup', '--out', 'etcd.snapshot', '--json')));
    const { id, revision } = etcdOf(site);
    writeNote(site, 'after', 'yes');

    const asked = await site.run('etcd', 'restore', 'etcd.snapshot');
    expect(asked.exit).toBe(1);
    expect(asked.stderr).toMatch(/oxherd (--lab )?etcd restore etcd\.snapshot --confirm herd/);
    expect(noteOf(site, 'after')).toEqual({ text: 'yes' });

    const shown = ended(await site.run('etcd', 'restore', 'etcd.snapshot', ...CONFIRM));
    expect(shown).toContain('restore etcd on cp-1');
    expect(shown).toContain(`sha256 ${taken.sha256}`);
    expect(etcdOf(site).id).not.toBe(id);
    // Nothing was written since but what cp-2 and cp-3 wrote when they joined for the first time, too.
    expect(etcdOf(site).revision).toBe(revision + (revision - 1));
    expect(
      etcdOf(site)
        .members.map(({ name }) => name)
        .sort(),
    ).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(noteOf(site, 'before')).toEqual({ text: 'yes' });
    expect(noteOf(site, 'after')).toBeUndefined();
    expect(ended(await site.run('volumes', 'list'))).toMatch(/cp-1\/ephemeral\.1 .*parked/);
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
  });

  it('brings a cluster back whose majority is lost', async () => {
    await open();
    writeNote(site, 'before', 'yes');
    ended(await site.run('etcd', 'backup', '--out', 'etcd.snapshot'));
    for (const [host, vmid] of [
      ['pve1', 141],
      ['pve1', 1410],
      ['pve2', 142],
      ['pve2', 1420],
    ] as const)
      await destroyVm(site, host, vmid);
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/oxherd (--lab )?etcd restore FILE --confirm herd/);
    ended(await site.run('etcd', 'restore', 'etcd.snapshot', ...CONFIRM));
    expect(noteOf(site, 'before')).toEqual({ text: 'yes' });
    expect(etcdOf(site).members).toHaveLength(3);
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
  });

  it('refuses a file that is none, or not all of one, before anything is touched', async () => {
    await open();
    const before = etcdOf(site);
    ended(await site.run('etcd', 'backup', '--out', 'etcd.snapshot'));
    const path = join(site.folder.path, 'etcd.snapshot');
    const whole = readFileSync(path);
    writeFileSync(join(site.folder.path, 'cut.snapshot'), whole.subarray(0, -100));
    writeFileSync(join(site.folder.path, 'note.txt'), 'hello');
    const changed = Buffer.from(whole);
    changed[5_000] = (changed[5_000] ?? 0) ^ 1;
    writeFileSync(join(site.folder.path, 'changed.snapshot'), changed);
    for (const [name, words] of [
      ['cut.snapshot', /is no whole snapshot of etcd: it is truncated/],
      ['note.txt', /is no whole snapshot of etcd: it has 5 bytes only/],
      ['changed.snapshot', /its SHA-256 is not the one at its end/],
      ['nothing.snapshot', /nothing\.snapshot cannot be read/],
    ] as const) {
      const refused = await site.run('etcd', 'restore', name, ...CONFIRM);
      expect(refused.exit).toBe(1);
      expect(refused.stderr).toMatch(words);
    }
    expect(etcdOf(site)).toEqual(before);
  });
});
