/** What people, restores and the CSI driver do to our VMs behind oxherd's back. */
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { lockPools } from '../../src/apply/lock/pools.js';
import type { ProxmoxClient } from '../../src/clients/proxmox/client.js';
import { GIB } from '../../src/model/size.js';
import { processAt, thisHolder } from '../../src/session/execute/holder.js';
import { ended, type LabAccess } from '../support/cli.js';
import { converges, drivesOf, smallClusterForTests } from '../support/small-cluster.js';
import { DATA_VOLUME, type SmallFile, smallFile } from '../support/small-file.js';

const HOST = 'pve2';
const TALOS = 151;
const DATA = 1510;

const cluster = smallClusterForTests();
const { folder, nothingIsLost, wwnAt } = cluster;

let dataWwn: string;
beforeAll(async () => {
  dataWwn = await wwnAt(DATA, 'scsi1');
});

const stop = (hand: ProxmoxClient) => hand.runTask(() => hand.stopVm(HOST, TALOS));
const unprotect = (hand: ProxmoxClient) => hand.updateVm(HOST, DATA, { set: { protection: 0 } });
/** A volume of the CSI driver on the lowest free slot, as the driver attaches it. */
async function attachCsiVolume(hand: ProxmoxClient, name: string, slot: string): Promise<void> {
  await hand.allocVolume(HOST, 'local-zfs', { vmid: 9999, filename: `vm-9999-${name}`, size: GIB });
  await hand.updateVm(HOST, TALOS, { set: { [slot]: `local-zfs:vm-9999-${name},wwn=0x5056432d49443031` } });
}

describe('changes by hand', () => {
  it('drift is shown as old → new and set right; what is not ours stays', async () => {
    const made = await folder(async ({ hand }) => {
      await hand.updateVm(HOST, TALOS, { set: { cores: 7, description: 'mine now', onboot: 0 } });
      await hand.updateVm(HOST, DATA, { set: { protection: 0 } });
      await attachCsiVolume(hand, 'pvc-1', 'scsi3');
    });
    const plan = ended(await made.lab('plan', '--exit-code'), 2);
    expect(plan).toContain('cores 7 → 2');
    expect(plan).toContain('onboot 0 → 1');
    expect(plan).toContain('description differs');
    expect(plan).toContain('protection 0 → 1');
    expect(plan).not.toContain('scsi3');
    await converges(made);
    await nothingIsLost(made);
    await made.withLab(async (access) => {
      expect(drivesOf(access, TALOS).map((drive) => [drive.slot, drive.file])).toContainEqual([
        'scsi3',
        'local-zfs:vm-9999-pvc-1',
      ]);
    });
  });

  it('a foreign disk on our slot stays, and ours gets another slot', async () => {
    const made = await folder(async ({ hand }) => {
      await hand.updateVm(HOST, TALOS, { delete: ['scsi2'] });
      await attachCsiVolume(hand, 'pvc-2', 'scsi2');
    });
    expect(ended(await made.lab('plan', '--exit-code'), 2)).toContain('attach data to VM 151 as scsi30');
    await converges(made);
    await nothingIsLost(made);
    await made.withLab(async (access) => {
      const at = Object.fromEntries(drivesOf(access, TALOS).map((drive) => [drive.slot, drive.file]));
      expect(at).toMatchObject({ scsi2: 'local-zfs:vm-9999-pvc-2', scsi30: 'local-zfs:vm-1510-disk-1' });
    });
  });

  it('a data VM that runs keeps its node out', async () => {
    const made = await folder(async ({ hand }) => {
      await hand.runTask(() => hand.startVm(HOST, DATA));
    });
    const plan = ended(await made.lab('plan'), 1);
    expect(plan).toContain('data VM 1510 is running: two machines would write the same disks');
    expect(plan).toContain('qm stop 1510');
    await nothingIsLost(made);
  });

  it('a data VM that is gone stops everything', async () => {
    const made = await folder(async ({ lab }) => {
      lab.proxmox.pve.db.vms.delete(String(DATA));
    });
    const plan = ended(await made.lab('apply', '--yes'), 1);
    expect(plan).toContain('VM 151 exists, but the data VM 1510 that owns its disks is missing');
    expect(plan).toContain('restore VM 1510 from a backup');
    expect(plan).not.toMatch(/✓/);
  });
});

describe('identities', () => {
  it('two volumes with one WWN: nothing runs until one is chosen', async () => {
    const made = await folder(async ({ hand }) => {
      await hand.runTask(() =>
        hand.updateVmTask(HOST, DATA, { set: { scsi5: `local-zfs:2,wwn=${dataWwn}` } }),
      );
    });
    const applied = ended(await made.lab('apply', '--yes'), 1);
    expect(applied).toContain('two volumes carry the identity of work-1/data');
    expect(applied).toMatch(/oxherd (--lab )?volumes adopt work-1\/data <volume id>/);
    expect(applied).not.toMatch(/✓/);

    const running = await made.lab('volumes', 'adopt', 'work-1/data', 'local-zfs:vm-1510-disk-1');
    expect(running).toMatchObject({ exit: 1 });
    expect(running.stderr).toContain('VM 151 runs and may write the volume that it uses now');
    await made.withLab(({ hand }) => stop(hand));
    ended(await made.lab('volumes', 'adopt', 'work-1/data', 'local-zfs:vm-1510-disk-1'));
    await converges(made);
    await nothingIsLost(made);
    // The one that was not chosen is there as well, without the identity.
    const list = ended(await made.lab('volumes', 'list'));
    expect(list).toMatch(/work-1\/scsi5 +unknown +no-identity +2GiB .*local-zfs:vm-1510-disk-2/);
  });

  it('a disk that became unusedN is not made again, and comes back by adoption', async () => {
    const made = await folder(async ({ hand }) => {
      await unprotect(hand);
      await hand.updateVm(HOST, DATA, { delete: ['scsi1'] });
    });
    const applied = ended(await made.lab('apply', '--yes'), 1);
    expect(applied).toContain('data VM 1510 has no disk data, but unused volumes that may be it');
    expect(applied).toContain('unused0: local-zfs:vm-1510-disk-1');
    await made.withLab(({ hand }) => stop(hand));
    ended(await made.lab('volumes', 'adopt', 'work-1/data', 'local-zfs:vm-1510-disk-1'));
    await converges(made);
    await nothingIsLost(made);
  });

  it('only volumes of the node can be adopted', async () => {
    const made = await folder(({ hand }) => stop(hand));
    const foreign = await made.lab('volumes', 'adopt', 'work-1/data', 'local-zfs:vm-1410-disk-0');
    expect(foreign).toMatchObject({ exit: 1 });
    expect(foreign.stderr).toContain('belongs to VM 1410');
    const missing = await made.lab('volumes', 'adopt', 'work-1/data', 'local-zfs:vm-1510-disk-7');
    expect(missing.stderr).toContain('there is no volume local-zfs:vm-1510-disk-7');
  });

  it('a restored disk that the Talos VM owns goes to the data VM before anything else', async () => {
    const made = await folder(async ({ hand }) => {
      await stop(hand);
      await unprotect(hand);
      await hand.updateVm(HOST, TALOS, { delete: ['scsi2'] });
      await hand.updateVm(HOST, DATA, { delete: ['scsi1'] });
      await hand.updateVm(HOST, DATA, { delete: ['unused0'] });
      await hand.runTask(() =>
        hand.updateVmTask(HOST, TALOS, { set: { scsi2: `local-zfs:2,wwn=${dataWwn}` } }),
      );
    });
    const destroy = ended(await made.lab('destroy', '--yes'), 1);
    expect(destroy).toContain('VM 151 (work-1) owns its data (local-zfs:vm-151-disk-1)');
    expect(destroy).toContain('run `oxherd --lab apply` first');
    expect(ended(await made.lab('plan', '--exit-code'), 2)).toContain(
      'move data from VM 151 to data VM 1510',
    );
    await converges(made);
    await nothingIsLost(made, [dataWwn]);
    await made.withLab(async (access) => {
      const file = (vmid: number) => drivesOf(access, vmid).find((drive) => drive.wwn === dataWwn)?.file;
      expect(file(DATA)).toMatch(/^local-zfs:vm-1510-disk-/);
      expect(file(TALOS)).toBe(file(DATA));
    });
    // Now the data survives the VM.
    ended(await made.lab('destroy', '--yes'));
    await nothingIsLost(
      made,
      [...cluster.disks.keys()].filter((wwn) => !cluster.disks.get(wwn)?.includes('vm-1510-disk-0')),
    );
  });
});

describe('volumes delete', () => {
  it('takes only what is parked, and only by name', async () => {
    const made = await folder();
    const used = await made.lab('volumes', 'delete', 'work-1/data', '--confirm', 'work-1/data');
    expect(used).toMatchObject({ exit: 1 });
    expect(used.stderr).toContain('work-1/data is in use: it is in oxherd.yaml');
    made.config = smallFile({ volumes: [] });
    ended(await made.lab('apply', '--yes'));
    const unconfirmed = await made.lab('volumes', 'delete', 'work-1/data');
    expect(unconfirmed.exit).toBe(1);
    expect(unconfirmed.stderr).toContain('--confirm work-1/data');
    await nothingIsLost(made);
    ended(await made.lab('volumes', 'delete', 'work-1/data', '--confirm', 'work-1/data'));
    await nothingIsLost(made, [dataWwn]);
    expect(ended(await made.lab('volumes', 'list'))).not.toContain('work-1/data');
    ended(await made.lab('plan', '--exit-code'));
    await made.withLab(async ({ lab }) => {
      expect(lab.proxmox.pve.db.vms.get(String(DATA))?.config.protection).toBe('1');
    });
  });
});

describe('plans', () => {
  it('--only touches the nodes it names', async () => {
    const made = await folder(undefined, { cp: ', description: "a"', worker: ', description: "b"' });
    const applied = ended(await made.lab('apply', '--yes', '--only', 'cp-1'));
    expect(applied).toMatch(/✓ cp-1 .*set description of VM 141/);
    expect(applied).not.toContain('work-1');
    expect(ended(await made.lab('plan', '--exit-code'), 2)).toMatch(/^work-1\n.*set description of VM 151/);
    const unknown = await made.lab('apply', '--yes', '--only', 'nobody');
    expect(unknown.stderr).toContain('oxherd.yaml has no node nobody');
    expect(unknown.stderr).toContain('nodes are: cp-1, work-1');
  });
});

describe('the lock', () => {
  const here = () => thisHolder(Date.now());
  const lockedBy = (holder: object, file: SmallFile) =>
    folder(
      ({ hand }) => hand.createPool(lockPools({ name: 'small', env: '' })[0], JSON.stringify(holder)),
      file,
    );
  const change: SmallFile = { volumes: [DATA_VOLUME, 'more: { type: disk, size: 1GiB }'] };

  it('of a dead process of this computer is taken over', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const made = await lockedBy({ ...here(), pid }, change);
    await converges(made);
    await nothingIsLost(made);
  });

  it('of a process whose id another one has by now is taken over', async () => {
    await converges(await lockedBy({ ...here(), pid: process.ppid, started: '1' }, change));
  });

  it('of a CI runner with the same host name and another boot id is not taken over', async () => {
    const made = await lockedBy({ ...here(), bootId: 'another', pid: 4711, runId: 'theirs' }, change);
    const held = await made.lab('apply', '--yes');
    expect(held).toMatchObject({ exit: 1 });
    expect(held.stderr).toContain('(run theirs)');
  });

  it('of another computer stands until unlocked', async () => {
    const made = await lockedBy(
      { ...here(), host: 'elsewhere', bootId: 'other', pid: 4711, runId: 'theirs' },
      change,
    );
    const held = await made.lab('apply', '--yes');
    expect(held).toMatchObject({ exit: 1 });
    expect(held.stderr).toMatch(/cluster is locked by process 4711 on elsewhere since .* \(run theirs\)/);
    expect(held.stderr).toContain('oxherd --lab unlock');
    expect(held.stdout).not.toMatch(/✓/);
    // Looking needs no lock.
    ended(await made.lab('plan', '--exit-code'), 2);

    const asked = await made.lab('unlock');
    expect(asked).toMatchObject({ exit: 1 });
    expect(asked.stderr).toContain('oxherd --lab unlock --yes');
    expect(ended(await made.lab('unlock', '--yes'))).toMatch(/Removed the lock of process 4711 on elsewhere/);
    expect(ended(await made.lab('unlock', '--yes'))).toBe('The cluster is not locked.\n');
    await converges(made);
    await nothingIsLost(made);
  });

  it('of a living process of this computer stands', async () => {
    const theirs = { ...here(), ...processAt(process.ppid), pid: process.ppid, runId: 'theirs' };
    const made = await lockedBy(theirs, change);
    const held = await made.lab('apply', '--yes');
    expect(held).toMatchObject({ exit: 1 });
    expect(held.stderr).toContain(`process ${process.ppid} on`);
  });
});

describe('a system disk that someone removed', () => {
  const removeIt = async ({ hand }: LabAccess) => {
    for (const key of ['scsi0', 'unused0']) await hand.updateVm(HOST, TALOS, { delete: [key] });
  };

  it('is made again while its VM is off, and the data is where it was', async () => {
    const made = await folder(async (access) => {
      await access.hand.runTask(() => access.hand.stopVm(HOST, TALOS));
      await removeIt(access);
    });
    const plan = ended(await made.lab('plan'));
    expect(plan).toContain('create a new system disk for work-1');
    expect(plan).not.toContain('attach os');
    await converges(made);
    await nothingIsLost(made);
  });

  it('is a matter for a person while the VM runs', async () => {
    // Proxmox unplugs no disk that a VM boots from: someone has edited the file of the VM.
    const made = await folder(async ({ lab }) => {
      const { vms } = lab.proxmox.pve.db;
      const vm = vms.get(String(TALOS));
      if (!vm) throw new Error(`no VM ${TALOS}`);
      const { scsi0: _, ...config } = vm.config;
      vms.put(String(TALOS), { ...vm, config });
    });
    const { exit, stdout } = await made.lab('apply', '--yes');
    expect(exit).toBe(1);
    expect(stdout).toMatch(/VM 151 runs without a system disk\n +stop it \(qm stop 151 on pve2\)/);
    await nothingIsLost(made, [await wwnAt(TALOS, 'scsi0')]);
  });
});
