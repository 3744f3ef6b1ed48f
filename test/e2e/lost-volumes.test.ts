/** A disk that was grown by hand, and one whose volume was deleted on the storage: never a plan that is stuck. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProxmoxClient } from '../../src/clients/proxmox/client.js';
import { GIB } from '../../src/model/size.js';
import { ended } from '../support/cli.js';
import { converges, drivesOf, smallClusterForTests } from '../support/small-cluster.js';
import { DATA_VOLUME } from '../support/small-file.js';

const HOST = 'pve2';
const TALOS = 151;
const DATA = 1510;

const { folder, nothingIsLost, wwnAt } = smallClusterForTests();

const stop = (hand: ProxmoxClient) => hand.runTask(() => hand.stopVm(HOST, TALOS));

describe('a data disk that was grown by hand', () => {
  it('is accepted by a command that edits the file, and then nothing is stuck', async () => {
    const made = await folder(
      ({ hand }) => hand.runTask(() => hand.resizeDisk(HOST, TALOS, 'scsi2', 3 * GIB)),
      { volumes: [`${DATA_VOLUME} # for the database`] },
    );
    const file = () => readFileSync(join(made.path, 'oxherd.yaml'), 'utf8');
    expect(ended(await made.lab('plan'), 1)).toMatch(/oxherd (--lab )?volumes accept-size work-1\/data/);
    expect((await made.lab('volumes', 'accept-size', 'work-1/data')).exit).toBe(1);
    expect(file()).toContain('size: 2GiB }');
    const shown = ended(await made.lab('volumes', 'accept-size', 'work-1/data', '--yes'));
    expect(shown).toContain('volumes.data.size: 2GiB → 3GiB');
    expect(file()).toContain('size: 3GiB } # for the database');
    await converges(made);
    await nothingIsLost(made);
    const again = await made.lab('volumes', 'accept-size', 'work-1/data', '--yes');
    expect(again.exit).toBe(1);
    expect(again.stderr).toContain('there is nothing to accept');
  });
});

describe('a data volume that was deleted on the storage', () => {
  it('is forgotten by name, and the next apply makes a new one', async () => {
    const wwn = await wwnAt(DATA, 'scsi1');
    let volid = '';
    const made = await folder(async (access) => {
      await stop(access.hand);
      volid = drivesOf(access, DATA).find((drive) => drive.wwn === wwn)?.file ?? '';
      await access.hand.runTask(() => access.hand.deleteVolume(HOST, volid));
    });
    const plan = ended(await made.lab('plan'), 1);
    expect(plan).toMatch(/oxherd (--lab )?volumes forget work-1\/data --confirm work-1\/data/);
    expect((await made.lab('volumes', 'forget', 'work-1/data')).stderr).toContain('say its name to confirm');
    ended(await made.lab('volumes', 'forget', 'work-1/data', '--confirm', 'work-1/data'));
    await made.withLab(async (access) => {
      for (const vmid of [TALOS, DATA])
        expect(drivesOf(access, vmid).filter((drive) => drive.file === volid)).toEqual([]);
      expect(access.lab.proxmox.pve.db.vms.get(String(DATA))?.config.protection).toBe('1');
    });
    expect(ended(await made.lab('plan', '--exit-code'), 2)).toContain('volume data is new');
    await converges(made);
    await nothingIsLost(made, [wwn]);
  });

  it('is not forgotten while it exists, or while its machine runs', async () => {
    const made = await folder();
    const refused = await made.lab('volumes', 'forget', 'work-1/data', '--confirm', 'work-1/data');
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toMatch(/work-1\/data is not lost: local-zfs:vm-1510-disk-1 is on pve2/);
    await nothingIsLost(made);
  });
});
