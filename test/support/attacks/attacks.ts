/** What people, tools and mistakes do to the VMs of a cluster, by hand and past oxherd. */
import { clusterTag, legacyTag } from '../../../src/formats/marks/cluster-names.js';
import { DATA_TAG } from '../../../src/formats/marks/data-tag.js';
import { type Arena, HOST, type Layout, NODE } from './arena.js';
import type { OperationName } from './operations.js';

export interface Attack {
  readonly name: string;
  /** The same on each of these slots; absent: it concerns none. */
  readonly slots?: readonly string[];
  readonly layouts?: readonly Layout[];
  readonly operations: readonly OperationName[];
  /** By hand, on the arena; may fail where Proxmox refuses it. */
  readonly run: (arena: Arena, slot: string) => Promise<unknown>;
}

/** One of each bus. */
const BUSES = ['scsi9', 'virtio3', 'sata2', 'ide1'];
const ALL_SLOTS = [...BUSES, 'unused0', 'efidisk0', 'tpmstate0'];
const GOING: readonly OperationName[] = ['scale in', 'destroy', 'delete data'];
const ANY: readonly OperationName[] = ['apply', ...GOING];
const STRANGER = 900;
const TWO: readonly Layout[] = ['data-vm'];

const talosOrData = (arena: Arena) => (arena.options.layout === 'single' ? NODE.talos : NODE.data);

/** Volumes are files there, and their names say of which kind. */
const isFiles = ({ options }: Pick<Arena, 'options'>) =>
  options.storage === 'files' || options.storage === 'share';

/** A container of a person, which mounts a volume. */
function container({ db }: Arena, config: Record<string, string>, running = false): void {
  const rootfs = 'local-zfs:subvol-300-disk-0';
  db.containers.put('300', { vmid: 300, host: HOST, running, config: { rootfs, ...config } });
}

/** Where a volume is on its host. */
function pathOf({ options }: Arena, volid: string): string {
  const name = volid.replace(/^[^:]+:/, '');
  if (options.storage === 'files') return `/srv/files/images/${name}`;
  if (options.storage === 'share') return `/mnt/pve/share/images/${name}`;
  return options.storage === 'thin' ? `/dev/pve/${name}` : `/dev/zvol/rpool/data/${name}`;
}

async function stop({ hand }: Arena, vmid: number): Promise<void> {
  await hand.runTask(() => hand.stopVm(HOST, vmid));
}

async function stranger(arena: Arena, params: Record<string, string | number> = {}): Promise<void> {
  const { hand, options } = arena;
  await hand.runTask(() =>
    hand.createVm(HOST, STRANGER, {
      name: 'stranger',
      memory: 512,
      scsi0: `${options.storage}:1`,
      ...params,
    }),
  );
}

async function set(arena: Arena, vmid: number, values: Record<string, string | number>): Promise<void> {
  await arena.hand.runTask(() => arena.hand.updateVmTask(HOST, vmid, { set: values }));
}

async function describe(arena: Arena, vmid: number, change: (text: string) => string): Promise<void> {
  const { description = '' } = (await arena.hand.vmConfig(HOST, vmid)).values;
  await set(arena, vmid, { description: change(description) });
}

/** A new volume on a slot of a VM; on `unusedN` through a slot that it is taken from. */
async function addDisk(arena: Arena, vmid: number, slot: string, size = 1): Promise<void> {
  const { hand, options } = arena;
  if (slot.startsWith('unused')) {
    await set(arena, vmid, { scsi29: `${options.storage}:${size}` });
    await set(arena, vmid, { protection: 0 });
    await hand.updateVm(HOST, vmid, { delete: ['scsi29'] });
    return;
  }
  // These buses know no hot-plug: the disk would only wait.
  if (/^(sata|ide)/.test(slot)) await stop(arena, NODE.talos).catch(() => undefined);
  if (slot === 'efidisk0') await hand.updateVm(HOST, vmid, { delete: ['efidisk0'] }).catch(() => undefined);
  await set(arena, vmid, { [slot]: `${options.storage}:${slot === 'tpmstate0' ? '1,version=v2.0' : size}` });
}

/** A volume of the node that outlives its VMs, on the VM that owns it. */
function keptSlot(arena: Arena): { vmid: number; slot: string; volid: string; wwn: string } {
  const single = arena.options.layout === 'single';
  const vmid = talosOrData(arena);
  const wwn = arena.wwnOf(single ? 'os' : 'data');
  const slot = arena.slotOf(vmid, wwn);
  return { vmid, slot, wwn, volid: arena.file(vmid, slot) };
}

const logsSlot = (arena: Arena) => arena.slotOf(NODE.data, arena.wwnOf('logs'));

async function detachKept(arena: Arena): Promise<void> {
  const { hand } = arena;
  await stop(arena, NODE.talos).catch(() => undefined);
  await hand.updateVm(HOST, NODE.data, { set: { protection: 0 } });
  await hand.updateVm(HOST, NODE.data, { delete: [keptSlot(arena).slot] });
}

const foreignDisks: readonly Attack[] = [
  {
    name: 'a disk of a person on the Talos VM',
    slots: ALL_SLOTS,
    operations: ANY,
    run: (arena, slot) => addDisk(arena, NODE.talos, slot),
  },
  {
    name: 'a disk of a person on the data VM',
    slots: ALL_SLOTS,
    layouts: TWO,
    operations: [...ANY, 'delete logs', 'adopt anything'],
    run: (arena, slot) => addDisk(arena, NODE.data, slot),
  },
  {
    name: 'a disk of a person behind a CD-ROM tray',
    slots: ['ide1', 'ide3', 'sata4'],
    operations: GOING,
    run: async (arena, slot) => {
      await addDisk(arena, NODE.talos, slot);
      await set(arena, NODE.talos, { [slot]: `${arena.file(NODE.talos, slot)},media=cdrom` });
    },
  },
  {
    name: 'a disk with the WWN of the CSI driver that the Talos VM owns',
    slots: ['scsi9', 'sata2'],
    operations: GOING,
    run: async (arena, slot) =>
      set(arena, NODE.talos, { [slot]: `${arena.options.storage}:1,wwn=0x5056432d49443031` }),
  },
  {
    name: 'a disk with the WWN of another cluster on one of our VMs',
    slots: ['scsi9', 'sata2', 'ide1'],
    operations: [...ANY, 'delete logs'],
    run: async (arena, slot) =>
      set(arena, talosOrData(arena), { [slot]: `${arena.options.storage}:1,wwn=0x3123456789abcdef` }),
  },
  {
    name: 'a volume of another VM on ours',
    slots: BUSES,
    operations: GOING,
    run: async (arena, slot) => {
      await stranger(arena, { scsi5: `${arena.options.storage}:1` });
      await set(arena, NODE.talos, { [slot]: arena.file(STRANGER, 'scsi5') });
    },
  },
  {
    name: 'a disk that waits for the next start',
    slots: BUSES,
    operations: GOING,
    run: async (arena, slot) => {
      await set(arena, NODE.talos, { hotplug: '0' });
      await set(arena, NODE.talos, { [slot]: `${arena.options.storage}:1` });
    },
  },
  {
    name: 'a large disk in place of the EFI variables',
    operations: GOING,
    run: async (arena) => {
      await addDisk(arena, NODE.talos, 'scsi9', 100);
      const file = arena.file(NODE.talos, 'scsi9');
      await set(arena, NODE.talos, { efidisk0: `${file},size=100G` });
    },
  },
  {
    name: 'a disk of a person that is called like the cloud-init drive',
    slots: ['ide0', 'ide2'],
    operations: GOING,
    run: async (arena, slot) => {
      // The one that oxherd made goes first: its name is needed.
      await stop(arena, NODE.talos);
      await arena.hand.updateVm(HOST, NODE.talos, { delete: ['ide0', 'ide2'] }).catch(() => undefined);
      const file = isFiles(arena) ? `vm-${NODE.talos}-cloudinit.raw` : `vm-${NODE.talos}-cloudinit`;
      const volid = await arena.hand.allocVolume(HOST, arena.options.storage, {
        vmid: NODE.talos,
        filename: file,
        size: 5 * 1024 ** 3,
        format: 'raw',
      });
      await set(arena, NODE.talos, { [slot]: `${volid},media=cdrom` });
    },
  },
  {
    name: 'a volume with our id in its name that no config names',
    operations: [...ANY, 'delete logs'],
    run: ({ hand, options }) =>
      hand.allocVolume(HOST, options.storage, {
        vmid: NODE.talos,
        filename: isFiles({ options }) ? `vm-${NODE.talos}-disk-77.raw` : `vm-${NODE.talos}-disk-77`,
        size: 1024 ** 3,
        format: 'raw',
      }),
  },
];

const users: readonly Attack[] = [
  {
    name: 'a running VM of a person uses our volume',
    slots: BUSES,
    operations: ['apply', 'scale in', 'destroy', 'move', 'delete logs'],
    run: async (arena, slot) => {
      await stranger(arena);
      await set(arena, STRANGER, { [slot]: keptSlot(arena).volid });
      await arena.hand.runTask(() => arena.hand.startVm(HOST, STRANGER));
    },
  },
  {
    name: 'a VM of a person that is off uses the volume to be deleted',
    slots: BUSES,
    layouts: TWO,
    operations: ['delete logs', 'move', 'apply'],
    run: async (arena, slot) => {
      await stranger(arena);
      await set(arena, STRANGER, { [slot]: arena.file(NODE.data, logsSlot(arena)) });
    },
  },
  ...[false, true].map(
    (running): Attack => ({
      name: `a container of a person that ${running ? 'runs' : 'is off'} mounts our volume`,
      slots: ['rootfs', 'mp0', 'unused1'],
      operations: ['apply', 'scale in', 'destroy', 'move'],
      run: async (arena, slot) => container(arena, { [slot]: `${keptSlot(arena).volid},mp=/data` }, running),
    }),
  ),
  {
    name: 'a container of a person holds our volume in a snapshot',
    operations: ['apply', 'destroy', 'move'],
    run: async (arena) => {
      container(arena, { parent: 'old' });
      const there = arena.db.containers.get('300');
      const snapshots = { old: { mp0: `${keptSlot(arena).volid},mp=/data` } };
      if (there) arena.db.containers.put('300', { ...there, snapshots });
    },
  },
  {
    name: 'a VM of a person uses our volume by its path',
    slots: [...BUSES, 'args'],
    operations: ['apply', 'scale in', 'destroy', 'move'],
    run: async (arena, slot) => {
      await stranger(arena);
      const vm = arena.db.vms.get(String(STRANGER));
      const path = pathOf(arena, keptSlot(arena).volid);
      const line = slot === 'args' ? `-drive file=${path},format=raw` : path;
      if (vm) arena.db.vms.put(String(STRANGER), { ...vm, config: { ...vm.config, [slot]: line } });
    },
  },
  {
    name: 'the disks of two nodes are crossed',
    layouts: TWO,
    operations: ANY,
    run: async (arena) => {
      const wwn = arena.site.design.nodes.find(({ name }) => name === 'work-1')?.drives[2]?.wwn ?? '';
      const other = arena.file(1510, arena.slotOf(1510, wwn));
      await set(arena, NODE.talos, { scsi12: `${other},wwn=${wwn}` });
    },
  },
  {
    name: 'one volume on two slots of its VM',
    slots: ['scsi11', 'sata1', 'virtio2'],
    operations: ANY,
    run: async (arena, slot) => set(arena, NODE.talos, { [slot]: keptSlot(arena).volid }),
  },
];

const identities: readonly Attack[] = [
  {
    name: 'our disk detached by hand',
    layouts: TWO,
    operations: [...ANY, 'delete logs', 'adopt anything', 'park'],
    run: (arena) => detachKept(arena),
  },
  {
    name: 'the WWN taken off our disk',
    operations: [...ANY, 'adopt anything'],
    run: async (arena) => {
      const { vmid, slot, volid } = keptSlot(arena);
      await stop(arena, NODE.talos);
      await set(arena, vmid, { [slot]: volid });
    },
  },
  {
    name: 'the WWNs of two disks exchanged',
    layouts: TWO,
    operations: [...ANY, 'park', 'move'],
    run: async (arena) => {
      const [a, b] = [keptSlot(arena), { slot: logsSlot(arena), wwn: arena.wwnOf('logs') }];
      await set(arena, NODE.data, {
        [a.slot]: `${a.volid},wwn=${b.wwn}`,
        [b.slot]: `${arena.file(NODE.data, b.slot)},wwn=${a.wwn}`,
      });
    },
  },
  {
    name: 'the names of two volumes exchanged in the description',
    layouts: TWO,
    operations: [...ANY, 'delete logs', 'delete logs, then apply'],
    run: (arena) =>
      describe(arena, NODE.data, (text) =>
        text.replace(
          /^(volume \S+) (data|logs)$/gm,
          (_, line, name) => `${line} ${name === 'data' ? 'logs' : 'data'}`,
        ),
      ),
  },
  {
    name: 'every name of a volume in the description is another',
    layouts: TWO,
    operations: [...ANY, 'delete logs'],
    run: (arena) => describe(arena, NODE.data, (text) => text.replace(/^(volume \S+) \S+$/gm, '$1 logs')),
  },
  {
    name: 'a line says that a volume is being deleted',
    layouts: TWO,
    operations: [...ANY, 'park', 'delete logs'],
    run: async (arena) => {
      const { wwn, volid } = keptSlot(arena);
      await describe(arena, NODE.data, (text) => `${text}\ndeleting ${wwn} ${volid}`);
    },
  },
  {
    name: 'a line says that a detached volume is being deleted',
    layouts: TWO,
    operations: [...ANY, 'delete logs'],
    run: async (arena) => {
      const { wwn, volid } = keptSlot(arena);
      await detachKept(arena);
      await describe(
        arena,
        NODE.data,
        (text) => `${text}\ndeleting ${wwn} ${volid}\ndeleting ${arena.wwnOf('logs')} ${volid}`,
      );
    },
  },
  {
    name: 'the description is gone',
    operations: [...ANY, 'delete logs'],
    run: (arena) => describe(arena, talosOrData(arena), () => 'mine'),
  },
  {
    name: 'our tag is gone',
    operations: ANY,
    run: (arena) => set(arena, talosOrData(arena), { tags: 'mine' }),
  },
  {
    name: 'the tag of data VMs is gone',
    layouts: TWO,
    operations: ANY,
    run: (arena) => set(arena, NODE.data, { tags: clusterTag(arena.site.config.cluster) }),
  },
  {
    name: 'the tag of data VMs on a Talos VM',
    operations: ANY,
    run: (arena) => set(arena, NODE.talos, { tags: `${clusterTag(arena.site.config.cluster)};${DATA_TAG}` }),
  },
  {
    name: 'our disk given to another VM',
    layouts: TWO,
    operations: [...ANY, 'delete logs'],
    run: async (arena) => {
      await stranger(arena);
      await stop(arena, NODE.talos);
      await arena.hand.runTask(() =>
        arena.hand.moveDisk(HOST, NODE.data, {
          disk: keptSlot(arena).slot,
          targetVmid: STRANGER,
          targetDisk: 'scsi7',
        }),
      );
    },
  },
  {
    name: 'our disk on another bus',
    slots: ['sata3', 'ide1'],
    layouts: TWO,
    operations: [...ANY, 'move', 'delete logs'],
    run: async (arena, slot) => {
      const { volid, wwn } = keptSlot(arena);
      await detachKept(arena);
      await set(arena, NODE.data, { [slot]: `${volid},wwn=${wwn}` });
    },
  },
];

const copies: readonly Attack[] = [
  ...[NODE.talos, NODE.data].map(
    (vmid): Attack => ({
      name: `a clone of VM ${vmid} with its tags`,
      ...(vmid === NODE.data && { layouts: TWO }),
      operations: [...ANY, 'adopt anything', 'delete logs'],
      run: async (arena) => {
        await stop(arena, NODE.talos);
        await arena.hand.runTask(() => arena.hand.cloneVm(HOST, vmid, { newid: vmid + 700, full: true }));
      },
    }),
  ),
  {
    name: 'a clone that stands on the id of a node that is gone',
    layouts: TWO,
    operations: ['scale in', 'destroy', 'delete data', 'apply'],
    run: async (arena) => {
      await stop(arena, NODE.talos);
      await arena.hand.runTask(() => arena.hand.cloneVm(HOST, NODE.talos, { newid: 153, full: true }));
      await arena.hand.runTask(() => arena.hand.cloneVm(HOST, NODE.data, { newid: 1530, full: true }));
    },
  },
  {
    name: 'a clone without tags that has our identity',
    layouts: TWO,
    operations: [...ANY, 'adopt anything'],
    run: async (arena) => {
      await stop(arena, NODE.talos);
      await arena.hand.runTask(() => arena.hand.cloneVm(HOST, NODE.data, { newid: 777, full: true }));
      await set(arena, 777, { tags: 'mine' });
    },
  },
  {
    name: 'a linked clone of a template of our VM',
    operations: [...ANY, 'delete logs', 'move'],
    run: async (arena) => {
      await stop(arena, NODE.talos);
      await arena.hand.runTask(() => arena.hand.makeTemplate(HOST, talosOrData(arena)));
      await arena.hand.runTask(() =>
        arena.hand.cloneVm(HOST, talosOrData(arena), { newid: 778, full: false }),
      );
    },
  },
  {
    name: 'a container that stands on one of our ids',
    operations: ['scale in and out', 'apply'],
    run: async (arena) => {
      const config = { rootfs: 'local-zfs:subvol-153-disk-0', tags: clusterTag(arena.site.config.cluster) };
      arena.db.containers.put('153', { vmid: 153, host: HOST, running: true, config });
    },
  },
  {
    name: 'a template of our VM',
    operations: ANY,
    run: async (arena) => {
      await stop(arena, NODE.talos);
      await arena.hand.runTask(() => arena.hand.makeTemplate(HOST, talosOrData(arena)));
    },
  },
  {
    name: 'a restore that gave our disk to the Talos VM',
    layouts: TWO,
    operations: [...ANY, 'park'],
    run: async (arena) => {
      const { slot, wwn } = keptSlot(arena);
      await detachKept(arena);
      await arena.hand.updateVm(HOST, NODE.talos, { delete: [arena.slotOf(NODE.talos, wwn)] });
      await set(arena, NODE.talos, { [slot]: `${arena.options.storage}:2,wwn=${wwn}` });
    },
  },
  {
    name: 'a VM of a person with our tag',
    slots: BUSES,
    operations: [...ANY, 'other cluster, delete data'],
    run: async (arena, slot) => {
      const tags = clusterTag(arena.site.config.cluster);
      await stranger(arena, { tags, [slot]: `${arena.options.storage}:1` });
    },
  },
  {
    name: 'a VM of a person with our old tag and the tag of data VMs',
    slots: BUSES,
    operations: ANY,
    run: async (arena, slot) => {
      const tags = `${legacyTag(arena.site.config.cluster)};${DATA_TAG}`;
      await stranger(arena, { tags, [slot]: `${arena.options.storage}:1` });
    },
  },
  {
    name: 'a VM of a person with our tag and our uuid',
    slots: BUSES,
    operations: ANY,
    run: async (arena, slot) => {
      const { tags = '', smbios1 = '' } = arena.db.vms.get(String(NODE.talos))?.config ?? {};
      await stranger(arena, { tags, smbios1, [slot]: `${arena.options.storage}:1` });
    },
  },
];

const states: readonly Attack[] = [
  ...(['talos', 'data'] as const).map(
    (which): Attack => ({
      name: `a snapshot of the ${which === 'talos' ? 'Talos' : 'data'} VM`,
      ...(which === 'data' && { layouts: TWO }),
      operations: [...ANY, 'move', 'delete logs'],
      run: (arena) => arena.hand.runTask(() => arena.hand.createSnapshot(HOST, NODE[which], 'before')),
    }),
  ),
  {
    name: 'a snapshot that holds a disk which is detached by now',
    slots: BUSES,
    operations: GOING,
    run: async (arena, slot) => {
      await addDisk(arena, NODE.talos, slot);
      await arena.hand.runTask(() => arena.hand.createSnapshot(HOST, NODE.talos, 'before'));
      await arena.hand.updateVm(HOST, NODE.talos, { delete: [slot] });
    },
  },
  ...['backup', 'migrate', 'snapshot-delete'].map(
    (lock): Attack => ({
      name: `a lock (${lock}) on the VM that has the data`,
      operations: ['move', 'scale in', 'delete logs', 'destroy'],
      run: async (arena) => {
        const key = String(talosOrData(arena));
        const vm = arena.db.vms.get(key);
        if (vm) arena.db.vms.put(key, { ...vm, config: { ...vm.config, lock } });
      },
    }),
  ),
  ...(['talos', 'data'] as const).map(
    (which): Attack => ({
      name: `a replication job of the ${which === 'talos' ? 'Talos' : 'data'} VM`,
      ...(which === 'data' && { layouts: TWO }),
      operations: [...GOING, 'move'],
      run: async ({ db }) => {
        const id = `${NODE[which]}-0`;
        db.replicationJobs.put(id, { id, guest: NODE[which], jobnum: 0, target: 'pve2', options: {} });
      },
    }),
  ),
  {
    name: 'a storage that is switched off',
    operations: [...ANY, 'park', 'delete logs'],
    run: async ({ db, options }) => {
      const storage = db.storages.get(options.storage);
      if (storage) db.storages.put(options.storage, { ...storage, disable: true });
    },
  },
  {
    name: 'the protection of the data VM is off',
    layouts: TWO,
    operations: [...ANY, 'park', 'delete logs'],
    run: (arena) => set(arena, NODE.data, { protection: 0 }),
  },
  {
    name: 'the Talos VM is gone',
    layouts: TWO,
    operations: [...ANY, 'delete logs'],
    run: async (arena) => {
      await stop(arena, NODE.talos);
      await arena.hand.runTask(() => arena.hand.destroyVm(HOST, NODE.talos));
    },
  },
  {
    name: 'a removal of our disk waits for the next start',
    layouts: TWO,
    operations: [...ANY, 'park'],
    run: async (arena) => {
      await set(arena, NODE.talos, { hotplug: '0' });
      await arena.hand.updateVm(HOST, NODE.talos, {
        delete: [arena.slotOf(NODE.talos, arena.wwnOf('data'))],
      });
    },
  },
  {
    name: 'a VM of a person uses the CSI volume',
    slots: BUSES,
    operations: GOING,
    run: async (arena, slot) => {
      const volume = [...arena.db.volumes.values()].find(({ path }) => path.includes('pv'));
      await stranger(arena);
      await set(arena, STRANGER, { [slot]: `${volume?.storage}:${volume?.path}` });
    },
  },
  {
    name: 'nothing at all',
    operations: [
      ...ANY,
      'scale in and out',
      'park',
      'rename',
      'move',
      'delete logs',
      'delete logs, then apply',
      'adopt anything',
      'other cluster, apply',
      'other cluster, delete data',
    ],
    run: async () => undefined,
  },
];

export const ATTACKS = {
  disks: [...foreignDisks, ...users],
  identities,
  copies,
  states,
} as const satisfies Record<string, readonly Attack[]>;

export type AttackGroup = keyof typeof ATTACKS;
