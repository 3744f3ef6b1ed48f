/** Each refused call, and what is lost on the lab where it is not refused. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InterlockError, interlock } from '../../src/apply/interlock.js';
import type { ProxmoxClient, ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import { diskDrives } from '../../src/formats/proxmox/vm-config.js';
import { checkVolumes } from '../../src/lab/proxmox/check-volumes.js';
import { GIB } from '../../src/model/size.js';
import { smallCluster } from '../support/configs.js';
import { configOf, VmSite } from '../support/vm-site.js';

const TALOS = 151;
const DATA = 1510;
const HOST = 'pve1';

let site: VmSite;
let raw: ProxmoxConnection;
let guarded: ProxmoxClient;

beforeEach(async () => {
  site = await VmSite.start(
    configOf(
      smallCluster({
        controlPlanes: 1,
        workers: 1,
        hosts: [HOST],
        more: 'hosts: { pve1: {}, pve2: {} }',
        volumes:
          '  data: { type: disk, size: 2GiB, on: worker }\n  spare: { type: proxmox-csi, size: 1GiB, host: pve1, storage: other }',
      }),
    ),
  );
  raw = site.connect();
  const { result } = await site.apply(raw);
  expect(result.outcome).toBe('done');
  guarded = interlock(raw, { cluster: site.config.cluster });
});

afterEach(async () => {
  await raw.close();
  await site.stop();
});

const volumeOf = (vmid: number, slot: string): string => {
  const vm = site.lab.proxmox.pve.db.vms.get(String(vmid));
  return diskDrives(vm?.config ?? {}).find((drive) => drive.slot === slot)?.file ?? '';
};
const exists = (volid: string) =>
  [...site.lab.proxmox.pve.db.volumes.values()].some(
    (volume) => `${volume.storage}:${volume.path}` === volid,
  );
/** What a guest writes to the kept volume after the snapshot. */
const keptRecord = () => {
  const { volumes } = site.lab.proxmox.pve.db;
  const found = [...volumes.entries()].find(([, volume]) => `${volume.storage}:${volume.path}` === kept);
  if (!found) throw new Error(`no ${kept}`);
  return { volumes, key: found[0], record: found[1] };
};
const writeData = () => {
  const { volumes, key, record } = keptRecord();
  volumes.put(key, { ...record, data: { data: { note: 'new' } } });
};
const hasData = () => keptRecord().record.data.data?.note === 'new';
const stopTalosVm = () => raw.runTask(() => raw.stopVm(HOST, TALOS));
const unprotect = () => raw.updateVm(HOST, DATA, { set: { protection: 0 } });

interface Danger {
  readonly what: string;
  /** Steps a person may have taken before. */
  readonly before?: () => Promise<unknown>;
  readonly call: (client: ProxmoxClient) => Promise<unknown>;
  /** What is so on the lab after the unguarded call, and must not be. */
  readonly loss: () => boolean | Promise<boolean>;
}

const DATA_SLOT = 'scsi1';
let kept = '';
beforeEach(() => {
  kept = volumeOf(DATA, DATA_SLOT);
});

/** A running VM of a person, which others depend on. */
const FOREIGN = 500;
const runForeign = async () => {
  await raw.runTask(() => raw.createVm(HOST, FOREIGN, { name: 'mine', memory: 512 }));
  await raw.runTask(() => raw.startVm(HOST, FOREIGN));
};
const tasksOf = (vmid: number, type: string) =>
  [...site.lab.proxmox.pve.db.tasks.values()].filter(
    (task) => task.id === String(vmid) && task.type === type,
  );
const isOff = async () => (await raw.vmStatus(HOST, FOREIGN)).status === 'stopped';

const dangers: Danger[] = [
  {
    what: 'stopping a VM that is not ours',
    before: runForeign,
    call: (client) => client.runTask(() => client.stopVm(HOST, FOREIGN)),
    loss: isOff,
  },
  {
    what: 'shutting down a VM that is not ours',
    before: runForeign,
    call: (client) => client.runTask(() => client.shutdownVm(HOST, FOREIGN, { forceStop: true })),
    loss: isOff,
  },
  {
    what: 'resetting a VM that is not ours',
    before: runForeign,
    call: (client) => client.runTask(() => client.resetVm(HOST, FOREIGN)),
    loss: () => tasksOf(FOREIGN, 'qmreset').length > 0,
  },
  {
    what: 'rebooting a VM that is not ours',
    before: runForeign,
    call: (client) => client.runTask(() => client.rebootVm(HOST, FOREIGN)),
    loss: () => tasksOf(FOREIGN, 'qmreboot').length > 0,
  },
  {
    what: 'starting a VM that is not ours',
    before: () => raw.runTask(() => raw.createVm(HOST, FOREIGN, { name: 'mine', memory: 512 })),
    call: (client) => client.runTask(() => client.startVm(HOST, FOREIGN)),
    loss: async () => !(await isOff()),
  },
  {
    what: 'stopping a clone with our tag on another id',
    before: async () => {
      await stopTalosVm();
      await raw.runTask(() => raw.cloneVm(HOST, TALOS, { newid: FOREIGN, full: true }));
      await raw.runTask(() => raw.startVm(HOST, FOREIGN));
    },
    call: (client) => client.runTask(() => client.stopVm(HOST, FOREIGN)),
    loss: isOff,
  },
  {
    what: 'taking a VM that is not ours out of its pool',
    before: async () => {
      await raw.runTask(() => raw.createVm(HOST, FOREIGN, { name: 'mine', memory: 512 }));
      await raw.createPool('theirs');
      await raw.createPool('ours');
      await raw.updatePool('theirs', { vms: [FOREIGN] });
    },
    call: (client) => client.updatePool('ours', { vms: [FOREIGN], allowMove: true }),
    loss: async () => !(await raw.pool('theirs')).vmids.includes(FOREIGN),
  },
  {
    what: 'changing a backup job of others',
    before: () =>
      raw.createBackupJob('theirs', { storage: 'local', schedule: '02:00', vmid: '500', comment: 'mine' }),
    call: (client) => client.updateBackupJob('theirs', { 'prune-backups': 'keep-last=1' }),
    loss: async () => (await raw.backupJobs()).some((job) => job.settings['prune-backups'] !== undefined),
  },
  {
    what: 'destroying a VM with purge, which takes it out of the backup jobs of others',
    before: async () => {
      await stopTalosVm();
      await raw.createBackupJob('theirs', { storage: 'local', schedule: '02:00', vmid: `${TALOS},500` });
    },
    call: (client) => client.runTask(() => client.destroyVm(HOST, TALOS, { purge: true })),
    loss: async () => !(await raw.backupJobs()).some((job) => job.settings.vmid?.includes(String(TALOS))),
  },
  {
    what: 'destroying the data VM',
    before: unprotect,
    call: (client) => client.runTask(() => client.destroyVm(HOST, DATA)),
    loss: () => !exists(kept),
  },
  {
    what: 'destroying a VM with destroy-unreferenced-disks',
    before: async () => {
      await stopTalosVm();
      // A loose volume with the VM's id in its name, as a person may have made one.
      await raw.allocVolume(HOST, 'local-zfs', { vmid: TALOS, filename: `vm-${TALOS}-notes`, size: GIB });
    },
    call: (client) => client.runTask(() => client.destroyVm(HOST, TALOS, { destroyUnreferencedDisks: true })),
    loss: () => !exists(`local-zfs:vm-${TALOS}-notes`),
  },
  {
    what: 'taking a kept drive off the data VM',
    before: unprotect,
    call: (client) => client.updateVm(HOST, DATA, { delete: [DATA_SLOT] }),
    loss: () => volumeOf(DATA, DATA_SLOT) === '',
  },
  {
    what: 'unlinking a kept drive',
    before: unprotect,
    call: (client) => client.unlinkDisks(HOST, DATA, [DATA_SLOT], { force: true }),
    loss: () => !exists(kept),
  },
  {
    what: 'removing an unused volume of the data VM',
    before: async () => {
      await unprotect();
      await raw.updateVm(HOST, DATA, { delete: [DATA_SLOT] });
    },
    call: (client) => client.updateVm(HOST, DATA, { delete: ['unused0'] }),
    loss: () => !exists(kept),
  },
  {
    what: 'taking the protection off the data VM',
    call: (client) => client.updateVm(HOST, DATA, { set: { protection: 0 } }),
    loss: () => site.lab.proxmox.pve.db.vms.get(String(DATA))?.config.protection !== '1',
  },
  {
    what: 'deleting a kept volume from its storage',
    before: stopTalosVm,
    call: (client) => client.runTask(() => client.deleteVolume(HOST, kept)),
    loss: () => !exists(kept),
  },
  {
    what: 'writing another volume to a taken slot of the Talos VM',
    call: (client) =>
      client.runTask(() => client.updateVmTask(HOST, TALOS, { set: { scsi2: 'local-zfs:1' } })),
    loss: () => volumeOf(TALOS, 'scsi2') !== kept,
  },
  {
    what: 'writing another volume to a taken slot of the data VM',
    call: (client) =>
      client.runTask(() => client.updateVmTask(HOST, DATA, { set: { [DATA_SLOT]: 'local-zfs:1' } })),
    loss: () => volumeOf(DATA, DATA_SLOT) !== kept,
  },
  {
    what: 'moving a disk of the data VM through the Talos VM',
    before: stopTalosVm,
    call: (client) => client.runTask(() => client.moveDisk(HOST, TALOS, { disk: 'scsi2', storage: 'other' })),
    // The copy belongs to the VM that can be thrown away.
    loss: () => volumeOf(TALOS, 'scsi2').includes(`vm-${TALOS}-`),
  },
  {
    what: 'moving a disk of the data VM while its Talos VM runs',
    call: (client) =>
      client.runTask(() => client.moveDisk(HOST, DATA, { disk: DATA_SLOT, storage: 'other' })),
    loss: () => volumeOf(DATA, DATA_SLOT) !== volumeOf(TALOS, 'scsi2'),
  },
  {
    what: 'giving a disk of the data VM to another VM',
    before: stopTalosVm,
    call: (client) =>
      client.runTask(() =>
        client.moveDisk(HOST, DATA, { disk: DATA_SLOT, targetVmid: TALOS, targetDisk: 'scsi9' }),
      ),
    loss: () => volumeOf(DATA, DATA_SLOT) === '',
  },
  {
    what: 'starting the data VM',
    call: (client) => client.runTask(() => client.startVm(HOST, DATA)),
    loss: async () => (await raw.vmStatus(HOST, DATA)).status === 'running',
  },
  {
    what: 'a snapshot of the data VM while its Talos VM runs',
    call: (client) => client.runTask(() => client.createSnapshot(HOST, DATA, 'before')),
    loss: async () => (await raw.snapshots(HOST, DATA)).some((snapshot) => snapshot.name === 'before'),
  },
  {
    what: 'rolling back the data VM while its Talos VM runs',
    before: async () => {
      await raw.runTask(() => raw.createSnapshot(HOST, DATA, 'before'));
      writeData();
    },
    call: (client) => client.runTask(() => client.rollbackSnapshot(HOST, DATA, 'before')),
    loss: () => !hasData(),
  },
  {
    what: 'rolling back the Talos VM, data disks and all',
    before: async () => {
      await stopTalosVm();
      await raw.runTask(() => raw.createSnapshot(HOST, TALOS, 'before'));
      writeData();
    },
    call: (client) => client.runTask(() => client.rollbackSnapshot(HOST, TALOS, 'before')),
    loss: () => !hasData(),
  },
  {
    what: 'making a template of the data VM while its Talos VM runs',
    call: (client) => client.runTask(() => client.makeTemplate(HOST, DATA)),
    loss: () => volumeOf(DATA, DATA_SLOT) !== kept,
  },
  {
    what: 'cloning the data VM while its Talos VM runs',
    call: (client) => client.runTask(() => client.cloneVm(HOST, DATA, { newid: 990, full: true })),
    // A half-written copy with the same WWN.
    loss: () => site.lab.proxmox.pve.db.vms.has('990'),
  },
  {
    what: 'migrating the data VM while its Talos VM names its disks',
    before: stopTalosVm,
    call: (client) => client.runTask(() => client.migrateVm(HOST, DATA, { target: 'pve2' })),
    // The Talos VM names a volume that its host does not have any more.
    loss: () => checkVolumes(site.lab.proxmox.pve.db).dangling.length > 0,
  },
  {
    what: 'changing a VM that is not ours',
    before: () => raw.runTask(() => raw.createVm(HOST, 500, { name: 'mine', memory: 512 })),
    call: (client) => client.updateVm(HOST, 500, { set: { memory: 1024 } }),
    loss: () => site.lab.proxmox.pve.db.vms.get('500')?.config.memory === '1024',
  },
  {
    what: 'destroying a Talos VM that owns a restored disk',
    before: async () => {
      await stopTalosVm();
      // What a restore leaves behind: the disk under the Talos VM's own id, with its WWN.
      const wwn =
        site.design.nodes
          .flatMap((node) => node.drives)
          .find((drive) => drive.owner === DATA && drive.name === 'data')?.wwn ?? '';
      await raw.updateVm(HOST, TALOS, { delete: ['scsi2'] });
      await raw.runTask(() => raw.updateVmTask(HOST, TALOS, { set: { scsi2: `local-zfs:2,wwn=${wwn}` } }));
      kept = volumeOf(TALOS, 'scsi2');
    },
    call: (client) => client.runTask(() => client.destroyVm(HOST, TALOS)),
    loss: () => !exists(kept),
  },
];

describe('interlock', () => {
  it.each(dangers)('refuses $what, and without it that is a loss', async ({ before, call, loss }) => {
    await before?.();
    const refusal = await call(guarded).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(InterlockError);
    expect(await loss()).toBe(false);
    await call(raw);
    expect(await loss()).toBe(true);
  });

  it('lets both VMs migrate once the disks are let go, and no VM leave disks of another behind', async () => {
    const move = (vmid: number) => guarded.runTask(() => guarded.migrateVm(HOST, vmid, { target: 'pve2' }));
    await stopTalosVm();
    await expect(move(TALOS)).rejects.toBeInstanceOf(InterlockError);
    await guarded.updateVm(HOST, TALOS, { delete: ['scsi1', 'scsi2'] });
    await move(DATA);
    await move(TALOS);
    expect(keptRecord().record.host).toBe('pve2');
  });

  it.each([
    [TALOS, DATA],
    [DATA, TALOS],
  ])(
    'does not destroy VM %i if VM %i of its node has the secrets of another cluster',
    async (vmid, other) => {
      await stopTalosVm();
      await unprotect();
      await raw.updateVm(HOST, other, { set: { description: 'secrets bb' } });
      const volumes = [volumeOf(DATA, 'scsi0'), kept, volumeOf(TALOS, 'scsi0')];
      const careful = interlock(raw, {
        cluster: { ...site.config.cluster, secrets: 'aa' },
        mayLose: new Set(volumes),
      });
      await expect(careful.runTask(() => careful.destroyVm(HOST, vmid))).rejects.toThrow(
        `VM ${other} of the same node was created with the secrets of another cluster`,
      );
      expect(volumes.every(exists)).toBe(true);
    },
  );

  it('refuses to shrink, which Proxmox itself would refuse only in the task', async () => {
    await expect(guarded.resizeDisk(HOST, TALOS, 'scsi2', GIB)).rejects.toBeInstanceOf(InterlockError);
  });

  it('lets through what harms nothing', async () => {
    await guarded.updateVm(HOST, TALOS, { set: { description: 'hello' } });
    await guarded.runTask(() => guarded.resizeDisk(HOST, TALOS, 'scsi2', 3 * GIB));
    await guarded.updateVm(HOST, TALOS, { delete: ['scsi2'] });
    expect(exists(kept)).toBe(true);
    await guarded.runTask(() => guarded.stopVm(HOST, TALOS));
    await guarded.runTask(() => guarded.destroyVm(HOST, TALOS));
    expect(exists(kept)).toBe(true);
  });

  it('lets through the loss that someone requested by name, and no other', async () => {
    const allowed = interlock(raw, { cluster: site.config.cluster, mayLose: new Set([kept]) });
    await allowed.updateVm(HOST, TALOS, { delete: ['scsi2'] });
    await allowed.updateVm(HOST, DATA, { set: { protection: 0 } });
    await allowed.updateVm(HOST, DATA, { delete: [DATA_SLOT] });
    await expect(allowed.updateVm(HOST, DATA, { delete: ['scsi0'] })).rejects.toBeInstanceOf(InterlockError);
    await allowed.updateVm(HOST, DATA, { delete: ['unused0'] });
    expect(exists(kept)).toBe(false);
  });

  it('lets the lines of a volume go that no host has, and none of a volume that is somewhere', async () => {
    const allowed = interlock(raw, { cluster: site.config.cluster, mayForget: new Set([kept]) });
    await raw.updateVm(HOST, DATA, { set: { protection: 0 } });
    await expect(allowed.updateVm(HOST, DATA, { delete: [DATA_SLOT] })).rejects.toThrow(/exists on pve1/);
    const { volumes, key } = keptRecord();
    volumes.delete(key);
    const filename = kept.slice(kept.indexOf(':') + 1);
    await raw.allocVolume('pve2', 'local-zfs', { vmid: DATA, filename, size: GIB });
    await expect(allowed.updateVm(HOST, DATA, { delete: [DATA_SLOT] })).rejects.toThrow(/exists on pve2/);
    await raw.runTask(() => raw.deleteVolume('pve2', kept));
    await expect(allowed.updateVm(HOST, DATA, { delete: [DATA_SLOT], force: true })).rejects.toBeInstanceOf(
      InterlockError,
    );
    await expect(guarded.updateVm(HOST, DATA, { delete: [DATA_SLOT] })).rejects.toBeInstanceOf(
      InterlockError,
    );
    await allowed.updateVm(HOST, DATA, { delete: [DATA_SLOT] });
    await allowed.updateVm(HOST, DATA, { delete: ['unused0'] });
    await expect(allowed.updateVm(HOST, DATA, { delete: ['scsi0'] })).rejects.toBeInstanceOf(InterlockError);
  });
});
