/** What plans, `volumes` and `status` say of disks that are not ours, and of ours where they should not be. */
import { afterEach, describe, expect, it } from 'vitest';
import { design } from '../../src/design/design-cluster.js';
import { foreignDiskConditions } from '../../src/health/foreign-disks.js';
import { observe } from '../../src/observe/observe.js';
import { completeList } from '../../src/observe/observed-lists.js';
import { planVolumeAdopt } from '../../src/plan/drives/plan-volume-adopt.js';
import { planVolumeDelete } from '../../src/plan/drives/plan-volume-delete.js';
import { listVolumes } from '../../src/plan/drives/volume-list.js';
import { planCluster } from '../../src/plan/plan-cluster.js';
import { planDestroy, volumesLost } from '../../src/plan/plan-destroy.js';
import { Arena, HOST, NODE, VOLUMES } from '../support/attacks/arena.js';

let arena: Arena;
const start = async (layout: 'data-vm' | 'single' = 'data-vm') => {
  arena = await Arena.build({ layout, storage: 'local-zfs' });
  return arena.hand;
};
const look = async () => {
  const wanted = design(arena.site.config);
  return { design: wanted, observed: await observe(arena.hand, wanted) };
};
const slotOf = (name: string) => arena.slotOf(NODE.data, arena.wwnOf(name));
const volidOf = (name: string) => arena.file(NODE.data, slotOf(name));
const addDisk = (vmid: number, slot: string) =>
  arena.hand.runTask(() => arena.hand.updateVmTask(HOST, vmid, { set: { [slot]: 'local-zfs:1' } }));
const codes = (problems: readonly { readonly code: string }[]) => problems.map(({ code }) => code);

afterEach(() => arena.stop());

describe('a disk that oxherd has not made', () => {
  it('holds up replace, removal and destroy, with the commands that detach it', async () => {
    await start();
    await addDisk(NODE.talos, 'virtio3');
    const { design: wanted, observed } = await look();
    const replace = planCluster(wanted, observed, { replace: [NODE.name] });
    const destroy = planDestroy(wanted, observed, { deleteData: true });
    for (const plan of [replace, destroy]) {
      expect(plan.steps).toEqual([]);
      expect(plan.problems).toMatchObject([{ code: 'foreign-drive', node: NODE.name }]);
      expect(plan.problems[0]?.advice).toContain(`qm disk unlink ${NODE.talos} --idlist virtio3 --force 1`);
    }
    arena.use({ workers: 1 });
    const scaled = planCluster(design(arena.site.config), observed);
    expect(codes(scaled.problems)).toEqual(['foreign-drive']);
    expect(scaled.steps.some(({ kind }) => kind === 'destroy-talos-vm')).toBe(false);
  });

  it('does not hold up anything else', async () => {
    await start();
    await addDisk(NODE.data, 'scsi9');
    const { design: wanted, observed } = await look();
    expect(planCluster(wanted, observed).problems).toEqual([]);
  });
});

describe('destroy --delete-data', () => {
  it.each(['data-vm', 'single'] as const)('names every volume that goes (%s)', async (layout) => {
    await start(layout);
    const { design: wanted, observed } = await look();
    const lost = volumesLost(planDestroy(wanted, observed, { deleteData: true }));
    const ours = [...arena.marks.values()].filter(({ kind }) => kind === 'ours').map(({ was }) => was);
    expect([...lost].sort()).toEqual(ours.sort());
  });
});

describe('a running VM of a person that uses our volume', () => {
  it('is named by plan and status', async () => {
    const hand = await start();
    await hand.runTask(() => hand.createVm(HOST, 900, { name: 'curious', memory: 512 }));
    await hand.updateVm(HOST, 900, { set: { virtio1: volidOf('data') } });
    await hand.runTask(() => hand.startVm(HOST, 900));
    await arena.site.lab.clock.sleep(15_000);
    const { design: wanted, observed } = await look();
    const { problems } = planCluster(wanted, observed);
    expect(problems).toMatchObject([{ code: 'volume-used-elsewhere', node: NODE.name }]);
    expect(problems[0]?.message).toContain('VM 900 (curious)');
    const failed = foreignDiskConditions(wanted, observed).filter(({ state }) => state === 'failed');
    expect(failed).toMatchObject([{ name: 'no-foreign-user', subject: NODE.name }]);
  });
});

describe('was:', () => {
  const renamed = (line: string) => [...VOLUMES.slice(0, 1), line];

  it('cannot be taken out again for a new, empty disk', async () => {
    const hand = await start();
    arena.use({ volumes: renamed('notes: { type: disk, size: 1GiB, on: worker, was: logs }') });
    await arena.site.apply(hand);
    for (const line of [
      'notes: { type: disk, size: 1GiB, on: worker }',
      'papers: { type: disk, size: 1GiB, on: worker, was: notes }',
    ]) {
      arena.use({ volumes: renamed(line) });
      const { design: wanted, observed } = await look();
      const plan = planCluster(wanted, observed);
      expect(plan.steps).toEqual([]);
      expect(codes(plan.problems)).toEqual(['volume-renamed', 'volume-renamed']);
      expect(plan.problems[0]?.advice).toContain('was: logs');
    }
    arena.use({ volumes: renamed('papers: { type: disk, size: 1GiB, on: worker, was: logs }') });
    const { design: wanted, observed } = await look();
    expect(planCluster(wanted, observed).problems).toEqual([]);
  });
});

describe('a storage move', () => {
  const moved = () =>
    arena.use({ volumes: VOLUMES.map((line) => line.replace('on: worker', 'on: worker, storage: other')) });

  it.each([NODE.talos, NODE.data])('waits while VM %i has a snapshot, and stops nothing', async (vmid) => {
    const hand = await start();
    await hand.runTask(() => hand.createSnapshot(HOST, vmid, 'before'));
    moved();
    const { design: wanted, observed } = await look();
    const plan = planCluster(wanted, observed);
    expect(plan.problems).toMatchObject([{ code: 'drive-move', node: NODE.name }]);
    expect(plan.problems[0]?.advice).toContain(`qm delsnapshot ${vmid} before`);
    expect(plan.steps.filter(({ node }) => node === NODE.name)).toEqual([]);
  });

  it('waits for a backup, and for room', async () => {
    await start();
    const { vms, storages } = arena.db;
    const vm = vms.get(String(NODE.data));
    if (vm) vms.put(String(NODE.data), { ...vm, config: { ...vm.config, lock: 'backup' } });
    const other = storages.get('other');
    if (other) storages.put('other', { ...other, total: 2.5 * 1024 ** 3 });
    await arena.site.lab.clock.sleep(15_000);
    moved();
    const { design: wanted, observed } = await look();
    const messages = planCluster(wanted, observed).problems.map(({ message }) => message);
    expect(messages.some((message) => message.includes('locked by Proxmox (backup)'))).toBe(true);
    expect(messages.some((message) => message.includes('are free there'))).toBe(true);
  });
});

describe('volumes', () => {
  it('shows what is left over, with the command that removes it', async () => {
    const hand = await start();
    await addDisk(NODE.talos, 'scsi9');
    await hand.updateVm(HOST, NODE.talos, { delete: ['scsi9'] });
    const orphan = await hand.allocVolume('pve2', 'local-zfs', {
      vmid: NODE.data,
      filename: `vm-${NODE.data}-disk-0`,
      size: 1024 ** 3,
    });
    arena.use({ workers: 2, more: '' });
    const { design: wanted, observed } = await look();
    const listed = await hand.storageContent('pve2', 'local-zfs');
    const volumes = {
      ...observed.volumes,
      'pve2/local-zfs': completeList(
        Object.fromEntries(
          listed.map((one) => [one.volid, { volid: one.volid, size: one.size, format: one.format }]),
        ),
      ),
    };
    const rows = listVolumes(wanted, { ...observed, volumes }).filter(({ remove }) => remove !== undefined);
    expect(rows).toMatchObject([
      { state: 'unused', host: HOST, remove: `qm set ${NODE.talos} --delete unused0` },
      { state: 'orphan', host: 'pve2', volid: orphan, remove: `pvesm free ${orphan}` },
    ]);
  });

  it('delete is resumed after it was cut off, and only by itself', async () => {
    const hand = await start();
    arena.use({ volumes: VOLUMES.slice(0, 1) });
    await arena.site.apply(hand);
    // Cut off after the protection was taken off.
    await hand.updateVm(HOST, NODE.data, { set: { protection: 0 } });
    await arena.site.apply(hand);
    expect(arena.lost(new Set())).toEqual([]);
    const { design: wanted, observed } = await look();
    const plan = planVolumeDelete(wanted, observed, `${NODE.name}/logs`);
    await arena.site.apply(hand, { plan, scope: { mayLose: volumesLost(plan) } });
    expect(arena.lost(new Set())).toHaveLength(1);
    expect(arena.lost(arena.logs)).toEqual([]);
    const config = arena.db.vms.get(String(NODE.data))?.config ?? {};
    expect(config.protection).toBe('1');
    expect(Object.keys(config).filter((key) => key.startsWith('unused'))).toEqual([]);
  });

  it('adopt takes neither a system disk nor EPHEMERAL nor one that a copy doubles', async () => {
    const hand = await start();
    await hand.runTask(() => hand.stopVm(HOST, NODE.talos));
    const adopt = async (volid: string) => {
      const { design: wanted, observed } = await look();
      return planVolumeAdopt(wanted, observed, `${NODE.name}/data`, volid);
    };
    const system = arena.file(NODE.talos, 'scsi0');
    await expect(adopt(system)).rejects.toMatchObject({ code: 'volumes.not-data' });
    await expect(adopt(volidOf('ephemeral'))).rejects.toMatchObject({ code: 'volumes.not-data' });
    await expect(adopt(volidOf('logs'))).rejects.toMatchObject({ code: 'volumes.not-data' });
    await hand.runTask(() => hand.cloneVm(HOST, NODE.data, { newid: 777, full: true }));
    await arena.site.lab.clock.sleep(15_000);
    await expect(adopt(volidOf('data'))).rejects.toMatchObject({ code: 'volumes.copies' });
  });

  it('adopt asks where several volumes have lost their identity', async () => {
    const hand = await start();
    await hand.runTask(() => hand.stopVm(HOST, NODE.talos));
    const data = volidOf('data');
    await hand.updateVm(HOST, NODE.data, { set: { protection: 0 } });
    for (const name of ['data', 'logs']) {
      await hand.updateVm(HOST, NODE.talos, { delete: [arena.slotOf(NODE.talos, arena.wwnOf(name))] });
      await hand.updateVm(HOST, NODE.data, { delete: [slotOf(name)] });
    }
    const { design: wanted, observed } = await look();
    const { doubts } = planVolumeAdopt(wanted, observed, `${NODE.name}/data`, data);
    expect(doubts).toHaveLength(1);
  });
});
