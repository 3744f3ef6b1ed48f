/** The system disk that a new one replaces: what must be known before it is deleted. */
import { readVolumes } from '../../observe/observe-machines.js';
import type { StepOf } from '../../plan/steps.js';
import type { StepContext } from './context.js';
import { adminOf } from './machine-wait.js';
import { requireVm, StepError, unusedKey } from './read-vm.js';

/** Only this volume, and only while it is on no slot. */
export async function deleteUnused(
  context: StepContext,
  { host, vmid }: { readonly host: string; readonly vmid: number },
  volume: string,
): Promise<boolean> {
  const now = await requireVm(context, host, vmid);
  const unused = unusedKey(now, volume);
  if (unused) await context.client.updateVm(host, vmid, { delete: [unused], digest: now.digest });
  return unused !== undefined;
}

/**
 * Talos finds volumes by partition label on any disk: what the config says is not where the data is. Only the machine
 * knows, so it is asked; unknown or different is a refusal.
 */
export async function proveDataIsElsewhere(
  step: StepOf<'replace-os-disk' | 'delete-old-system-disk'>,
  context: StepContext,
): Promise<void> {
  const volumes = await readVolumes(adminOf(context, step.ip));
  for (const [id, wwid] of Object.entries(step.keptOn)) {
    const volume = volumes.find((candidate) => candidate.id === id);
    if (volume?.wwid === wwid) continue;
    throw new StepError(
      'apply.data-elsewhere',
      `${step.node} keeps ${id} ${volume?.wwid ? `on another disk (${volume.wwid})` : 'on a disk that is not known'}, not on its own (${wwid})`,
      { advice: `nothing was changed; see talosctl -n ${step.ip} get volumestatus` },
    );
  }
}
