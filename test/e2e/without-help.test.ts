/** What is done without the machine's help, and what is said where nothing is to do. */
import { describe, expect, it } from 'vitest';
import type { VolumeContent } from '../../src/lab/lab.js';
import { dropPartitions } from '../../src/lab/talos/volumes/partitions.js';
import { ended, type LabAccess } from '../support/cli.js';
import { converges, smallClusterForTests } from '../support/small-cluster.js';

const HOST = 'pve2';
const TALOS = 151;

const { folder, nothingIsLost, wwnAt } = smallClusterForTests();

/** While its VM is off. */
async function changeSystemDisk(
  { lab, hand }: LabAccess,
  change: (content: VolumeContent) => VolumeContent,
): Promise<void> {
  await hand.runTask(() => hand.stopVm(HOST, TALOS));
  const { vms, volumes } = lab.proxmox.pve.db;
  const file = (vms.get(String(TALOS))?.config.scsi0 ?? '').split(',')[0] ?? '';
  const [key, volume] = [...volumes.entries()].find(([, one]) => `${one.storage}:${one.path}` === file) ?? [];
  if (key === undefined || !volume) throw new Error(`there is no ${file}`);
  volumes.put(key, { ...volume, data: change(volume.data) });
}

describe('a node that cannot help', () => {
  it('gets a new system disk while its VM is off; the old disk goes once its data is shown', async () => {
    const made = await folder(({ hand }) => hand.runTask(() => hand.stopVm(HOST, TALOS)));
    const applied = ended(await made.lab('replace', 'work-1', '--yes'));
    expect(applied).toContain('is kept until the new system has shown its data volumes');
    expect(applied).toMatch(/✓ work-1 .*delete the old system disk/);
    await nothingIsLost(made, [await wwnAt(TALOS, 'scsi0')]);
    await made.withLab(async ({ lab }) => {
      const config = lab.proxmox.pve.db.vms.get(String(TALOS))?.config ?? {};
      expect(Object.keys(config).filter((key) => key.startsWith('unused'))).toEqual([]);
    });
    ended(await made.lab('plan', '--exit-code'));
    ended(await made.lab('status'));
  });

  it('gets a new system disk while its VM runs and does not boot; the old disk goes last', async () => {
    const made = await folder(async (access) => {
      await changeSystemDisk(access, () => ({}));
      await access.hand.runTask(() => access.hand.startVm(HOST, TALOS));
    });
    // The machine did not answer when the plan was made, so its config was not compared: exit code 4.
    const applied = ended(await made.lab('replace', 'work-1', '--yes'), 4);
    const places = [
      'create a new system disk',
      'wait until work-1 is ready',
      'delete the old system disk',
    ].map((words) => applied.search(new RegExp(`✓ work-1 .*${words}`)));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    await nothingIsLost(made, [await wwnAt(TALOS, 'scsi0')]);
    ended(await made.lab('plan', '--exit-code'));
    ended(await made.lab('status'));
  });

  it('is configured again when its system disk was wiped', async () => {
    const made = await folder((access) =>
      // What `talosctl reset --system-labels-to-wipe STATE` leaves.
      changeSystemDisk(access, (content) => dropPartitions(content, ['STATE'])),
    );
    expect(ended(await made.lab('plan'))).toContain('start VM 151');
    await converges(made);
    await nothingIsLost(made);
    ended(await made.lab('status'));
  });
});

describe('a node that waits for its config', () => {
  it('is restarted for another reason first, and then gets it', async () => {
    const made = await folder(
      async (access) => {
        await changeSystemDisk(access, (content) => dropPartitions(content, ['STATE']));
        await access.hand.runTask(() => access.hand.startVm(HOST, TALOS));
      },
      { worker: ', memory: 5GiB' },
    );
    await converges(made);
    await nothingIsLost(made);
  });
});

describe('what is said', () => {
  it('after destroy is that etcd resumes, not that it begins', async () => {
    const made = await folder();
    ended(await made.lab('destroy', '--yes'));
    const plan = ended(await made.lab('plan'));
    expect(plan).toContain('wait until etcd has resumed from the data VMs');
    expect(plan).not.toContain('bootstrap etcd');
  });

  it('repeats the flags of the user, and asks before every change', async () => {
    const made = await folder(undefined, { worker: ', description: "one"' });
    const asked = await made.lab('apply');
    expect(asked).toMatchObject({ exit: 1 });
    expect(asked.stderr).toContain('Apply this plan? Cannot ask: not a terminal.');
    expect(asked.stderr).toContain('oxherd --lab apply --yes');
  });
});
