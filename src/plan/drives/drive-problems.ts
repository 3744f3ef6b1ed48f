/** What keeps a node's drives from being planned, in words. */

import type { DriveDesign, NodeDesign } from '../../design/design.js';
import { parseDataNotes } from '../../formats/marks/data-notes.js';
import { identityName } from '../../formats/marks/drive-claim.js';
import { notedHost } from '../../formats/marks/host-note.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { findVolume } from '../../observe/observed-volumes.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { candidateNames } from './claims.js';

export function unreadable(node: NodeDesign, vmid: number, why: string) {
  return {
    code: 'vm-unknown',
    scope: 'node' as const,
    node: node.name,
    message: `VM ${vmid} could not be read: ${why}`,
    advice: 'run plan again when its host answers',
  };
}

export function lostDrives(
  { design, observed }: Pick<PlanContext, 'design' | 'observed'>,
  node: NodeDesign,
  view: VmView,
  lost: readonly DriveDesign[],
) {
  const unused = unusedVolumes({ observed }, view);
  const names = lost.map((drive) => drive.name).join(', ');
  return {
    code: 'drive-missing',
    scope: 'plan' as const,
    node: node.name,
    message:
      `data VM ${view.vm.vmid} has no disk ${names}` +
      (unused.length > 0
        ? `, but unused volumes that may be it (${unused.join(', ')})`
        : ' although it was created with one'),
    advice:
      unused.length > 0
        ? `restore its identity: oxherd volumes adopt ${node.name}/${lost[0]?.name} <volume id>`
        : `restore the volume and adopt it: oxherd volumes adopt ${node.name}/${lost[0]?.name} <volume id>` +
          (lost[0]?.kind === 'ephemeral'
            ? `; if it is lost for good: oxherd apply --fresh --only ${node.name} --confirm ${design.cluster.name}`
            : ''),
  };
}

/** The VM names a volume that its storage, which could be listed, does not have. */
export function isGone(
  context: Pick<PlanContext, 'observed'>,
  view: VmView,
  drive: Pick<DriveDesign, 'wwn'>,
): boolean {
  const file = view.byWwn.get(drive.wwn)?.file;
  return file !== undefined && isGoneVolume(context, view, file);
}

/** Its storage could be listed there, and does not have it. */
export function isGoneVolume(
  { observed }: Pick<PlanContext, 'observed'>,
  view: VmView,
  volid: string,
): boolean {
  return findVolume(observed.volumes, view.vm.host, volid).state === 'absent';
}

/** `unusedN: volume`, without those whose volume does not exist: nothing can be adopted from them. */
export function unusedVolumes(context: Pick<PlanContext, 'observed'>, view: VmView): string[] {
  return Object.entries(view.unused)
    .filter(([, volid]) => !isGoneVolume(context, view, volid))
    .map(([key, volid]) => `${key}: ${volid}`);
}

export function goneVolumes(
  { design, observed }: Pick<PlanContext, 'design' | 'observed'>,
  node: NodeDesign,
  view: VmView,
  gone: readonly DriveDesign[],
) {
  const { vmid } = view.vm;
  const there = gone.flatMap((drive) => view.byWwn.get(drive.wwn) ?? []);
  const forget = gone
    .map(({ name }) => `oxherd volumes forget ${node.name}/${name} --confirm ${node.name}/${name}`)
    .join(' && ');
  const message = `data VM ${vmid} names ${there.map(({ file }) => file).join(', ')}, and that volume no longer exists: VM ${node.talosVm.vmid} cannot start`;
  const from = notedHost(view.effective.description ?? '');
  // HA has brought the config from there, and nothing else.
  if (from !== undefined && from !== view.vm.host && observed.hosts[from]?.online !== true)
    return {
      code: 'volume-gone',
      scope: 'node' as const,
      node: node.name,
      message: `${message}; it was created on ${from}, which is down`,
      advice: `bring ${from} back; if ${from} never comes back: oxherd host lost ${from} --confirm ${from}`,
    };
  return {
    code: 'volume-gone',
    scope: 'node' as const,
    node: node.name,
    message,
    advice: `restore the volume under that name; if it is lost for good: ${forget}${
      gone.some((drive) => drive.kind === 'ephemeral')
        ? `, then give the node a new disk: oxherd apply --fresh --only ${node.name} --confirm ${design.cluster.name}`
        : ', then `oxherd apply` creates a new, empty disk'
    }`,
  };
}

export function noSlot(node: NodeDesign, vmid: number, drive: string) {
  return {
    code: 'no-slot',
    scope: 'plan' as const,
    node: node.name,
    message: `VM ${vmid} has no free scsi slot for ${drive}`,
    advice: 'a VM has 31 drives at most, those of the CSI driver included; remove a volume from oxherd.yaml',
  };
}

/**
 * A volume that would get a new, empty disk while a disk is kept here that had its name: a `was:` that was applied is
 * gone from oxherd.yaml, or names a later name than the first. What is noted can only hold up a plan, never permit one.
 */
export function renamedAway(
  { design, observed }: Pick<PlanContext, 'design' | 'observed'>,
  node: NodeDesign,
  view: VmView,
  fresh: readonly DriveDesign[],
): Problem[] {
  const wanted = new Set(node.drives.map((drive) => drive.wwn));
  const { names, firstNames } = parseDataNotes(view.effective.description ?? '');
  const parked = view.drives.flatMap(({ wwn, file }) => {
    if (!wwn || wanted.has(wwn)) return [];
    const made = identityName(design.cluster, node.talosVm.vmid, wwn, [
      ...candidateNames({ design, observed }, node.talosVm.vmid),
      ...(firstNames?.values() ?? []),
    ]);
    return [{ wwn, file, label: names.get(wwn), made }];
  });
  return fresh.flatMap((drive): Problem[] => {
    const old = parked.find(
      ({ label }) => label === drive.name || (drive.was !== undefined && label === drive.was),
    );
    if (!old && (drive.was === undefined || parked.length === 0)) return [];
    const { vmid } = view.vm;
    const base = { code: 'volume-renamed', scope: 'plan' as const, node: node.name };
    if (!old) {
      return [
        {
          ...base,
          message: `volume ${drive.name} says was: ${drive.was}, but data VM ${vmid} has no disk that was created as ${drive.was}: it would get a new, empty one`,
          advice: `write the name that its disk was created with (${parked.map(({ made, wwn }) => made ?? wwn).join(', ')} ${parked.length === 1 ? 'is' : 'are'} parked there), or remove was: for a new disk`,
        },
      ];
    }
    return [
      {
        ...base,
        message: `volume ${drive.name} would get a new, empty disk, and ${old.file}, which data VM ${vmid} keeps as ${old.label}, would be parked`,
        advice: `to keep using that disk write was: ${old.made ?? '<the name it was created with>'}; for an empty one choose a name that no disk has had here, or delete the old one first`,
      },
    ];
  });
}

/** Ours by its WWN, but not where oxherd puts disks: on another bus, or twice on one VM. */
export function misplacedDrives(node: NodeDesign, view: VmView): Problem[] {
  const ours = view.drives.filter((drive) => node.drives.some(({ wwn }) => wwn === drive.wwn));
  return ours.flatMap((drive): Problem[] => {
    const name = node.drives.find(({ wwn }) => wwn === drive.wwn)?.name;
    const base = { scope: 'node' as const, node: node.name };
    const { vmid } = view.vm;
    const again = view.drives.find(({ slot, file }) => file === drive.file && slot !== drive.slot);
    if (again) {
      return [
        {
          ...base,
          code: 'drive-twice',
          message: `VM ${vmid} has ${drive.file} (${name}) twice, as ${drive.slot} and as ${again.slot}: both would write it`,
          advice: `take one off: qm set ${vmid} --delete ${again.slot.startsWith('scsi') ? drive.slot : again.slot}`,
        },
      ];
    }
    if (/^scsi\d+$/.test(drive.slot)) return [];
    return [
      {
        ...base,
        code: 'drive-bus',
        message: `${name} (${drive.file}) is ${drive.slot} of VM ${vmid}; oxherd keeps disks on scsi`,
        advice:
          ownerOfVolume(drive.file) === vmid
            ? `put it on a free scsi slot with its identity, VM off: qm set ${vmid} --delete ${drive.slot} && qm set ${vmid} --${freeScsiSlot(view)} ${drive.file},wwn=${drive.wwn}`
            : `detach it there, VM off (qm set ${vmid} --delete ${drive.slot}); the next apply attaches it`,
      },
    ];
  });
}

/** The system disk's own first, then the lowest. */
function freeScsiSlot({ effective, state }: VmView): string {
  const taken = (slot: string) => effective[slot] !== undefined || state.values[slot] !== undefined;
  const slots = Array.from({ length: 31 }, (_, index) => `scsi${index}`);
  return slots.find((slot) => !taken(slot)) ?? 'scsi<N>';
}
