/** The Talos VM of a node: made, changed, given its data disks, started. */

import type { DriveDesign, NodeDesign } from '../../design/design.js';
import { keepAdoptionNote } from '../../formats/marks/adoption-note.js';
import { appliedMarks, withAppliedNote } from '../../formats/marks/applied-note.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { lockAdvice } from '../../formats/proxmox/vm-lock.js';
import { findVm, mayCreate, visibleVm } from '../../observe/observed-vms.js';
import { hasPool } from '../access/plan-access.js';
import { DISKS, diskMark, driftOf, optionAuthors } from '../drift/drift-authors.js';
import { misplacedDrives, unreadable } from '../drives/drive-problems.js';
import { attachedAs } from '../drives/drive-steps.js';
import { noteLeftovers, parkDrives } from '../drives/plan-talos-drives.js';
import { addressNow, isReaddressed } from '../facts/address-now.js';
import { newDrive } from '../facts/drive-facts.js';
import { changesMac, optionChanges, optionsTitle, reasonOf, toldChanges } from '../facts/option-changes.js';
import { provedDescription } from '../facts/proved-vm.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import { mayDo, type PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import type { ValueChange } from '../steps.js';
import { firmwareProblem, needsNewFirmware, newFirmware } from './new-firmware.js';
import { hostNoteFor } from './node-host.js';
import type { DriveReady } from './plan-data-vm.js';
import { planDriveChanges } from './plan-drive-changes.js';
import { planHelperDrives } from './plan-helper-drives.js';
import { planMoves } from './plan-moves.js';
import { lacksSystemDisk, planSystemDisk } from './plan-system-disk.js';
import { startAgain, startVm } from './plan-talos-start.js';
import { unmanagedOptions } from './unmanaged-options.js';

export function planTalosVm(
  given: PlanContext,
  node: NodeDesign,
  ready: DriveReady,
  /** What a new VM waits for: its image, and that etcd has forgotten the old one. */
  { image, lost }: { readonly image: string | undefined; readonly lost: string | undefined },
): Planned {
  return drafted(given, (context) => {
    const needs = [image, lost];
    const answer = findVm(context.observed, node.talosVm.vmid);
    if (mayCreate(context.observed, node.talosVm.vmid)) {
      const moves = planMoves(context, node, undefined);
      createTalosVm(context, node, new Map([...ready, ...moves.steps]), needs);
      return;
    }
    // Of a VM that is hidden or not ours the plan has a problem, and no step.
    if (answer.state !== 'present') return;
    const there = answer.vm;
    const view = vmView(there);
    if (!view) {
      context.problems.push(unreadable(node, there.vmid, there.config.known ? '' : there.config.why));
      return;
    }
    const lock = view.effective.lock;
    if (lock !== undefined) {
      context.problems.push({
        code: 'vm-locked',
        scope: 'node',
        node: node.name,
        message: `VM ${there.vmid} is locked by Proxmox (${lock})`,
        advice: lockAdvice(there.vmid, lock),
      });
      return;
    }
    changeTalosVm(context, node, ready, view, { image, needs });
  });
}

/** Options the token may not write are left out, and said. */
function permittedOptions(context: Draft, node: NodeDesign): Record<string, string | number> {
  const options: Record<string, string | number> = { name: node.talosVm.name, ...node.talosVm.options };
  const proved = provedDescription(context, node, 'talos');
  // With a data VM the host is noted there: it outlives this one.
  const noted = node.dataVm ? proved : hostNoteFor(context, node, proved);
  if (noted === undefined) delete options.description;
  else options.description = noted;
  if ('startup' in options && !mayDo(context.observed, '/', 'Sys.Modify')) {
    const there = visibleVm(context.observed, node.talosVm.vmid);
    const now = there?.config.known ? there.config.value.values.startup : undefined;
    if (now !== options.startup) {
      context.notes.push({
        code: 'not-permitted',
        node: node.name,
        message: `start order ${options.startup} of VM ${node.talosVm.vmid} is not permitted: it needs Sys.Modify on /`,
      });
    }
    if (now === undefined) delete options.startup;
    else options.startup = now;
  }
  if (!context.asked.replace.includes(node.name) && needsNewFirmware(node, context.observed)) {
    // Its data is made again first: a new system disk has to prove where that data is.
    const vm = visibleVm(context.observed, node.talosVm.vmid);
    options.bios = (vm && vmView(vm)?.effective.bios) ?? 'seabios';
    context.notes.push({
      code: 'advice',
      node: node.name,
      message: `bios of ${node.name} stays ${options.bios} in this run; the next apply changes it with a new system disk`,
    });
  }
  const { description, ...others } = options;
  const there = visibleVm(context.observed, node.talosVm.vmid);
  const text = keepAdoptionNote(
    description === undefined ? undefined : String(description),
    there && vmView(there)?.effective.description,
  );
  return { ...options, description: withAppliedNote(text, others, { [DISKS]: diskMark(node) }) };
}

function createTalosVm(
  context: Draft,
  node: NodeDesign,
  ready: DriveReady,
  needs: readonly (string | undefined)[],
): void {
  const { talosVm, dataVm } = node;
  const own = node.drives.filter((drive) => drive.owner === talosVm.vmid);
  const foreign = node.drives.filter((drive) => drive.owner !== talosVm.vmid);
  const slots = new Map(node.drives.map((drive, index) => [drive.wwn, `scsi${index}`]));
  const slotOf = (drive: DriveDesign) => slots.get(drive.wwn) ?? '';
  const pool = context.design.pool;
  const create = context.list.add(String(talosVm.vmid), {
    kind: 'create-talos-vm',
    node: node.name,
    title: `create VM ${talosVm.vmid} (${talosVm.name}) on ${talosVm.host}`,
    reasons: [
      `${node.role}, ${talosVm.options.cores} cores, ${talosVm.options.memory} MiB, Talos ${node.talosVersion}`,
      ...foreign.map((drive) => `attach ${drive.name} of data VM ${drive.owner}`),
    ],
    impact: 'none',
    needs: [
      ...needs,
      ...ready.values(),
      ...context.list.steps.filter((step) => step.kind === 'create-pool').map((step) => step.id),
    ],
    load: { host: talosVm.host, ...(own[0] && { storage: own[0].storage }) },
    vmid: talosVm.vmid,
    ...(dataVm && { dataVmid: dataVm.vmid }),
    host: talosVm.host,
    options: permittedOptions(context, node),
    auxiliary: talosVm.auxiliary,
    drives: own.map((drive) => newDrive(drive, slotOf(drive))),
    attach: foreign.map((drive) => attachedAs(drive, slotOf(drive))),
    ...(pool !== undefined && hasPool(context, pool) && { pool }),
  });
  if (talosVm.running) startVm(context, node, [create], 'new VM');
}

function changeTalosVm(
  context: Draft,
  node: NodeDesign,
  ready: DriveReady,
  view: VmView,
  { image, needs }: { readonly image: string | undefined; readonly needs: readonly (string | undefined)[] },
): void {
  const { problems } = context;
  const os = node.drives.find((drive) => drive.kind === 'os' || drive.kind === 'system');
  const bare = lacksSystemDisk(node, context.observed);
  const wrong =
    os && !bare && !view.byWwn.has(os.wwn) ? [noIdentity(node, os, view)] : misplacedDrives(node, view);
  if (wrong.length > 0) {
    problems.push(...wrong);
    return;
  }
  if (!node.dataVm && needsNewFirmware(node, context.observed)) {
    problems.push(firmwareProblem(node));
    return;
  }
  const done: (string | undefined)[] = [];
  const restartReasons: string[] = [];
  noteLeftovers(context, node, view);
  const systemDisk = bare && os ? planSystemDisk(context, node, view, os, needs) : undefined;
  done.push(systemDisk);

  parkDrives(context, node, view);
  const moves = planMoves(context, node, view);
  done.push(...moves.steps.values());

  const settled = planDriveChanges(context, node, view, ready, moves);
  if (!settled) return;
  done.push(...settled.steps);
  restartReasons.push(...settled.restart.map(([reason]) => reason), ...settled.detached);

  const replaced = context.asked.replace.includes(node.name);
  const firmware = replaced ? newFirmware(node, view) : undefined;
  const helpers = planHelperDrives(context, node, view, new Set(Object.keys(firmware?.add ?? {})));
  done.push(...helpers);

  const wanted = permittedOptions(context, node);
  const written = firmware ? { ...wanted, bios: view.effective.bios ?? 'seabios' } : wanted;
  const { changes, waiting, impact } = optionChanges(view, written);
  const authors = optionAuthors(view, wanted, appliedMarks(view.effective.description));
  context.notes.push(...unmanagedOptions(node, view, wanted));
  const readdressed = isReaddressed(node, context.observed);
  const otherMac = view.vm.status === 'running' && changesMac(changes);
  const restartsForNetwork = readdressed || otherMac;
  const options = setOptions(context, node, view, {
    changes,
    impact,
    authors,
    after: [systemDisk, ...helpers],
    restartsForNetwork,
  });
  done.push(options);
  const waits = waiting.map((key) => {
    const change = waitingChange(view, key, changes[key]?.to);
    return [reasonOf(key, change), authors.of(key, change)] as const;
  });
  restartReasons.unshift(...waits.map(([reason]) => reason));
  if (otherMac) restartReasons.push('the machine finds its first NIC by its MAC');
  if (readdressed) restartReasons.push(`address ${addressNow(node, context.observed)} → ${node.ip}`);
  startAgain(context, node, view, {
    image,
    helpers,
    options,
    done,
    reasons: restartReasons,
    drift: [...waits, ...settled.restart, ...settled.detached.map((reason) => [reason, 'hand'] as const)],
    forced: restartsForNetwork || settled.detached.length > 0,
    moved: moves.stopped,
  });
}

/** Options that are not as oxherd.yaml says; `undefined`: all of them are. */
function setOptions(
  { list }: Draft,
  node: NodeDesign,
  { vm }: VmView,
  {
    changes,
    impact,
    authors,
    after,
    restartsForNetwork,
  }: Pick<ReturnType<typeof optionChanges>, 'changes' | 'impact'> & {
    readonly authors: ReturnType<typeof optionAuthors>;
    /** Steps that come before. */
    readonly after: readonly (string | undefined)[];
    readonly restartsForNetwork: boolean;
  },
): string | undefined {
  const { vmid, host } = vm;
  const told = toldChanges(changes);
  if (told.length === 0) return undefined;
  return list.add(String(vmid), {
    kind: 'set-options',
    node: node.name,
    title: optionsTitle(told, `VM ${vmid} (${vm.name})`),
    reasons: told.map(([key, change]) => reasonOf(key, change)),
    ...driftOf(told.map(([key, change]) => [reasonOf(key, change), authors.of(key, change)])),
    // What has to wait is made visible by the restart that follows.
    impact: impact === 'restart' ? 'live' : impact,
    // The boot order names the disk; what is noted of the disks' options is so by then.
    needs: [
      ...after,
      ...list.steps
        .filter((step) => step.kind === 'set-drive-options' && step.node === node.name)
        .map((step) => step.id),
    ],
    load: { host },
    vmid,
    host,
    changes,
    // One that is restarted for its network answers after that, and is waited for then.
    ...(impact === 'component' && !restartsForNetwork && { guest: { ip: node.ip } }),
  });
}

function noIdentity(node: NodeDesign, { wwn }: DriveDesign, view: VmView): Problem {
  const { vmid } = node.talosVm;
  // Only a disk of the VM's own that has no identity can be the system disk; several leave the choice to a person.
  const [candidate, ...others] = view.drives.filter(
    (drive) => drive.wwn === undefined && ownerOfVolume(drive.file) === vmid,
  );
  const line =
    candidate && others.length === 0
      ? `--${candidate.slot} ${view.effective[candidate.slot]}`
      : '--<slot> <its line>';
  return {
    code: 'vm-identity',
    scope: 'plan',
    node: node.name,
    message: `VM ${vmid} has the tag of this cluster, but no disk with the identity ${wwn} of its system disk`,
    advice: candidate
      ? `if it belongs to this cluster, set it: qm set ${vmid} ${line},wwn=${wwn}; if not, give ${node.name} another vmid`
      : `if it belongs to this cluster, restore VM ${vmid} from a backup; if not, give ${node.name} another vmid`,
  };
}

/** From what the guest runs with to what it will start with. */
function waitingChange(view: VmView, key: string, written: string | undefined): ValueChange {
  const from = view.state.values[key];
  const to = written ?? view.effective[key];
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
