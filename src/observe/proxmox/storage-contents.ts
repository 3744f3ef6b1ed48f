/** What is in the storages that the cluster uses: one listing each. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { Design } from '../../design/design.js';
import { heldOn, type Permissions } from '../../formats/proxmox/permissions.js';
import { attempt } from '../attempt.js';
import { type Known, known, type Observed, type ObservedVolume, unknown } from '../observed.js';
import { completeList, shortened, unreadList } from '../observed-lists.js';

export function hostsInUse(design: Design, ours: readonly { node: string }[]): string[] {
  return [...new Set([...design.nodes.map((node) => node.host), ...ours.map((vm) => vm.node)])].sort();
}

/** Images and volumes: one listing per host and storage in use, one for all hosts where the storage is shared. */
export async function observeStorages(
  client: ProxmoxClient,
  design: Design,
  ours: readonly { node: string; vmid: number }[],
  { storages, permissions }: Pick<Observed, 'storages' | 'permissions'>,
  isOnline: (host: string) => boolean,
): Promise<Pick<Observed, 'images' | 'volumes'>> {
  const owners = [...ours, ...design.csiVolumes].map(({ vmid }) => vmid);
  const hosts = hostsInUse(design, ours);
  // A VM that was moved to a host that oxherd.yaml does not name gets its system disk from an image there.
  const imagePlaces = new Set(
    design.images.flatMap(({ host, storage }) => [
      `${host}/${storage}`,
      ...hosts.map((other) => `${other}/${storage}`).filter((place) => storages[place] !== undefined),
    ]),
  );
  const volumePlaces = new Set([
    ...hosts.flatMap((host) => storagesInUse(design).map((storage) => `${host}/${storage}`)),
    ...design.csiVolumes.map((volume) => `${volume.host}/${volume.storage}`),
    ...(ours.every((vm) => isOnline(vm.node)) ? [] : sharedPlaces(storages, isOnline)),
  ]);
  const listings = new Map<string, Promise<Known<Awaited<ReturnType<ProxmoxClient['storageContent']>>>>>();
  const list = (place: string) => {
    const storage = storages[place];
    if (!storage) return Promise.resolve(unknown<never>('the storage does not exist'));
    if (!isOnline(storage.host)) return Promise.resolve(unknown<never>(`host ${storage.host} is down`));
    const key = storage.shared ? storage.name : place;
    const listing = listings.get(key) ?? attempt(() => client.storageContent(storage.host, storage.name));
    listings.set(key, listing);
    return listing;
  };
  const [images, volumes] = await Promise.all([
    Promise.all(
      [...imagePlaces].sort().map(async (place) => {
        const listing = await list(place);
        const wanted = new Set(design.images.map((image) => image.volid));
        return [
          place,
          listing.known
            ? known(
                listing.value
                  .map((entry) => entry.volid)
                  .filter((volid) => wanted.has(volid))
                  .sort(),
              )
            : listing,
        ] as const;
      }),
    ),
    Promise.all(
      [...volumePlaces].sort().map(async (place) => {
        const listing = await list(place);
        if (!listing.known) return [place, unreadList<ObservedVolume>(listing.why)] as const;
        const disks = listing.value.filter((entry) => entry.content === 'images');
        const listed = completeList(
          Object.fromEntries(
            disks.map((entry): [string, ObservedVolume] => [
              entry.volid,
              {
                volid: entry.volid,
                size: entry.size,
                format: entry.format,
                ...(entry.vmid !== undefined && { vmid: entry.vmid }),
              },
            ]),
          ),
        );
        return [
          place,
          shortened(listed, hiddenVolumes(permissions, storages[place]?.name ?? '', owners)),
        ] as const;
      }),
    ),
  ]);
  return { images: Object.fromEntries(images), volumes: Object.fromEntries(volumes) };
}

/**
 * A storage leaves out volumes of VMs whose disks the token may not change, without a word (pve-storage,
 * `check_volume_access`). VMs that are to be created have no volumes yet.
 */
function hiddenVolumes(
  permissions: Known<Permissions>,
  storage: string,
  owners: readonly number[],
): string | undefined {
  if (!permissions.known) return `the token's rights could not be read: ${permissions.why}`;
  const held = heldOn(permissions.value, `/storage/${storage}`);
  if (held.has('Datastore.Allocate')) return undefined;
  if (!held.has('Datastore.Audit'))
    return `the token may not see every volume (Datastore.Audit on /storage/${storage})`;
  const hidden = owners.find((vmid) => !heldOn(permissions.value, `/vms/${vmid}`).has('VM.Config.Disk'));
  return hidden === undefined
    ? undefined
    : `the token may not see the volumes of VM ${hidden} (VM.Config.Disk on /vms/${hidden})`;
}

/**
 * The config of a VM on a host that is down cannot be read, and oxherd.yaml may name another storage by now: its volumes
 * are looked for on every storage that other hosts see.
 */
function sharedPlaces(storages: Observed['storages'], isOnline: (host: string) => boolean): string[] {
  return Object.entries(storages)
    .filter(([, { host, shared, content }]) => shared && content.includes('images') && isOnline(host))
    .map(([place]) => place);
}

function storagesInUse(design: Design): string[] {
  return [...new Set(design.nodes.flatMap((node) => node.drives.map((drive) => drive.storage)))].sort();
}
