import { agree } from '../../agree.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'destroy',
  summary: 'remove the VMs; data is kept unless told',
  options: [
    YES,
    FULL,
    { flags: '--delete-data', description: 'destroy the data as well; needs --confirm' },
    { flags: '--confirm <cluster>', description: 'the name of the cluster whose data is to be destroyed' },
  ],
  json: 'the events of the run, one per line',
  examples: [
    { command: 'oxherd destroy', does: 'removes the Talos VMs and keeps every data VM' },
    { command: 'oxherd destroy --delete-data --confirm homelab', does: 'removes everything' },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const { name } = session.config.cluster;
    const deleteData = options.deleteData === true;
    const prepared = await session.plan({ kind: 'destroy', deleteData }, { settled: true });
    const { plan } = prepared;
    if (!context.globals.json)
      printPlan(context, plan, { unchanged: `Nothing to remove: no node of ${name} has a VM.` });
    if (plan.problems.length > 0) return EXIT.failed;
    if (plan.steps.length === 0) return EXIT.done;
    const command = deleteData ? `oxherd destroy --delete-data --confirm ${name}` : 'oxherd destroy';
    return carryOut(context, session, prepared, {
      command: 'oxherd destroy',
      confirm: () =>
        agree(context, session.config, prepared, {
          yes: options.yes === true,
          given: options.confirm,
          command,
        }),
    });
  });
}
