/** How full the hosts are, from the file alone or with what Proxmox says. */
import { plannedCapacity } from '../../../session/plan/index.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';
import { printCapacity } from '../../views/capacity.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'capacity',
  summary: 'how full the Proxmox hosts are, and what does not fit',
  options: [{ flags: '--live', description: 'with what Proxmox says: sizes, other VMs, space' }],
  json: '`{ hosts, failovers, notes, problems }`',
  examples: [
    { command: 'oxherd capacity', does: 'from oxherd.yaml only' },
    { command: 'oxherd capacity --live --json', does: 'with what is there, as JSON' },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const capacity =
    options.live === true
      ? await withSession(context, (session) => session.capacity())
      : plannedCapacity(requireConfig(context).config);
  if (context.globals.json) context.stdout.write(`${JSON.stringify(capacity, null, 2)}\n`);
  else printCapacity(context, capacity);
  return capacity.problems.length > 0 ? EXIT.failed : EXIT.done;
}
