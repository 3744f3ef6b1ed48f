/**
 * Nodes with disks whose identity waits for a stop and start of the VM: the next boot that a plan has for them is one.
 * Until then nothing is planned that relies on the identities alone.
 */

import type { NodeDesign } from '../../design/design.js';
import { drivesWithoutIdentity } from '../../design/disk-identity.js';
import { adoptionNoteIn } from '../../formats/marks/adoption-note.js';
import { wwidOf } from '../../model/identity.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';
import type { Draft } from '../planned.js';
import type { Step, StepKind } from '../steps.js';

/** They take disks apart by their WWNs, and cannot ask a machine that sees none. */
const NEEDS_IDENTITY: ReadonlySet<StepKind> = new Set<StepKind>([
  'migrate-vm',
  'move-drive',
  'hand-over-drive',
  'renew-drive',
  'replace-os-disk',
]);
const STARTS_VM: ReadonlySet<StepKind> = new Set<StepKind>(['restart-vm', 'start-vm']);

export function planColdStarts(context: Draft, nodes: readonly NodeDesign[]): void {
  const { list, observed, problems, notes } = context;
  const bare = nodes
    .map((node) => ({ node, drives: bareDrives(node, observed) }))
    .filter(({ drives }) => drives.length > 0);
  if (bare.length === 0) return;
  const count = bare.reduce((sum, { drives }) => sum + drives.length, 0);
  notes.push({
    code: 'advice',
    message: `${count} ${count === 1 ? 'disk gets its' : 'disks get their'} identity (WWN) at the next restart of ${bare.map(({ node }) => node.name).join(', ')}`,
  });
  for (const { node, drives } of bare) {
    const own = list.steps.filter((step) => step.node === node.name);
    const first = own.find((step) => NEEDS_IDENTITY.has(step.kind));
    if (first) problems.push(identityFirst(node, first.title));
    const host = visibleVm(observed, node.talosVm.vmid)?.host ?? node.host;
    const wwids = drives.map(({ wwn }) => wwidOf(wwn));
    const boot = own.some(({ kind }) => STARTS_VM.has(kind)) ? undefined : own.filter(boots).at(-1);
    if (!boot) continue;
    list.change(boot.id, (step) =>
      boots(step)
        ? {
            ...step,
            coldStart: { host, wwids },
            reasons: [
              ...step.reasons,
              `VM ${step.vmid} is stopped and started: its disks get their identity`,
            ],
          }
        : step,
    );
  }
}

function bareDrives(node: NodeDesign, { machines }: Observed) {
  const details = machines[node.name]?.details;
  return details?.known ? drivesWithoutIdentity(node.drives, details.value.volumes) : [];
}

function boots(step: Step): step is Extract<Step, { kind: 'upgrade-talos' | 'reboot-machine' }> {
  return step.kind === 'upgrade-talos' || (step.kind === 'reboot-machine' && step.impact === 'restart');
}

function identityFirst(node: NodeDesign, what: string): Problem {
  return {
    code: 'no-identity',
    scope: 'plan',
    node: node.name,
    message: `disks of ${node.name} have no identity (WWN) in the guest yet, so this has to wait: ${what}`,
    advice: `stop and start its VM first: oxherd restart ${node.name}`,
  };
}

/** Data of adopted VMs is deleted only once the machine has shown that each disk is the one it is called. */
export function unprovedDisks(nodes: readonly NodeDesign[], observed: Observed): Problem[] {
  return nodes.flatMap((node) => {
    const vm = visibleVm(observed, node.talosVm.vmid);
    const description = vm && vmView(vm)?.effective.description;
    if (vm?.status !== 'running' || !adoptionNoteIn(description)) return [];
    const details = observed.machines[node.name]?.details;
    if (details?.known && bareDrives(node, observed).length === 0) return [];
    return [
      identityFirst(node, details?.known ? 'deleting its data' : 'deleting its data (it does not answer)'),
    ];
  });
}
