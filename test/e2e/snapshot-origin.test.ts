/** Which cluster a snapshot of etcd was taken from: what restore accepts, and what counts as the last snapshot. */
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { builtFolder } from '../support/built-folder.js';
import { type CliFolder, ended, labFile } from '../support/cli.js';
import { smallFile } from '../support/small-file.js';

describe('a snapshot of etcd', () => {
  let built: CliFolder;
  beforeAll(async () => {
    built = await builtFolder(smallFile());
  });

  async function withSnapshot(): Promise<CliFolder> {
    const folder = built.copy();
    onTestFinished(() => folder.remove());
    ended(await folder.lab('etcd', 'backup', '--out', 'own.snapshot'));
    copyFileSync(join(folder.path, 'own.snapshot'), join(folder.path, 'bare.snapshot'));
    return folder;
  }
  const restore = async (folder: CliFolder, file: string, ...more: string[]) => {
    const { exit, stdout, stderr } = await folder.lab('etcd', 'restore', file, ...more);
    return { exit, text: `${stdout}${stderr}` };
  };

  it('is restored after its name is typed; one without a note says why that matters', async () => {
    const folder = await withSnapshot();
    expect(existsSync(join(folder.path, 'own.snapshot.json'))).toBe(true);
    const own = await restore(folder, 'own.snapshot');
    expect(own.exit).not.toBe(0);
    expect(own.text).toMatch(/--confirm small/);
    expect(own.text).not.toMatch(/does not record/);
    const bare = await restore(folder, 'bare.snapshot');
    expect(bare.exit).not.toBe(0);
    expect(bare.text).toMatch(/bare\.snapshot does not record which cluster it was taken from/);
  });

  it('of a cluster with other secrets is refused, with its note and without', async () => {
    const folder = await withSnapshot();
    ended(await folder.lab('destroy', '--delete-data', '--confirm', 'small'));
    rmSync(labFile(folder.path, 'secrets.yaml'));
    const refused = /is a snapshot of a cluster with other secrets/;
    const without = await restore(folder, 'own.snapshot', '--confirm', 'small');
    expect(without.exit).toBe(1);
    expect(without.text).toMatch(refused);
    ended(await folder.lab('secrets', 'init'));
    for (const file of ['own.snapshot', 'bare.snapshot']) {
      const { exit, text } = await restore(folder, file, '--confirm', 'small');
      expect(exit).toBe(1);
      expect(text).toMatch(refused);
    }
    expect(await folder.withLab(async ({ lab }) => lab.proxmox.pve.db.vms.size)).toBe(0);
  });

  it('of a destroyed cluster is not the last one of the cluster that followed it', async () => {
    const folder = built.copy();
    onTestFinished(() => folder.remove());
    const backup = async () =>
      JSON.parse(ended(await folder.lab('etcd', 'backup', '--every', '6h', '--out', 'dir', '--json')));
    const first = await backup();
    expect(await backup()).toMatchObject({ path: first.path, taken: false });
    ended(await folder.lab('destroy', '--delete-data', '--confirm', 'small'));
    ended(await folder.lab('apply', '--yes'));
    rmSync(`${first.path}.json`);
    expect(await backup()).not.toHaveProperty('taken');
    expect(readdirSync(join(folder.path, 'dir', 'small'))).toHaveLength(3);
  });
});
