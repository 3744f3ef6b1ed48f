/** What a step takes for granted of what was observed: part of the plan's id. Nothing else of the world is. */

import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { Observed } from '../../observe/observed.js';
import { findObject } from '../../observe/observed-kubernetes.js';
import { visibleVm } from '../../observe/observed-vms.js';
import type { Step, StepKind } from '../steps.js';
import { actualSize } from './drive-facts.js';
import { vmView } from './view-of-vm.js';

type Relies = Record<string, string>;

export function reliedOn(step: Step, observed: Observed): Readonly<Relies> | undefined {
  const relies: Relies = {
    ...vmsOf(step, observed),
    ...drivesOf(step, observed),
    ...machineOf(step, observed),
  };
  if (step.kind === 'apply-object' && observed.kubernetes) {
    const seen = findObject(observed.kubernetes, step.object);
    // An object without a hash of ours relies on none: it is taken over as it is.
    relies.object = seen.state === 'present' ? (seen.value.hash ?? 'absent') : seen.state;
  }
  return Object.keys(relies).length === 0 ? undefined : relies;
}

/** Where its VMs are and whether they run; foreign ones and their drives are no concern of the step. */
function vmsOf(step: Step, observed: Observed): Relies {
  return Object.fromEntries(
    vmidsOf(step).map((vmid) => {
      const vm = visibleVm(observed, vmid);
      return [`vm ${vmid}`, vm ? `${vm.status} on ${vm.host}` : 'absent'];
    }),
  );
}

function vmidsOf(step: Step): number[] {
  if (step.kind === 'create-csi-volume') return [];
  return [
    ...('vmid' in step ? [step.vmid] : []),
    ...('dataVmid' in step && step.dataVmid !== undefined ? [step.dataVmid] : []),
    ...('talosVmid' in step ? [step.talosVmid] : []),
  ];
}

/** The volume that has the identity, on each VM of the step, with its size and its options. */
function drivesOf(step: Step, observed: Observed): Relies {
  const wwn = 'wwn' in step ? step.wwn : 'drive' in step ? step.drive.wwn : undefined;
  if (wwn === undefined) return {};
  return Object.fromEntries(
    vmidsOf(step).flatMap((vmid): [string, string][] => {
      const vm = visibleVm(observed, vmid);
      const drive = vm && vmView(vm)?.byWwn.get(wwn);
      if (!vm || !drive) return [];
      const size = actualSize(observed.volumes, vm.host, drive.file) ?? drive.size ?? 0;
      const owner = ownerOfVolume(drive.file) ?? 0;
      return [[`drive ${vmid}`, `${drive.slot} ${drive.file} of ${owner}, ${size} bytes`]];
    }),
  );
}

const ASKS_MACHINE: ReadonlySet<StepKind> = new Set<StepKind>([
  'change-config',
  'configure-machine',
  'reboot-machine',
  'replace-os-disk',
  'upgrade-component',
  'upgrade-talos',
]);

function machineOf(step: Step, { machines }: Observed): Relies {
  const machine = step.node === undefined ? undefined : machines[step.node];
  if (!machine || !ASKS_MACHINE.has(step.kind)) return {};
  if (!machine.details.known) return { machine: machine.presence };
  const { talosVersion, schematic, config } = machine.details.value;
  const hash = config.known ? config.value.hash : 'unknown';
  const image = schematic.known ? (schematic.value ?? '') : 'unknown';
  return { machine: `${machine.presence}, Talos ${talosVersion} ${image}`.trim(), config: hash };
}
