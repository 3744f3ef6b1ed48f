import { agree } from '../../agree.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'forget',
  summary: 'take a disk whose volume no longer exists off its VMs; a volume that exists is refused',
  args: [{ name: '<name>', description: 'the volume as `volumes list` shows it', names: 'volumes' }],
  options: [{ flags: '--confirm <name>', description: 'the same name again' }],
  json: 'the events of the run, one per line',
  examples: [
    {
      command: 'oxherd volumes forget work-1/data --confirm work-1/data',
      does: 'then the next apply creates a new, empty disk',
    },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const name = args[0] ?? '';
  return withSession(context, async (session) => {
    const prepared = await session.plan({ kind: 'forget-volume', name }, { settled: true });
    if (!context.globals.json) printPlan(context, prepared.plan);
    const command = `oxherd volumes forget ${name} --confirm ${name}`;
    const given = options.confirm === name.split('/')[1] ? name : options.confirm;
    return carryOut(context, session, prepared, {
      command,
      confirm: () => agree(context, session.config, prepared, { yes: false, given, command }),
    });
  });
}
