import { agree } from '../../agree.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'delete',
  summary: 'destroy a parked volume',
  args: [{ name: '<name>', description: 'the volume as `volumes list` shows it', names: 'volumes' }],
  options: [{ flags: '--confirm <name>', description: 'the same name again' }],
  json: 'the events of the run, one per line',
  examples: [{ command: 'oxherd volumes delete work-1/old --confirm work-1/old', does: 'destroys its data' }],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const name = args[0] ?? '';
  return withSession(context, async (session) => {
    const prepared = await session.plan({ kind: 'delete-volume', name }, { settled: true });
    if (!context.globals.json) printPlan(context, prepared.plan);
    const command = `oxherd volumes delete ${name} --confirm ${name}`;
    return carryOut(context, session, prepared, {
      command,
      confirm: () =>
        agree(context, session.config, prepared, { yes: false, given: options.confirm, command }),
    });
  });
}
