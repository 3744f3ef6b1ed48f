/** Containers and paths use volumes too: what one of them names is not deleted, moved, or called free. */
import { afterEach, describe, expect, it } from 'vitest';
import { InterlockError, interlock } from '../../src/apply/interlock.js';
import { foreignDiskConditions } from '../../src/health/foreign-disks.js';
import type { ContainerRecord } from '../../src/lab/proxmox/db.js';
import { OxherdError } from '../../src/model/error.js';
import { observe } from '../../src/observe/observe.js';
import { planVolumeDelete } from '../../src/plan/drives/plan-volume-delete.js';
import type { Plan } from '../../src/plan/plan.js';
import { planDestroy } from '../../src/plan/plan-destroy.js';
import { Arena, HOST, NODE, VOLUMES } from '../support/attacks/arena.js';

const CONTAINER = 300;

let arena: Arena;
afterEach(() => arena.stop());

/** Slot of the volume `logs` on the data VM, whether the file still names it or not. */
let slot: string;
const logs = () => arena.file(NODE.data, slot);
const withoutLogs = { volumes: VOLUMES.filter((line) => !line.startsWith('logs')) };

async function build(): Promise<void> {
  arena = await Arena.build({ layout: 'data-vm', storage: 'files' });
  slot = arena.slotOf(NODE.data, arena.wwnOf('logs'));
}

/** The volume is parked: nothing of ours uses it but its data VM. */
async function parked(): Promise<void> {
  await build();
  arena.use(withoutLogs);
  expect((await arena.site.apply(arena.hand)).result.outcome).toBe('done');
}

function container(change: Partial<ContainerRecord>): void {
  arena.db.containers.put(String(CONTAINER), {
    vmid: CONTAINER,
    host: HOST,
    running: false,
    config: { hostname: 'files', rootfs: 'local-zfs:subvol-300-disk-0,size=8G' },
    ...change,
  });
}

async function problems(): Promise<string[]> {
  const { design } = arena.site;
  const observed = await observe(arena.hand, design);
  const said = (plan: () => Plan) => {
    try {
      return plan()
        .problems.map(({ message, advice }) => `${message}: ${advice}`)
        .join('\n');
    } catch (error) {
      if (!(error instanceof OxherdError)) throw error;
      return `${error.message}: ${error.advice}`;
    }
  };
  return [
    said(() => planVolumeDelete(design, observed, `${NODE.name}/logs`)),
    said(() => planDestroy(design, observed, { deleteData: true })),
  ];
}

const deleteLogs = () => {
  const volid = logs();
  const client = interlock(arena.hand, {
    cluster: arena.site.design.cluster,
    mayLose: new Set([volid]),
    names: ['logs'],
  });
  return client.updateVm(HOST, NODE.data, {
    delete: [slot],
    force: true,
  });
};

describe('a container that names our volume', () => {
  const ways: readonly [string, (volid: string) => Partial<ContainerRecord>, string][] = [
    ['as a mount point', (volid) => ({ config: { mp0: `${volid},mp=/data` } }), 'pct set 300 --delete mp0'],
    ['as its root', (volid) => ({ config: { rootfs: volid } }), 'pct set 300 --delete rootfs'],
    [
      'while it runs',
      (volid) => ({ running: true, config: { mp3: `volume=${volid},mp=/data,backup=0` } }),
      'pct stop 300 && pct set 300 --delete mp3',
    ],
    [
      'from its next start on',
      (volid) => ({ pending: { mp1: `${volid},mp=/data` } }),
      'pct set 300 --revert mp1',
    ],
    [
      'in a snapshot',
      (volid) => ({
        config: { rootfs: 'local-zfs:subvol-300-disk-0', parent: 'old' },
        snapshots: { old: { mp0: `${volid},mp=/data` } },
      }),
      'pct delsnapshot 300 old',
    ],
    [
      'by its path',
      (volid) => ({ config: { mp0: `/srv/files/images/${volid.replace(/^files:/, '')},mp=/data` } }),
      'pct set 300 --delete mp0',
    ],
  ];

  it('keeps it, however it names it', async () => {
    await parked();
    for (const [way, change, command] of ways) {
      container(change(logs()));
      for (const said of await problems()) {
        expect(said, way).toContain(`container ${CONTAINER}`);
        expect(said, way).toContain(command);
      }
      await expect(deleteLogs(), way).rejects.toThrow(InterlockError);
    }
    expect(arena.lost(new Set())).toEqual([]);
    // Without the container it goes.
    arena.db.containers.delete(String(CONTAINER));
    expect((await problems())[0]).toBe('');
    await arena.hand.updateVm(HOST, NODE.data, { set: { protection: 0 } });
    await deleteLogs();
    expect(arena.lost(new Set())).toHaveLength(1);
  });

  it('keeps it from moving, and while it runs the node from starting', async () => {
    await build();
    const { hand, site } = arena;
    container({ running: true, config: { mp0: `${logs()},mp=/data` } });
    const observed = await observe(hand, site.design);
    const failed = foreignDiskConditions(site.design, observed).filter(({ state }) => state === 'failed');
    expect(failed).toMatchObject([{ name: 'no-foreign-user', subject: NODE.name }]);
    await hand.runTask(() => hand.stopVm(HOST, NODE.talos));
    const guarded = interlock(hand, { cluster: site.design.cluster });
    await expect(guarded.startVm(HOST, NODE.talos)).rejects.toThrow(/container 300 \(mp0\) runs/);
    await hand.updateVm(HOST, NODE.talos, { delete: [arena.slotOf(NODE.talos, arena.wwnOf('logs'))] });
    await expect(guarded.moveDisk(HOST, NODE.data, { disk: slot, storage: 'other' })).rejects.toThrow(
      /container 300 \(mp0\) still names/,
    );
    await expect(guarded.migrateVm(HOST, NODE.data, { target: 'pve2' })).rejects.toThrow(InterlockError);
    container({ running: false, config: { mp0: `${logs()},mp=/data` } });
    await hand.updateVm(HOST, NODE.talos, { set: { scsi3: logs() } });
    await guarded.runTask(() => guarded.startVm(HOST, NODE.talos));
  });

  it('on one of the ids of oxherd.yaml is said, and nothing of it is changed', async () => {
    await build();
    arena.db.containers.put('153', { vmid: 153, host: HOST, running: true, config: { hostname: 'theirs' } });
    arena.use({ workers: 3 });
    const plan = await arena.site.plan(arena.hand);
    expect(plan.problems.map(({ message }) => message).join('\n')).toContain('153');
    expect(plan.steps.filter(({ node }) => node === 'work-3')).toEqual([]);
  });
});

describe('a VM of a person that names our volume by its path', () => {
  it.each(['virtio2', 'args'])('as %s keeps it', async (key) => {
    await parked();
    const path = `/srv/files/images/${logs().replace(/^files:/, '')}`;
    await arena.hand.runTask(() => arena.hand.createVm(HOST, 900, { name: 'curious', memory: 512 }));
    const vm = arena.db.vms.get('900');
    if (!vm) throw new Error('no VM 900');
    const line = key === 'args' ? `-drive file=${path},format=raw` : path;
    arena.db.vms.put('900', { ...vm, config: { ...vm.config, [key]: line } });
    for (const said of await problems()) {
      expect(said).toContain('VM 900');
      expect(said).toContain(`qm set 900 --delete ${key}`);
    }
    await expect(deleteLogs()).rejects.toThrow(InterlockError);
  });
});

describe('a VM of a person that names our volume by another storage', () => {
  async function named(storage: { readonly id: string; readonly path: string }): Promise<string> {
    await parked();
    const files = arena.db.storages.get('files');
    if (!files) throw new Error('no storage files');
    arena.db.storages.put(storage.id, { ...files, ...storage });
    await arena.hand.runTask(() => arena.hand.createVm(HOST, 900, { name: 'curious', memory: 512 }));
    const vm = arena.db.vms.get('900');
    if (!vm) throw new Error('no VM 900');
    const volid = logs().replace(/^files:/, `${storage.id}:`);
    arena.db.vms.put('900', { ...vm, config: { ...vm.config, virtio2: `${volid},size=1G` } });
    return volid;
  }

  it('keeps it where both may keep their volumes at one place', async () => {
    const volid = await named({ id: 'again', path: '/srv/files' });
    for (const said of await problems()) {
      expect(said).toContain('VM 900');
      expect(said).toContain(volid);
    }
    await expect(deleteLogs()).rejects.toThrow(/VM 900 \(virtio2\) names/);
    expect(arena.lost(new Set())).toEqual([]);
  });

  it('does not hold up the interlock where it is another volume at another place', async () => {
    const volid = await named({ id: 'elsewhere', path: '/srv/elsewhere' });
    const name = volid.slice(volid.lastIndexOf('/') + 1);
    await arena.hand.allocVolume(HOST, 'elsewhere', { vmid: NODE.data, filename: name, size: 2 ** 30 });
    await arena.hand.updateVm(HOST, NODE.data, { set: { protection: 0 } });
    await deleteLogs();
    expect(arena.lost(new Set())).toHaveLength(1);
  });
});
