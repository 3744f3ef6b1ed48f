/** What keeps a disk from moving to another storage: said before anything is drained or stopped. */
import type { DriveDesign, NodeDesign } from '../../design/design.js';
import { bytes, formatSize } from '../../model/size.js';
import { outsideUser } from '../drives/claims.js';
import { actualSize } from '../drives/drive-facts.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import type { VmView } from './view-of-vm.js';

type Reason = readonly [why: string, advice: string];

export function driveMoveProblems(
  context: Pick<PlanContext, 'observed' | 'list'>,
  node: NodeDesign,
  drives: readonly DriveDesign[],
  vms: { readonly data: VmView; readonly talos: VmView | undefined },
): Problem[] {
  const views = [vms.data, ...(vms.talos ? [vms.talos] : [])];
  const reasons = [
    ...views.flatMap((view) => [
      ...locked(view),
      ...snapshots(view),
      ...replicated(view, context.observed.replicated),
    ]),
    ...users(context, drives, vms.data),
    ...room(context, drives, vms.data),
  ];
  const names = drives.map((drive) => drive.name).join(', ');
  return reasons.map(([why, advice]) => ({
    code: 'drive-move',
    scope: 'node',
    node: node.name,
    message: `${names} of ${node.name} cannot move to another storage: ${why}`,
    advice: `${advice}; or write the storage that it has now`,
  }));
}

/** A backup, a snapshot or a migration that runs holds one. */
function locked({ vm, effective }: VmView): Reason[] {
  if (effective.lock === undefined) return [];
  return [
    [
      `VM ${vm.vmid} is locked by Proxmox (${effective.lock})`,
      `wait until the ${effective.lock} is done; a lock left by a crash goes with: qm unlock ${vm.vmid}`,
    ],
  ];
}

/** Proxmox does not move a disk that a snapshot holds, on whichever of the two VMs it was taken. */
function snapshots({ vm, effective, state }: VmView): Reason[] {
  const names = Object.keys(state.snapshots ?? {});
  const found = names.length > 0 ? names : effective.parent === undefined ? [] : [effective.parent];
  if (found.length === 0) return [];
  return [
    [
      `VM ${vm.vmid} has snapshots (${found.join(', ')})`,
      `delete them: ${found.map((name) => `qm delsnapshot ${vm.vmid} ${name}`).join(' && ')}`,
    ],
  ];
}

function replicated({ vm }: VmView, jobs: PlanContext['observed']['replicated']): Reason[] {
  const job = jobs?.find(({ guest }) => guest === vm.vmid);
  if (!job) return [];
  return [
    [
      `VM ${vm.vmid} is replicated to ${job.target} (job ${job.id})`,
      `delete the job first: pvesr delete ${job.id}`,
    ],
  ];
}

function users(
  { observed }: Pick<PlanContext, 'observed'>,
  drives: readonly DriveDesign[],
  data: VmView,
): Reason[] {
  const volids = new Set(drives.flatMap((drive) => data.byWwn.get(drive.wwn)?.file ?? []));
  return (observed.outsiders ?? [])
    .filter((use) => volids.has(use.volid))
    .map(outsideUser)
    .map(({ why, advice }) => [why, advice]);
}

/** What the same plan moves there too counts. */
function room(
  { observed, list }: Pick<PlanContext, 'observed' | 'list'>,
  drives: readonly DriveDesign[],
  data: VmView,
): Reason[] {
  const { host } = data.vm;
  const storages = [...new Set(drives.map((drive) => drive.storage))];
  return storages.flatMap((storage): Reason[] => {
    const { total, used, shared } = observed.storages[`${host}/${storage}`] ?? {};
    if (total === undefined || used === undefined) return [];
    const size = drives
      .filter((drive) => drive.storage === storage)
      .reduce((sum, drive) => sum + sizeNow(observed, data, drive), 0);
    const promised = list.steps.reduce(
      (sum, step) =>
        step.kind === 'move-drive' && step.storage === storage && (shared || step.host === host)
          ? sum + step.size
          : sum,
      0,
    );
    const free = Math.max(0, total - used - promised);
    if (size <= free) return [];
    return [
      [
        `it needs ${formatSize(bytes(size))} on ${storage}, and ${formatSize(bytes(free))} are free there`,
        `make room on ${storage} of ${host}`,
      ],
    ];
  });
}

function sizeNow(observed: PlanContext['observed'], data: VmView, drive: DriveDesign): number {
  const there = data.byWwn.get(drive.wwn);
  return (there && (actualSize(observed.volumes, data.vm.host, there.file) ?? there.size)) ?? drive.size;
}
