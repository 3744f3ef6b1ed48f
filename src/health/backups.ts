/** Whether backups exist: the age of each node's newest good one, and what no backup has. */

import { disksWithoutBackup } from '../design/backup-job.js';
import type { Design, NodeDesign } from '../design/design.js';
import { formatDuration } from '../model/duration.js';
import type { Observed } from '../observe/observed.js';
import { visibleVm } from '../observe/observed-vms.js';
import { type Condition, conditionsOf } from './condition.js';

const { condition, unread } = conditionsOf('volumes');

export function backupConditions(
  { backup, nodes }: Design,
  observed: Observed,
  /** Volumes without a disk of their own in a VM's backup. */
  without: readonly string[],
  now: number,
): Condition[] {
  if (!backup || !observed.backup) return [];
  const { newest } = observed.backup;
  const missing = [...disksWithoutBackup(nodes), ...without];
  const left: Condition[] =
    missing.length === 0
      ? []
      : [
          {
            layer: 'volumes',
            name: 'backup-volumes',
            state: 'note',
            message: `no backup has ${missing.join(', ')}`,
            advice: 'backup: true of a volume or of diskOptions includes it',
          },
        ];
  if (!newest.known) return [unread('backup', newest.why), ...left];
  const ages = nodes.map((node) => {
    const { vmid } = node.talosVm;
    const { good } = newest.value[vmid] ?? {};
    const age = good === undefined ? undefined : seconds(now - good);
    const failed = sinceThen(node, observed, now);
    return condition(
      'backup',
      node.name,
      age !== undefined && age <= backup.maxAgeSeconds,
      `${
        age === undefined
          ? `VM ${vmid} has no good backup on ${backup.storage}`
          : `the last good backup of VM ${vmid} is ${roughly(age)} old`
      }${failed}`,
      `see the tasks of the backup job ${backup.id} in Proxmox; now: vzdump ${vmid} --storage ${backup.storage} --mode snapshot`,
    );
  });
  return [...ages, ...left];
}

/** What went wrong after the last good one. */
function sinceThen({ talosVm }: NodeDesign, observed: Observed, now: number): string {
  const { backup } = observed;
  if (!backup?.newest.known) return '';
  const { good = 0, bad } = backup.newest.value[talosVm.vmid] ?? {};
  const host = visibleVm(observed, talosVm.vmid)?.host ?? talosVm.host;
  const runs = backup.failedRuns.known ? backup.failedRuns.value : [];
  const ours = runs.filter(
    (run) => run.host === host && run.at > good && (run.vmid ?? talosVm.vmid) === talosVm.vmid,
  );
  const newestRun = ours.sort((a, b) => b.at - a.at)[0];
  const ago = (at: number) => `${roughly(seconds(now - at))} ago`;
  return [
    ...(bad ? [`; the one made ${ago(bad.at)} does not count: ${bad.why}`] : []),
    ...(newestRun ? [`; the run ${ago(newestRun.at)} failed: ${newestRun.status}`] : []),
  ].join('');
}

function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds / 1_000));
}

/** Hours are enough for what is made once a day. */
function roughly(age: number): string {
  const unit = age >= 2 * 3_600 ? 3_600 : age >= 2 * 60 ? 60 : 1;
  return formatDuration(age - (age % unit));
}
