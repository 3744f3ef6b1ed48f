import { redactedConfigTexts } from '../../formats/redact/redact-talos.js';
import { redactText } from '../../formats/redact/redact-text.js';
import { attempt } from '../../observe/attempt.js';
import type { MachineDetails } from '../../observe/observed-machines.js';
import type { StepContext } from './context.js';
import { adminOf, detailsOf, needMachines } from './machine-wait.js';

const LINES = 5;
const AT_REST = new Set(['Running', 'Finished', 'Skipped']);

/** What the services of a machine that are not well last wrote, for an error; nothing where the machine is silent. */
export async function failingServiceLog(
  context: StepContext,
  { node = '', ip, role }: { node?: string; ip: string; role: 'controlplane' | 'worker' },
): Promise<string> {
  const details = await attempt(() => detailsOf(context, ip, role));
  const ill = details.known ? illService(details.value) : undefined;
  if (ill === undefined) return '';
  const text = await attempt(() => adminOf(context, ip).logs(ill, LINES));
  // A component that does not start repeats the flags it was given.
  const hidden = redactedConfigTexts(needMachines(context).configOf(node));
  const lines = text.known ? redactText(text.value, hidden).trim().split('\n').filter(Boolean) : [];
  return lines.length === 0 ? '' : `\n${ill} last wrote:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** The first in Talos' own order: what comes later often only waits for it. */
function illService({ services, etcd }: MachineDetails): string | undefined {
  const ill = services.find(({ state, health }) => !AT_REST.has(state) || health === 'unhealthy');
  if (ill) return ill.id;
  return etcd && (!etcd.known || etcd.value.learner || etcd.value.leader === '') ? 'etcd' : undefined;
}
