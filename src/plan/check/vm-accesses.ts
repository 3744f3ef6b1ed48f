/** VMs, their power, their places and their drives. */
import { talosVmidOf } from '../../model/identity.js';
import type { Step } from '../steps.js';
import { type Access, reads, writes } from './access.js';
import type { PlanFacts } from './plan-facts.js';

export function vmAccesses(step: Step, steps: readonly Step[], facts: PlanFacts): Access[] {
  return [
    ...placeAccesses(step, steps),
    ...powerAccesses(step),
    ...driveAccesses(step, steps, facts),
    ...noteAccesses(step, facts),
  ];
}

/** It works on VMs that are there, on the hosts where it looks for them. */
function placeAccesses(step: Step, steps: readonly Step[]): Access[] {
  switch (step.kind) {
    case 'create-talos-vm':
      return [
        writes(`vm ${step.vmid}`, 'there', 'absent'),
        writes(`host ${step.vmid}`, step.host),
        ...(step.dataVmid === undefined || step.attach.length === 0 ? [] : onHost(step.dataVmid, step.host)),
        ...(step.pool === undefined ? [] : [reads(`pool ${step.pool}`)]),
      ];
    case 'create-data-vm':
      return [writes(`vm ${step.vmid}`, 'there', 'absent'), writes(`host ${step.vmid}`, step.host)];
    case 'destroy-talos-vm':
      return [writes(`vm ${step.vmid}`, 'absent', 'there'), reads(`host ${step.vmid}`, step.host)];
    case 'destroy-data-vm':
      return [
        writes(`vm ${step.vmid}`, 'absent', 'there'),
        reads(`host ${step.vmid}`, step.host),
        reads(`vm ${talosVmidOf(step.vmid)}`, 'absent'),
      ];
    case 'delete-csi-volume':
      return steps.flatMap((other) =>
        other.kind === 'destroy-talos-vm' ? [reads(`vm ${other.vmid}`, 'absent')] : [],
      );
    case 'migrate-vm':
      return [reads(`vm ${step.vmid}`, 'there'), writes(`host ${step.vmid}`, step.host, step.from)];
    case 'remove-member':
      return step.dataVm ? onHost(step.dataVm.vmid, step.dataVm.host) : [];
    case 'create-csi-volume':
      return [];
    case 'join-pool':
      return step.vmids.map((vmid) => reads(`vm ${vmid}`, 'there'));
    default:
      return vmsOf(step).flatMap((vmid) =>
        'host' in step ? onHost(vmid, step.host) : [reads(`vm ${vmid}`, 'there')],
      );
  }
}

function onHost(vmid: number, host: string): Access[] {
  return [reads(`vm ${vmid}`, 'there'), reads(`host ${vmid}`, host)];
}

function vmsOf(step: Step): number[] {
  // A left member's VM is gone; what stands there is its data VM.
  if (step.kind === 'renew-drive') return [step.vmid];
  return [
    ...('vmid' in step ? [step.vmid] : []),
    ...('dataVmid' in step && step.dataVmid !== undefined ? [step.dataVmid] : []),
  ];
}

function powerAccesses(step: Step): Access[] {
  switch (step.kind) {
    case 'create-talos-vm':
      return [writes(`power ${step.vmid}`, 'stopped')];
    case 'start-vm':
      return [
        writes(`power ${step.vmid}`, 'running', 'stopped'),
        reads(`system disk ${step.vmid}`),
        reads(`options ${step.vmid}`),
      ];
    case 'stop-vm':
      return [writes(`power ${step.vmid}`, 'stopped', 'running')];
    case 'restart-vm':
      return [writes(`power ${step.vmid}`, 'running', 'running'), reads(`options ${step.vmid}`)];
    case 'reboot-machine':
      // Where something else boots the machine it only looks.
      return step.impact === 'none'
        ? [reads(`power ${step.vmid}`, 'running')]
        : [writes(`power ${step.vmid}`, 'running', 'running')];
    case 'upgrade-talos':
      return [writes(`power ${step.vmid}`, 'running', 'running')];
    case 'replace-os-disk':
      return [
        writes(`power ${step.vmid}`, 'stopped', ...(step.proof === 'before' ? ['running'] : [])),
        writes(`system disk ${step.vmid}`, 'new'),
        ...(step.firmware ? [reads(`options ${step.vmid}`)] : []),
      ];
    case 'delete-old-system-disk':
      return [reads(`power ${step.vmid}`, 'running'), reads(`system disk ${step.vmid}`, 'new')];
    case 'hand-over-drive':
      return step.impact === 'none'
        ? [reads(`power ${step.vmid}`, 'stopped')]
        : [writes(`power ${step.vmid}`, 'running', 'running')];
    case 'migrate-vm':
      return [reads(`power ${step.vmid}`, step.online ? 'running' : 'stopped')];
    case 'move-drive':
    case 'renew-drive':
      return [reads(`power ${step.talosVmid}`, 'stopped', 'absent')];
    case 'configure-machine':
    case 'await-machine':
    case 'end-disruption':
      return [reads(`power ${step.vmid}`, 'running')];
    case 'destroy-talos-vm':
      return [writes(`power ${step.vmid}`, 'absent')];
    default:
      return [];
  }
}

function driveAccesses(step: Step, steps: readonly Step[], facts: PlanFacts): Access[] {
  switch (step.kind) {
    case 'create-data-vm':
      return step.drives.map(({ wwn }) => writes(drive(step.vmid, wwn), 'attached'));
    case 'create-talos-vm':
      return [
        ...step.drives.map(({ wwn }) => writes(drive(step.vmid, wwn), 'attached')),
        ...step.attach.flatMap(({ wwn }) => [
          writes(drive(step.vmid, wwn), 'attached'),
          ...(step.dataVmid === undefined ? [] : [reads(drive(step.dataVmid, wwn), 'attached', 'moved')]),
        ]),
      ];
    case 'add-drive':
      return [writes(drive(step.vmid, step.drive.wwn), 'attached', 'detached', 'absent')];
    case 'renew-drive':
      return [
        writes(drive(step.vmid, step.drive.wwn), 'attached'),
        reads(drive(step.talosVmid, step.drive.wwn), 'detached', 'absent'),
      ];
    case 'attach-drive':
      return [
        writes(drive(step.vmid, step.drive.wwn), 'attached', 'detached', 'absent'),
        reads(drive(step.dataVmid, step.drive.wwn), 'attached', 'moved'),
      ];
    case 'detach-drive':
      return [writes(drive(step.vmid, step.wwn), 'detached', 'attached')];
    case 'move-drive':
      return [
        writes(drive(step.vmid, step.wwn), 'moved', 'attached'),
        reads(drive(step.talosVmid, step.wwn), 'detached', 'absent'),
      ];
    case 'hand-over-drive':
      return [
        writes(drive(step.dataVmid, step.wwn), 'attached'),
        writes(drive(step.vmid, step.wwn), 'attached'),
      ];
    case 'grow-drive':
    case 'set-drive-options':
      return [reads(drive(step.vmid, step.wwn), 'attached', 'moved')];
    case 'delete-volume':
      return [
        writes(drive(step.vmid, step.wwn), 'absent'),
        reads(drive(talosVmidOf(step.vmid), step.wwn), 'detached', 'absent'),
      ];
    case 'migrate-vm':
      return migrationAccesses(step, facts);
    case 'add-helper-drive':
      return [writes(helper(step), 'there')];
    case 'replace-os-disk':
      return helpersFor(step.vmid, steps);
    case 'start-vm':
    case 'restart-vm':
      // A machine starts with all the disks that this plan gives it.
      return [
        ...helpersFor(step.vmid, steps),
        ...steps.flatMap((other) =>
          other.kind === 'attach-drive' && other.vmid === step.vmid
            ? [reads(drive(step.vmid, other.drive.wwn), 'attached')]
            : [],
        ),
      ];
    default:
      return [];
  }
}

/** A VM leaves no disk behind that only its host has: what the Talos VM borrows is detached first. */
function migrationAccesses(
  step: Extract<Step, { kind: 'migrate-vm' }>,
  { nodes, initial }: PlanFacts,
): Access[] {
  const node = nodes.get(step.node ?? '');
  if (step.online || node?.dataVmid === undefined) return [];
  const { talosVmid, dataVmid } = node;
  return [...initial.keys()]
    .filter((key) => key.startsWith(`drive ${talosVmid} `))
    .map((key) => key.slice(`drive ${talosVmid} `.length))
    .filter(
      (wwn) => initial.has(drive(dataVmid, wwn)) && initial.get(`shared ${talosVmid} ${wwn}`) === 'false',
    )
    .map((wwn) => reads(drive(talosVmid, wwn), 'detached'));
}

/** Texts that several steps write: what one of them wrote must not be lost by another. */
function noteAccesses(step: Step, { nodes }: PlanFacts): Access[] {
  switch (step.kind) {
    case 'create-data-vm':
    case 'create-talos-vm':
      return [writes(`notes ${step.vmid}`, step.id), writes(`options ${step.vmid}`, step.id)];
    case 'add-drive':
    case 'mark-drained':
    case 'renew-drive':
    case 'unmark-drained':
      return [writes(`notes ${step.vmid}`, step.id)];
    case 'adopt-vm':
    case 'release-vm':
      return [writes(`notes ${step.vmid}`, step.id), writes(`options ${step.vmid}`, step.id)];
    case 'set-options':
      return [
        ...(step.changes.description ? [writes(`notes ${step.vmid}`, step.id)] : []),
        writes(`options ${step.vmid}`, step.id),
        ...(step.changes.boot ? [reads(`system disk ${step.vmid}`)] : []),
      ];
    case 'set-drive-options':
      // The description of a Talos VM says with which options its drives were given.
      return nodes.get(step.node ?? '')?.talosVmid === step.vmid ? [reads(`notes ${step.vmid}`)] : [];
    case 'remove-member':
      return step.dataVm ? [writes(`notes ${step.dataVm.vmid}`, step.id)] : [];
    default:
      return [];
  }
}

/** A system disk goes, and a machine starts, once its helper drives are there. */
function helpersFor(vmid: number, steps: readonly Step[]): Access[] {
  return steps.flatMap((other) =>
    other.kind === 'add-helper-drive' && other.vmid === vmid ? [reads(helper(other), 'there')] : [],
  );
}

function helper({ vmid, slot }: { readonly vmid: number; readonly slot: string }): string {
  return `helper drive ${vmid} ${slot}`;
}

function drive(vmid: number, wwn: string): string {
  return `drive ${vmid} ${wwn}`;
}
