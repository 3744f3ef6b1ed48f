/**
 * Which drive of a VM is which disk of the design. Talos tells what is on a disk and on which bus it sits, Proxmox which
 * slot that is, and the sizes must agree. Of two drives of one size a person says which is which; what Talos finds on them
 * then proves the answer right or wrong. Nothing is guessed.
 */
import type { DriveDesign, NodeDesign } from '../../design/design.js';
import { talosVolumeOf } from '../../design/disk-identity.js';
import { isCsiDrive } from '../../formats/marks/drive-claim.js';
import { slotOfBusPath } from '../../formats/proxmox/bus-path.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { VmDrive } from '../../formats/proxmox/vm-config.js';
import { bytes, formatSize } from '../../model/size.js';
import type { MachineDisk } from '../../observe/disks/machine-disks.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';

/** A drive whose volume no one but a person can tell. */
export interface DiskQuestion {
  readonly node: string;
  readonly volume: string;
  readonly candidates: readonly {
    readonly slot: string;
    readonly file: string;
    readonly size: number;
    /** What Talos finds on it. */
    readonly holds: readonly string[];
  }[];
}

interface MatchedDisks {
  readonly slots: ReadonlyMap<DriveDesign, VmDrive>;
  readonly questions: readonly DiskQuestion[];
  readonly problems: readonly Problem[];
}

interface SeenDrive {
  readonly drive: VmDrive;
  readonly size: number | undefined;
  /** As Talos sees it, where its bus or its size tells which one it is. */
  readonly disk?: MachineDisk;
}

export function matchDisks(
  node: NodeDesign,
  view: VmView,
  disks: readonly MachineDisk[],
  {
    answers,
    sizeOf,
  }: {
    /** `node/volume` → slot. */
    readonly answers: Readonly<Record<string, string>>;
    readonly sizeOf: (drive: VmDrive) => number | undefined;
  },
): MatchedDisks {
  const seen = seenDrives(view, disks, sizeOf);
  const slots = new Map<DriveDesign, VmDrive>();
  const questions: DiskQuestion[] = [];
  const problems: Problem[] = [];
  const taken = () => new Set([...slots.values()].map(({ slot }) => slot));
  // Those that are certain first: what they take is no candidate for the others.
  const open = [...node.drives].sort((a, b) => rank(seen, a, answers, node) - rank(seen, b, answers, node));
  for (const drive of open) {
    const name = `${node.name}/${drive.name}`;
    const possible = seen.filter((each) => fits(each, drive));
    const free = possible.filter((each) => !taken().has(each.drive.slot));
    const answer = answers[name];
    const chosen =
      answer === undefined
        ? free.length === 1
          ? free[0]
          : undefined
        : free.find((each) => each.drive.slot === answer);
    if (answer !== undefined && !chosen) {
      problems.push(wrongAnswer(node, drive, answer, seen));
    } else if (!chosen && free.length > 1) {
      questions.push(questionOf(node, drive, free));
    } else if (!chosen) {
      problems.push(noDrive(node, drive, seen));
    } else {
      const contradiction = otherContents(node, drive, chosen, seen);
      if (contradiction) problems.push(contradiction);
      else slots.set(drive, chosen.drive);
    }
  }
  return { slots, questions, problems };
}

function rank(
  seen: readonly SeenDrive[],
  drive: DriveDesign,
  answers: Readonly<Record<string, string>>,
  node: NodeDesign,
): number {
  if (answers[`${node.name}/${drive.name}`] !== undefined) return 0;
  return seen.filter((each) => fits(each, drive)).length;
}

/** By owner and size; of the drives that the Talos VM owns, the one that Talos runs from. */
function fits({ drive, size, disk }: SeenDrive, design: DriveDesign): boolean {
  if (ownerOfVolume(drive.file) !== design.owner) return false;
  if (design.kind === 'os' || design.kind === 'system') return disk?.system === true;
  return size === design.size;
}

function seenDrives(
  view: VmView,
  disks: readonly MachineDisk[],
  sizeOf: (drive: VmDrive) => number | undefined,
): SeenDrive[] {
  const drives = view.drives.filter((drive) => !isCsiDrive(drive));
  return drives.map((drive) => {
    const size = sizeOf(drive) ?? drive.size;
    const here = disks.filter((disk) => slotOfBusPath(disk.busPath) === drive.slot);
    const alike = disks.filter((disk) => disk.size === size && slotOfBusPath(disk.busPath) === undefined);
    const unique = drives.filter((other) => (sizeOf(other) ?? other.size) === size).length === 1;
    const disk = here.length === 1 ? here[0] : unique && alike.length === 1 ? alike[0] : undefined;
    return { drive, size, ...(disk && disk.size === size && { disk }) };
  });
}

/** What Talos finds on a disk must not be another volume, and the volume must not be found elsewhere. */
function otherContents(
  node: NodeDesign,
  drive: DriveDesign,
  { drive: { slot, file }, disk }: SeenDrive,
  seen: readonly SeenDrive[],
): Problem | undefined {
  const id = talosVolumeOf(drive);
  const elsewhere = seen.find((each) => each.drive.slot !== slot && each.disk?.holds.includes(id));
  if (elsewhere) {
    return contents(
      node,
      `${node.name}/${drive.name} would be ${slot} (${file}), and Talos has ${id} on ${elsewhere.drive.slot} (${elsewhere.drive.file})`,
      `oxherd adopt --disk ${node.name}/${drive.name}=${elsewhere.drive.slot}`,
    );
  }
  const others = node.drives.filter((other) => other !== drive).map(talosVolumeOf);
  const other = disk?.holds.find(
    (label) => others.includes(label) && !(label === 'EPHEMERAL' && disk.system),
  );
  if (other === undefined) return undefined;
  return contents(
    node,
    `${node.name}/${drive.name} would be ${slot} (${file}), and Talos has ${other} on it`,
    `name another drive: oxherd adopt --disk ${node.name}/${drive.name}=SLOT`,
  );
}

function contents(node: NodeDesign, message: string, advice: string): Problem {
  return { code: 'adopt-contents', scope: 'plan', node: node.name, message, advice };
}

function wrongAnswer(
  node: NodeDesign,
  drive: DriveDesign,
  slot: string,
  seen: readonly SeenDrive[],
): Problem {
  const named = seen.find((each) => each.drive.slot === slot);
  const why = !named
    ? `VM ${node.talosVm.vmid} has no drive there`
    : ownerOfVolume(named.drive.file) !== drive.owner
      ? `${named.drive.file} belongs to VM ${ownerOfVolume(named.drive.file)}, not to VM ${drive.owner}`
      : named.size !== drive.size
        ? `${named.drive.file} has ${sizeText(named.size)}, and oxherd.yaml says ${formatSize(drive.size)}`
        : `${named.drive.file} is another disk of ${node.name}`;
  return {
    code: 'adopt-answer',
    scope: 'plan',
    node: node.name,
    message: `${node.name}/${drive.name} is not ${slot}: ${why}`,
    advice: `name the drive that holds it: --disk ${node.name}/${drive.name}=SLOT`,
  };
}

function noDrive(node: NodeDesign, drive: DriveDesign, seen: readonly SeenDrive[]): Problem {
  const there = seen.map((each) => `${each.drive.slot} ${each.drive.file} ${sizeText(each.size)}`);
  const what =
    drive.kind === 'os' || drive.kind === 'system'
      ? 'system disk'
      : `disk for ${drive.name} (${formatSize(drive.size)})`;
  return {
    code: 'adopt-no-disk',
    scope: 'plan',
    node: node.name,
    message: `VM ${node.talosVm.vmid} has no ${what} owned by VM ${drive.owner}; its drives: ${there.join(', ') || 'none'}`,
    advice: 'bring oxherd.yaml to what is there: oxherd init --from-cluster --force',
  };
}

function questionOf(node: NodeDesign, drive: DriveDesign, free: readonly SeenDrive[]): DiskQuestion {
  return {
    node: node.name,
    volume: drive.name,
    candidates: free.map(({ drive: { slot, file }, size, disk }) => ({
      slot,
      file,
      size: size ?? 0,
      holds: disk?.holds ?? [],
    })),
  };
}

/** Where nothing can be asked. */
export function questionProblem({ node, volume, candidates }: DiskQuestion): Problem {
  const told = candidates.map(
    ({ slot, file, holds }) =>
      `${slot} (${file}${holds.length > 0 ? `, Talos has ${holds.join(', ')} on it` : ''})`,
  );
  return {
    code: 'adopt-question',
    scope: 'plan',
    node,
    message: `${node}/${volume} can be any of ${candidates.length} drives of ${sizeText(candidates[0]?.size)}: ${told.join(', ')}`,
    advice: `say which one it is: oxherd adopt --disk ${node}/${volume}=${candidates[0]?.slot ?? 'SLOT'}`,
  };
}

function sizeText(size: number | undefined): string {
  return size === undefined ? 'an unknown size' : formatSize(bytes(size));
}
