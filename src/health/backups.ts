/** Whether backups exist: the age of each node's newest one, and what no backup has. */
import { disksWithoutBackup } from '../design/backup-job.js';
import type { Design } from '../design/design.js';
import { formatDuration } from '../model/duration.js';
import type { Observed } from '../observe/observed.js';
import { type Condition, conditionsOf } from './condition.js';

const { condition, unread } = conditionsOf('volumes');

export function backupConditions(
  { backup, nodes }: Design,
  observed: Observed,
  csiWithout: readonly string[],
  now: number,
): Condition[] {
  if (!backup || !observed.backup) return [];
  const { newest } = observed.backup;
  const without = [...disksWithoutBackup(nodes), ...csiWithout];
  const left: Condition[] =
    without.length === 0
      ? []
      : [
          {
            layer: 'volumes',
            name: 'backup-volumes',
            state: 'note',
            message: `no backup has ${without.join(', ')}`,
            advice: 'backup: true of a volume or of diskOptions includes it',
          },
        ];
  if (!newest.known) return [unread('backup', newest.why), ...left];
  const ages = nodes.map((node) => {
    const at = newest.value[node.talosVm.vmid];
    const age = at === undefined ? undefined : Math.max(0, Math.round((now - at) / 1_000));
    return condition(
      'backup',
      node.name,
      age !== undefined && age <= backup.maxAgeSeconds,
      age === undefined
        ? `VM ${node.talosVm.vmid} has no backup on ${backup.storage}`
        : `the last backup of VM ${node.talosVm.vmid} is ${formatDuration(age)} old`,
      `see the tasks of the backup job ${backup.id} in Proxmox; now: vzdump ${node.talosVm.vmid} --storage ${backup.storage} --mode snapshot`,
    );
  });
  return [...ages, ...left];
}
