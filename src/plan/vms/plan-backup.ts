/** The cluster's backup job in Proxmox: made, kept as oxherd.yaml asks, and no other job touched. */

import type { Design } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { driftOf } from '../drift/drift-authors.js';
import { mayDo, type PlanContext } from '../input.js';
import { drafted, type Planned } from '../planned.js';

export function planBackup(given: PlanContext): Planned {
  return drafted(given, ({ design, observed, list, notes, problems }) => {
    const { backup } = design;
    if (!observed.backup) return;
    const { jobs } = observed.backup;
    if (!backup) {
      const left = ownJob(design, observed);
      if (left !== undefined)
        notes.push({
          code: 'left-alone',
          message: `oxherd.yaml has no section backup; the backup job ${left} stays in Proxmox. Remove it with: pvesh delete /cluster/backup/${left}`,
        });
      return;
    }
    if (!jobs.known) {
      notes.push({ code: 'unknown', message: `backup jobs could not be read: ${jobs.why}` });
      return;
    }
    const there = jobs.value[backup.id];
    if (there && !isOwn(design, there)) {
      problems.push({
        code: 'backup-job',
        scope: 'plan',
        message: `the backup job ${backup.id} was not created by oxherd, or its comment was changed`,
        advice: `give it the comment "${backup.settings.comment}" if it is this cluster's, or rename it`,
      });
      return;
    }
    const reasons = there
      ? differingSettings(backup.settings, there)
      : [`${backup.settings.schedule} to ${backup.storage}, VMs ${backup.settings.vmid}`];
    if (reasons.length === 0) return;
    if (!mayDo(observed, '/', 'Sys.Modify')) {
      const options = Object.entries(backup.settings).map(([key, value]) => `--${key} '${value}'`);
      const call = there ? `set /cluster/backup/${backup.id}` : `create /cluster/backup --id ${backup.id}`;
      notes.push({
        code: 'not-permitted',
        message: `the API token cannot set the backup job; run as admin:\n    pvesh ${call} ${options.join(' ')}`,
      });
      return;
    }
    list.add(backup.id, {
      kind: 'set-backup-job',
      ...(!there && { action: 'create' as const }),
      title: `${there ? 'change' : 'create'} backup job ${backup.id}`,
      reasons,
      ...driftOf(reasons.map((reason) => [reason, there ? 'unknown' : undefined])),
      impact: 'none',
      needs: list.steps.filter((step) => step.kind === 'create-talos-vm').map((step) => step.id),
      load: {},
      job: backup.id,
      settings: backup.settings,
    });
  });
}

/** The job of this cluster, if Proxmox has one. */
export function ownJob(design: Design, { backup }: Observed): string | undefined {
  const id = design.cluster.tag;
  const job = backup?.jobs.known ? backup.jobs.value[id] : undefined;
  return job && isOwn(design, job) ? id : undefined;
}

/** The id alone is a word that anybody may choose. */
function isOwn({ cluster }: Design, job: Readonly<Record<string, string>>): boolean {
  return job.comment?.includes(`(${cluster.tag})`) === true;
}

/** `schedule 02:00 → 04:00`: what differs of what the file decides. */
export function differingSettings(
  wanted: Readonly<Record<string, string>>,
  there: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(wanted)
    .filter(([key, value]) => sorted(key, value) !== sorted(key, there[key] ?? DEFAULTS[key] ?? ''))
    .map(([key, value]) => `${key} ${there[key] ?? '(default)'} → ${value}`);
}

const DEFAULTS: Readonly<Record<string, string>> = { enabled: '1', mode: 'snapshot' };

function sorted(key: string, value: string): string {
  return key === 'prune-backups' || key === 'vmid' ? value.split(',').sort().join(',') : value;
}
