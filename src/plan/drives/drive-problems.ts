/** What keeps a node's drives from being planned, in words. */
import type { DriveDesign, NodeDesign } from '../../design/design.js';
import { storageOfVolume } from '../../formats/drive-slots.js';
import type { PlanContext } from '../input.js';
import type { VmView } from '../vms/view-of-vm.js';

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
  { design }: Pick<PlanContext, 'design'>,
  node: NodeDesign,
  view: VmView,
  lost: readonly DriveDesign[],
) {
  const unused = Object.entries(view.unused).map(([key, volid]) => `${key}: ${volid}`);
  const names = lost.map((drive) => drive.name).join(', ');
  return {
    code: 'drive-missing',
    scope: 'plan' as const,
    node: node.name,
    message:
      `data VM ${view.vm.vmid} has no disk ${names}` +
      (unused.length > 0
        ? `, but unused volumes that may be it (${unused.join(', ')})`
        : ' although it was made with one'),
    advice:
      unused.length > 0
        ? `give it back its identity: oxherd volumes adopt ${node.name}/${lost[0]?.name} <volume id>`
        : `restore the volume and adopt it: oxherd volumes adopt ${node.name}/${lost[0]?.name} <volume id>` +
          (lost[0]?.kind === 'ephemeral'
            ? `; if it is lost for good: oxherd apply --fresh --only ${node.name} --confirm ${design.cluster.name}`
            : ''),
  };
}

/** The VM names a volume that its storage, which could be listed, does not have. */
export function isGone(
  { observed }: Pick<PlanContext, 'observed'>,
  view: VmView,
  drive: DriveDesign,
): boolean {
  const file = view.byWwn.get(drive.wwn)?.file;
  const listed =
    file === undefined ? undefined : observed.volumes[`${view.vm.host}/${storageOfVolume(file)}`];
  return file !== undefined && listed?.known === true && listed.value[file] === undefined;
}

export function goneVolumes(
  { design }: Pick<PlanContext, 'design'>,
  node: NodeDesign,
  view: VmView,
  gone: readonly DriveDesign[],
) {
  const { vmid } = view.vm;
  const there = gone.flatMap((drive) => view.byWwn.get(drive.wwn) ?? []);
  const forget = there.map(({ slot }) => `qm set ${vmid} --protection 0 --delete ${slot}`).join(' && ');
  return {
    code: 'volume-gone',
    scope: 'node' as const,
    node: node.name,
    message: `data VM ${vmid} names ${there.map(({ file }) => file).join(', ')}, and there is no such volume any more: VM ${node.talosVm.vmid} cannot start`,
    advice: `restore the volume under that name; if it is lost for good, take it out (${forget}, then remove the unusedN that this leaves the same way)${
      gone.some((drive) => drive.kind === 'ephemeral')
        ? ` and let the node begin anew: oxherd apply --fresh --only ${node.name} --confirm ${design.cluster.name}`
        : ' and run `oxherd apply`'
    }`,
  };
}

export function noSlot(node: NodeDesign, vmid: number, drive: string) {
  return {
    code: 'no-slot',
    scope: 'plan' as const,
    node: node.name,
    message: `VM ${vmid} has no free scsi slot for ${drive}`,
    advice: 'a VM has 31 drives at most, those of the CSI driver included; remove a volume from the file',
  };
}
