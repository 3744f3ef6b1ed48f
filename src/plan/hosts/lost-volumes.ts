/** Which volumes are lost with a host: disks of its nodes, and what Kubernetes keeps on them. */

import type { Design, DriveDesign, NodeDesign } from '../../design/design.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { compareNaturally } from '../../model/natural-order.js';
import type { Observed } from '../../observe/observed.js';
import { visibleIn } from '../../observe/observed-lists.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { isGone } from '../drives/drive-problems.js';
import { removedVms } from '../facts/removed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import { type GoneNode, lostClaims } from './lost-claims.js';

/** By name. */
export function lostVolumes(
  design: Design,
  observed: Observed,
  host: string,
  nodes: readonly NodeDesign[],
): string[] {
  const ofNodes = nodes.flatMap((node) =>
    node.drives
      .filter((drive) => hasData(drive) && mayBeLost(drive, observed, host))
      .map((drive) => {
        const what = drive.kind === 'system' ? ' (its only disk, with /var)' : '';
        const doubt = isLost(node, drive, observed, host) ? '' : unlessFound(observed, drive.owner);
        return `${node.name}/${drive.name}${what}${doubt}`;
      }),
  );
  const removed = removedVms(design, observed).filter((vm) => vm.host === host);
  const lostWhole = removed
    .filter((vm) => vm.tags.includes(DATA_TAG) && !mayHaveSharedVolume(observed, vm.vmid))
    .map((vm) => ({ name: vm.name.replace(/-data$/, ''), vmid: vm.vmid }));
  const declared = design.csiVolumes
    .filter((volume) => volume.host === host && !isShared(observed, volume.storage))
    .map(({ name }) => name);
  const gone = [
    ...nodes.map((node) => goneNode(node, observed, host)),
    ...lostWhole.map(({ name }): GoneNode => ({ name, isLost: () => true })),
  ];
  const claims = lostClaims(observed, host, gone, (storage) => isShared(observed, storage));
  const parked = lostWhole.map(({ name, vmid }) => `${name}/* (all disks of data VM ${vmid})`);
  return [...new Set([...ofNodes, ...parked, ...declared, ...claims])].sort(compareNaturally);
}

/** A user volume is mounted under its name, everything else is in `/var`. */
function goneNode(node: NodeDesign, observed: Observed, host: string): GoneNode {
  const lost = node.drives.filter((drive) => mayBeLost(drive, observed, host));
  return {
    name: node.name,
    isLost: (path) => {
      if (path === undefined) return lost.some(hasData);
      const [, mounted] = /^\/var\/mnt\/([^/]+)/.exec(path) ?? [];
      const drive = node.drives.find(({ name, kind }) => kind === 'volume' && name === mounted);
      return lost.some((one) => one === (drive ?? mainDrive(node)));
    },
  };
}

/** With the layout `single`, the system disk is the data too. */
function hasData({ kept, kind }: DriveDesign): boolean {
  return kept || kind === 'system';
}

/** With `/var` on it. */
export function mainDrive({ drives }: NodeDesign): DriveDesign | undefined {
  return drives.find((drive) => drive.kind === 'ephemeral' || drive.kind === 'system');
}

/**
 * By the storage that oxherd.yaml names, while the config cannot be read; once it is on a host that is up, by what is
 * there.
 */
function mayBeLost(drive: DriveDesign, observed: Observed, host: string): boolean {
  const owner = visibleVm(observed, drive.owner);
  if (owner?.host === host) return !isShared(observed, drive.storage);
  const view = owner && vmView(owner);
  return view !== undefined && isGone({ observed }, view, drive);
}

/** No volume that could be it is on a storage that other hosts see. */
export function isLost(node: NodeDesign, drive: DriveDesign, observed: Observed, host: string): boolean {
  if (!mayBeLost(drive, observed, host)) return false;
  if (visibleVm(observed, drive.owner)?.host !== host) return true;
  const { found, unlisted } = sharedVolumes(observed, drive.owner);
  const { talosVm, drives } = node;
  const auxiliary = drive.owner === talosVm.vmid ? Object.values(talosVm.auxiliary) : [];
  const expected = [
    ...drives.filter(({ owner }) => owner === drive.owner),
    ...auxiliary.flatMap((one) => ('storage' in one ? [one] : [])),
  ].filter(({ storage }) => isShared(observed, storage));
  return unlisted.length === 0 && found.length <= expected.length;
}

function unlessFound(observed: Observed, owner: number): string {
  const { found, unlisted } = sharedVolumes(observed, owner);
  return found.length > 0
    ? ` (unless it is ${found.join(' or ')})`
    : ` (unless it is on ${unlisted.join(' or ')}, which cannot be listed)`;
}

/** Also one that oxherd.yaml no longer names; a storage that could not be listed may have one. */
export function mayHaveSharedVolume(observed: Observed, vmid: number): boolean {
  const { found, unlisted } = sharedVolumes(observed, vmid);
  return found.length > 0 || unlisted.length > 0;
}

/** Of the storages that a host that is up shares with others. */
function sharedVolumes(
  { volumes, storages, hosts }: Observed,
  vmid: number,
): { readonly found: readonly string[]; readonly unlisted: readonly string[] } {
  const shared = Object.entries(storages).filter(
    ([, { host, shared, content }]) => shared && content.includes('images') && hosts[host]?.online === true,
  );
  const listed = shared.flatMap(([place, { name }]) => {
    const listing = volumes[place];
    return listing && listing.unlisted === undefined ? [{ name, volumes: visibleIn(listing) }] : [];
  });
  const found = listed.flatMap((one) =>
    one.volumes.filter((volume) => volume.vmid === vmid).map(({ volid }) => volid),
  );
  const read = new Set(listed.map(({ name }) => name));
  const unlisted = shared.map(([, { name }]) => name).filter((name) => !read.has(name));
  return { found: [...new Set(found)].sort(), unlisted: [...new Set(unlisted)].sort() };
}

/** A storage that no host lists any more was the lost one's alone. */
export function isShared({ storages }: Observed, name: string): boolean {
  return Object.values(storages).some((storage) => storage.name === name && storage.shared);
}
