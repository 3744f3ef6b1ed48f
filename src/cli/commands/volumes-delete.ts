import { carryOut } from '../carry-out.js';
import { confirmName } from '../confirm-name.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { printPlan } from '../views/plan.js';
import { withSession } from '../with-session.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const name = args[0] ?? '';
  return withSession(context, async (session) => {
    const prepared = await session.plan({ kind: 'delete-volume', name }, { settled: true });
    if (!context.globals.json) printPlan(context, prepared.plan);
    const command = `oxherd volumes delete ${name} --confirm ${name}`;
    await confirmName(context, options.confirm, {
      name,
      what: `the data of ${name} would be destroyed`,
      command,
    });
    return carryOut(context, session, prepared, { command });
  });
}
