/** Which volumes are lost with a host: disks of its nodes, and what Kubernetes keeps on them. */
import type { Design, DriveDesign, NodeDesign } from '../../design/design.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { compareNaturally } from '../../model/natural-order.js';
import type { Observed } from '../../observe/observed.js';
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
      .filter((drive) => hasData(drive) && isLost(drive, observed, host))
      .map(
        (drive) =>
          `${node.name}/${drive.name}${drive.kind === 'system' ? ' (its only disk, with /var)' : ''}`,
      ),
  );
  const removed = removedVms(design, observed).filter((vm) => vm.host === host);
  const lostWhole = removed
    .filter((vm) => vm.tags.includes(DATA_TAG) && !hasSharedVolume(observed, vm.vmid))
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
  const lost = node.drives.filter((drive) => isLost(drive, observed, host));
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

/** On the lost host alone; or its config is elsewhere already, and it is not. */
export function isLost(drive: DriveDesign, observed: Observed, host: string): boolean {
  const owner = observed.vms[drive.owner];
  if (owner?.host === host) return !isShared(observed, drive.storage);
  const view = owner && vmView(owner);
  return view !== undefined && isGone({ observed }, view, drive);
}

/** Also one that oxherd.yaml no longer names. */
export function hasSharedVolume({ volumes, storages }: Observed, vmid: number): boolean {
  return Object.entries(volumes).some(
    ([place, listed]) =>
      storages[place]?.shared === true &&
      listed.known &&
      Object.values(listed.value).some((volume) => volume.vmid === vmid),
  );
}

/** A storage that no host lists any more was the lost one's alone. */
export function isShared({ storages }: Observed, name: string): boolean {
  return Object.values(storages).some((storage) => storage.name === name && storage.shared);
}
