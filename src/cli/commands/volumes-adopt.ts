import { carryOut } from '../carry-out.js';
import { confirmName } from '../confirm-name.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { printPlan } from '../views/plan.js';
import { withSession } from '../with-session.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [name = '', volid = ''] = args;
  return withSession(context, async (session) => {
    const prepared = await session.plan({ kind: 'adopt-volume', name, volid }, { settled: true });
    if (!context.globals.json) printPlan(context, prepared.plan);
    const command = `oxherd volumes adopt ${name} ${volid}`;
    if (prepared.doubts.length > 0) {
      await confirmName(context, options.confirm, {
        name,
        what: prepared.kubernetes
          ? `${volid} becomes ${name} of this cluster; ${prepared.doubts.join('; ')} cannot be told`
          : `whether ${volid} is ${name} cannot be told: ${prepared.doubts.join('; ')}`,
        command: `${command} --confirm ${name}`,
      });
    }
    return carryOut(context, session, prepared, { command });
  });
}
