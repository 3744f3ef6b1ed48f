/**
 * A cluster on a lab of its own in which every volume holds contents that no other has. Whatever a person does to the
 * VMs and whatever is run afterwards, contents that were not named in that run must still be there, unchanged.
 */

import type { ProxmoxConnection } from '../../../src/clients/proxmox/client.js';
import { DATA_TAG } from '../../../src/formats/marks/data-tag.js';
import { diskDrives } from '../../../src/formats/proxmox/vm-config.js';
import type { VolumeRecord } from '../../../src/lab/proxmox/db.js';
import { volumeId, writeVolume } from '../../../src/lab/proxmox/volumes.js';
import { worldOf } from '../../../src/session/lab/lab-world.js';
import { configOf, VmSite } from '../vm-site.js';

export type Layout = 'data-vm' | 'single';
export const LAYOUTS: readonly Layout[] = ['data-vm', 'single'];
/** One of each kind: block and file, of the host and shared. */
export const STORAGES = ['local-zfs', 'thin', 'files', 'share'] as const;
export type Storage = (typeof STORAGES)[number];

export const HOST = 'pve1';
/** The node that is attacked; it is the one that goes when the cluster shrinks. */
export const NODE = { name: 'work-2', talos: 152, data: 1520 } as const;

export interface FileOptions {
  readonly layout: Layout;
  readonly storage: Storage;
  readonly workers?: number;
  /** Lines below `volumes:`. */
  readonly volumes?: readonly string[];
  readonly cluster?: string;
  readonly vmid?: number;
  readonly more?: string;
}

export const VOLUMES = [
  'data: { type: disk, size: 2GiB, on: worker }',
  'logs: { type: disk, size: 1GiB, on: worker }',
];

export function fileOf(options: FileOptions): string {
  const { layout, storage, workers = 2, volumes = VOLUMES, cluster = 'name: small', vmid = 151 } = options;
  const lines = layout === 'single' ? ['spare: { type: directory }'] : volumes;
  return `cluster: { ${cluster}, vip: 10.20.30.40, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
hosts: { pve1: {}, pve2: {} }
defaults:
  all: { cores: 2, memory: 4GiB, disk: ${layout === 'single' ? '16GiB' : '6GiB'}, storage: ${storage}, layout: ${layout} }
nodes:
  cp: { role: controlplane, count: 1, hosts: [${HOST}], ip: 10.20.30.41, vmid: 141 }
  work: { role: worker, count: ${workers}, hosts: [${HOST}], ip: 10.20.30.51, vmid: ${vmid} }
volumes:
${[...lines, 'pv: { type: proxmox-csi, size: 1GiB, host: pve1, storage: local-zfs }'].map((line) => `  ${line}\n`).join('')}${options.more ?? ''}`;
}

/** What a volume was when its contents were written. */
interface Mark {
  readonly was: string;
  /** `ours`: kept data of the cluster; `thrown`: made to be thrown away; `foreign`: of a person. */
  readonly kind: 'ours' | 'thrown' | 'foreign';
}

export class Arena {
  readonly marks = new Map<string, Mark>();
  #number = 0;
  #built = false;

  private constructor(
    readonly site: VmSite,
    readonly hand: ProxmoxConnection,
    readonly options: FileOptions,
  ) {}

  static async build(options: FileOptions): Promise<Arena> {
    const config = configOf(fileOf(options));
    const world = worldOf(config);
    const disk = { content: ['images', 'rootdir'], nodes: [], total: 4_000 * 1024 ** 3 };
    const more = [
      { ...disk, id: 'thin', type: 'lvmthin' as const, shared: false },
      { ...disk, id: 'files', type: 'dir' as const, path: '/srv/files', shared: false },
      { ...disk, id: 'share', type: 'nfs' as const, path: '/mnt/pve/share', shared: true },
      { ...disk, id: 'other', type: 'zfspool' as const, pool: 'other', shared: false },
    ];
    const known = world.storages.filter(({ id }) => !more.some((storage) => storage.id === id));
    const site = await VmSite.start(config, { world: { ...world, storages: [...known, ...more] } });
    const arena = new Arena(site, site.connect(), options);
    const { result } = await site.apply(arena.hand);
    if (result.outcome !== 'done') throw new Error('the cluster was not built');
    arena.mark();
    const slot = arena.slotOf(NODE.data, arena.wwnOf('logs'));
    arena.logs = arena.contentsOf(slot === '' ? [] : [arena.file(NODE.data, slot)]);
    return arena;
  }

  get db() {
    return this.site.lab.proxmox.pve.db;
  }

  use(change: Partial<FileOptions>): void {
    this.site.use(fileOf({ ...this.options, ...change }));
  }

  /** The volume on a slot of a VM. */
  file(vmid: number, slot: string): string {
    const line = this.db.vms.get(String(vmid))?.config[slot] ?? '';
    return line.split(',')[0] ?? '';
  }

  wwnOf(name: string): string {
    const node = this.site.design.nodes.find((one) => one.name === NODE.name);
    return node?.drives.find((drive) => drive.name === name)?.wwn ?? '';
  }

  slotOf(vmid: number, wwn: string): string {
    const config = this.db.vms.get(String(vmid))?.config ?? {};
    return diskDrives(config).find((drive) => drive.wwn === wwn)?.slot ?? '';
  }

  /** Contents for every volume that has none, or only those of another one. */
  mark(): void {
    const seen = new Set<string>();
    for (const volume of [...this.db.volumes.values()]) {
      if (volume.content !== 'images') continue;
      const note = noteOf(volume);
      if (note !== undefined && this.marks.has(note) && !seen.has(note)) {
        seen.add(note);
        continue;
      }
      this.#number += 1;
      const made = `contents ${this.#number}`;
      const kind = this.#built ? 'foreign' : this.#kindOf(volume);
      this.marks.set(made, { was: volumeId(volume), kind });
      seen.add(made);
      writeVolume(this.site.lab.proxmox.pve, volume.host, volumeId(volume), { data: { note: made } });
    }
    this.#built = true;
  }

  #kindOf(volume: VolumeRecord): Mark['kind'] {
    const vm = this.db.vms.get(String(volume.owner));
    if (!vm) return 'ours';
    if (vm.config.tags?.split(';').includes(DATA_TAG)) return 'ours';
    const disks = diskDrives(vm.config).map((drive) => drive.file);
    return this.options.layout === 'single' && disks.includes(volumeId(volume)) ? 'ours' : 'thrown';
  }

  /** Contents of these volumes, as they are now. */
  contentsOf(volids: Iterable<string>): Set<string> {
    const wanted = new Set(volids);
    return new Set(
      [...this.db.volumes.values()].flatMap((volume) =>
        wanted.has(volumeId(volume)) ? (noteOf(volume) ?? []) : [],
      ),
    );
  }

  /** What was written to the volume `logs` of the node when it was made. */
  logs: ReadonlySet<string> = new Set();

  /** Contents that are gone or changed and should not be. */
  lost(named: ReadonlySet<string>): string[] {
    const there = new Set([...this.db.volumes.values()].flatMap((volume) => noteOf(volume) ?? []));
    return [...this.marks]
      .filter(([note, { kind }]) => !there.has(note) && kind !== 'thrown' && !named.has(note))
      .map(([note, { was, kind }]) => `${note} of ${was} (${kind})`);
  }

  async stop(): Promise<void> {
    await this.hand.close();
    await this.site.stop();
  }
}

function noteOf(volume: VolumeRecord): string | undefined {
  const note = volume.data.data?.note;
  return typeof note === 'string' ? note : undefined;
}
