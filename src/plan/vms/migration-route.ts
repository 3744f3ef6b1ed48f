/** The volumes of a VM that go along when it moves to another host, and where they can go. */
import type { NodeDesign } from '../../design/design.js';
import { ownerOfVolume, storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { Drive } from '../../formats/proxmox/property-string.js';
import { bytes, formatSize } from '../../model/size.js';
import type { Observed } from '../../observe/observed.js';
import { actualSize } from '../facts/drive-facts.js';
import type { VmView } from '../facts/view-of-vm.js';

interface VolumeLine {
  readonly key: string;
  readonly drive: Drive;
  readonly shared: boolean;
  readonly cloudInit: boolean;
  /** A CD-ROM with an image in it. */
  readonly image: boolean;
}

/** Every line that names a volume. */
export function volumeLines(view: VmView, observed: Observed): VolumeLine[] {
  return view.all
    .filter((drive) => drive.volid !== undefined)
    .map((drive) => ({
      key: drive.slot,
      drive,
      shared: observed.storages[`${view.vm.host}/${storageOfVolume(drive.file)}`]?.shared === true,
      cloudInit: drive.role === 'cloudinit',
      image: drive.role === 'cdrom',
    }));
}

export interface Route {
  /** Storage → storage there, where the name changes. */
  readonly storages: Readonly<Record<string, string>>;
  /** Bytes by storage there. */
  readonly copies: Readonly<Record<string, number>>;
  /** Storages for which there is no place on the other host. */
  readonly stranded: readonly string[];
}

/** Proxmox maps storages, not volumes: all of one storage go to one place. */
export function migrationRoute(view: VmView, node: NodeDesign, observed: Observed, to: string): Route {
  const own = volumeLines(view, observed).filter(
    (line) => !line.shared && !line.image && ownerOfVolume(line.drive.file) === view.vm.vmid,
  );
  const storages: Record<string, string> = {};
  const copies: Record<string, number> = {};
  const stranded = new Set<string>();
  for (const { drive } of own) {
    const storage = storageOfVolume(drive.file);
    const there = placeFor(storage, view, node, observed, to);
    if (there === undefined) {
      stranded.add(storage);
      continue;
    }
    if (there !== storage) storages[storage] = there;
    const size = actualSize(observed.volumes, view.vm.host, drive.file) ?? drive.size ?? 0;
    copies[there] = (copies[there] ?? 0) + size;
  }
  return { storages, copies, stranded: [...stranded].sort() };
}

/** Under the same name where the other host has it; else where oxherd.yaml wants all of its disks. */
function placeFor(
  storage: string,
  view: VmView,
  node: NodeDesign,
  observed: Observed,
  to: string,
): string | undefined {
  const takesDisks = (name: string) =>
    observed.storages[`${to}/${name}`]?.content.includes('images') === true;
  if (takesDisks(storage)) return storage;
  const wanted = new Set(
    view.drives
      .filter((drive) => storageOfVolume(drive.file) === storage)
      .map((drive) => node.drives.find((one) => one.wwn === drive.wwn)?.storage ?? storage),
  );
  const [only] = wanted;
  return wanted.size === 1 && only !== undefined && takesDisks(only) ? only : undefined;
}

interface LackOfSpace {
  readonly storage: string;
  readonly why: string;
}

/** A storage that does not say how large it is takes everything. */
export function lacksOfSpace(
  { storages }: Pick<Observed, 'storages'>,
  host: string,
  /** Of all VMs of a node: bytes by storage there. */
  copies: readonly Readonly<Record<string, number>>[],
  /** Bytes that others take there before. */
  promised: (storage: string) => number,
): LackOfSpace[] {
  const needed = new Map<string, number>();
  for (const [storage, size] of copies.flatMap((one) => Object.entries(one)))
    needed.set(storage, (needed.get(storage) ?? 0) + size);
  return [...needed].flatMap(([storage, size]) => {
    const { total, used } = storages[`${host}/${storage}`] ?? {};
    if (total === undefined || used === undefined) return [];
    const free = Math.max(0, total - used - promised(storage));
    if (size <= free) return [];
    const why = `its disks need ${formatSize(bytes(size))} on ${storage}, and ${formatSize(bytes(free))} are free there`;
    return [{ storage, why }];
  });
}
