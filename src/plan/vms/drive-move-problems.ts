/** What keeps a disk from moving to another storage: said before anything is drained or stopped. */
import type { DriveDesign, NodeDesign } from '../../design/design.js';
import { bytes, formatSize } from '../../model/size.js';
import { outsideUser, outsideUsesOf } from '../drives/claims.js';
import { unreadUser } from '../drives/unread-guests.js';
import { actualSize } from '../facts/drive-facts.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { moveObstacles, type Reason } from './move-obstacles.js';

export function driveMoveProblems(
  context: Pick<PlanContext, 'observed' | 'list'>,
  node: NodeDesign,
  drives: readonly DriveDesign[],
  vms: { readonly data: VmView; readonly talos: VmView | undefined },
): Problem[] {
  const views = [vms.data, ...(vms.talos ? [vms.talos] : [])];
  const reasons = [
    ...views.flatMap((view) => moveObstacles(view, context.observed)),
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

function users(
  { observed }: Pick<PlanContext, 'observed'>,
  drives: readonly DriveDesign[],
  data: VmView,
): Reason[] {
  const volids = new Set(drives.flatMap((drive) => data.byWwn.get(drive.wwn)?.file ?? []));
  const users = outsideUsesOf(observed, volids).map(outsideUser);
  const unread = [...volids].flatMap((volid) => unreadUser(observed, data.vm.host, volid) ?? []);
  return [...users, ...unread].map(({ why, advice }) => [why, advice]);
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
