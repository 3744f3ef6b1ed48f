/** A new system disk for a node; everything that matters is on disks of the data VM and stays. */

import type { DriveDesign, NodeDesign } from '../../design/design.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { wwidOf } from '../../model/identity.js';
import type { MachineDetails } from '../../observe/observed-machines.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { blockersOf } from '../drives/claims.js';
import { addressNow } from '../facts/address-now.js';
import { newDrive } from '../facts/drive-facts.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import { talosChange } from '../machines/plan-talos-upgrade.js';
import type { Problem } from '../plan.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { newFirmware } from './new-firmware.js';

function refusal({ name }: NodeDesign, message: string, advice: string): Problem {
  return { code: 'replace', scope: 'plan', node: name, message, advice };
}

/** Volumes as Talos calls them with the config of oxherd.yaml, by the disk that each is on. */
function volumesOn(kept: readonly DriveDesign[]): Record<string, string> {
  return Object.fromEntries(kept.map((drive) => [volumeName(drive), wwidOf(drive.wwn)]));
}

/**
 * The same as the machine calls them now: a volume that oxherd.yaml renames has its former name there, and one that this
 * plan creates holds nothing yet.
 */
function volumesNow(
  { list, observed }: PlanContext,
  node: NodeDesign,
  kept: readonly DriveDesign[],
): Record<string, string> {
  const details = observed.machines[node.name]?.details;
  const volumes = details?.known ? details.value.volumes : [];
  const isNew = ({ wwn }: DriveDesign) =>
    list.steps.some((step) => step.kind === 'add-drive' && step.drive.wwn === wwn);
  return Object.fromEntries(
    kept
      .filter((drive) => !isNew(drive))
      .map((drive) => {
        const wwid = wwidOf(drive.wwn);
        const there = volumes.find((volume) => volume.wwid === wwid && /^(EPHEMERAL$|u-)/.test(volume.id));
        return [there?.id ?? volumeName(drive), wwid];
      }),
  );
}

function volumeName({ kind, name }: DriveDesign): string {
  return kind === 'ephemeral' ? 'EPHEMERAL' : `u-${name}`;
}

/** The step after which it has one; `undefined`: it cannot, and that is said. */
export function planReplace(
  context: Draft,
  node: NodeDesign,
  view: VmView,
  imageStep: string | undefined,
  helpers: readonly string[],
): string | undefined {
  const { list, observed, problems } = context;
  const { vm } = view;
  const os = node.drives.find((drive) => drive.kind === 'os');
  const old = os && view.byWwn.get(os.wwn);
  if (!old || !node.dataVm) {
    problems.push(nothingToReplace(node));
    return undefined;
  }
  const kept = node.drives.filter((drive) => drive.kept);
  const details = observed.machines[node.name]?.details;
  const stops = list.steps.find((step) => step.kind === 'stop-vm' && step.vmid === vm.vmid)?.id;
  // Only a machine that runs can be asked where its volumes are before its system disk goes.
  const proof = details?.known && vm.status === 'running' && stops === undefined ? 'before' : 'after';
  const refused = refusals(context, node, node.dataVm, view, kept, proof);
  if (refused.length > 0) {
    problems.push(...refused);
    return undefined;
  }
  const firmware = newFirmware(node, view);
  const change = details?.known ? talosChange(node, details.value) : [];
  const why = change.length > 0 || firmware ? change : ['requested'];
  return list.add(String(node.talosVm.vmid), {
    kind: 'replace-os-disk',
    node: node.name,
    title: `create a new system disk for ${node.name} with Talos ${node.talosVersion}`,
    reasons: [
      ...why,
      ...(firmware
        ? [`bios ${firmware.from} → ${firmware.to}: a system disk starts with one firmware only`]
        : []),
      'its VM, identity and data stay',
      ...(proof === 'after' ? [`${old.file} is kept until the new system has shown its data volumes`] : []),
    ],
    impact: 'replace',
    needs: [imageStep, stops, ...helpers],
    load: { host: vm.host, storage: os.storage },
    vmid: node.talosVm.vmid,
    dataVmid: node.dataVm.vmid,
    host: vm.host,
    ip: proof === 'before' ? addressNow(node, observed) : node.ip,
    role: node.role,
    drive: newDrive(os, old.slot),
    keptOn: proof === 'before' ? volumesNow(context, node, kept) : volumesOn(kept),
    proof,
    helpers: Object.values(node.talosVm.auxiliary),
    ...(firmware && { firmware }),
  });
}

function nothingToReplace(node: NodeDesign): Problem {
  return node.dataVm
    ? refusal(node, `${node.name} has no system disk that could be replaced`, 'run `oxherd apply`')
    : refusal(
        node,
        `${node.name} has the layout single: its data is on its system disk`,
        'upgrade it in place, or remove the node and add it again',
      );
}

/** Why its system disk must stay: what else is on the VM, or data volumes that nothing proves to be elsewhere. */
function refusals(
  context: Draft,
  node: NodeDesign,
  dataVm: NonNullable<NodeDesign['dataVm']>,
  view: VmView,
  kept: readonly DriveDesign[],
  proof: 'before' | 'after',
): Problem[] {
  const blockers = blockersOf(context, view);
  if (blockers.length > 0)
    return blockers.map(({ why, advice }) => ({
      code: 'foreign-drive',
      scope: 'plan',
      node: node.name,
      message: `${node.name} cannot get a new system disk: ${why}`,
      advice,
    }));
  if (proof === 'after') {
    if (ownsAll(context, node, kept)) return [];
    return [
      refusal(
        node,
        `${node.name} does not answer, and data VM ${dataVm.vmid} does not own all of its data volumes`,
        `start VM ${view.vm.vmid} first, so that the machine can show where its volumes are`,
      ),
    ];
  }
  const details = context.observed.machines[node.name]?.details;
  const bare = details?.known ? withoutIdentity(details.value, kept) : [];
  if (bare.length === 0) return [];
  return [
    refusal(
      node,
      `${node.name} cannot get a new system disk: Talos shows no WWN of the disk that holds ${bare.join(', ')}`,
      `a WWN comes when the VM is stopped and started: oxherd restart ${node.name}`,
    ),
  ];
}

/** Once the machine is ready with its new system disk. */
export function planOldSystemDisk(given: PlanContext, node: NodeDesign): Planned {
  return drafted(given, ({ list, observed }) => {
    const replace = list.steps.find(
      (step) => step.kind === 'replace-os-disk' && step.vmid === node.talosVm.vmid,
    );
    const ready = list.steps.find((step) => step.kind === 'await-machine' && step.node === node.name);
    if (replace?.kind !== 'replace-os-disk' || replace.proof === 'before' || replace.gone || !ready) return;
    const vm = visibleVm(observed, replace.vmid);
    const old = vm && vmView(vm)?.byWwn.get(replace.drive.wwn);
    // A VM that moves takes its disk along under another name; what is left then is told by the next plan.
    if (!old || vm.host !== replace.host) return;
    list.add(String(replace.vmid), {
      kind: 'delete-old-system-disk',
      node: node.name,
      title: `delete the old system disk of ${node.name} (${old.file})`,
      reasons: ['every data volume is on disks of the data VM, as the new system shows'],
      impact: 'none',
      needs: [ready.id],
      load: { host: replace.host },
      vmid: replace.vmid,
      host: replace.host,
      ip: replace.ip,
      role: replace.role,
      volume: old.file,
      keptOn: replace.keptOn,
    });
  });
}

function ownsAll({ observed }: PlanContext, { dataVm }: NodeDesign, kept: readonly DriveDesign[]): boolean {
  const vm = dataVm && visibleVm(observed, dataVm.vmid);
  const view = vm && vmView(vm);
  return kept.every((drive) => {
    const file = view?.byWwn.get(drive.wwn)?.file;
    return file !== undefined && ownerOfVolume(file) === dataVm?.vmid;
  });
}

/** Volumes whose disk the machine cannot name: nothing would prove that they are not on the system disk. */
function withoutIdentity({ volumes }: MachineDetails, kept: readonly DriveDesign[]): string[] {
  const ids = kept.map(volumeName);
  return ids.filter((id) =>
    volumes.some((volume) => volume.id === id && volume.phase === 'ready' && volume.wwid === undefined),
  );
}
