import { OxherdError } from '../../model/error.js';
import { carryOut } from '../carry-out.js';
import { confirm } from '../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { printPlan } from '../views/plan.js';
import { withSession } from '../with-session.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const { name } = session.config.cluster;
    const deleteData = options.deleteData === true;
    if (deleteData && options.confirm !== name) {
      throw new OxherdError('destroy.confirm', 'all data of the cluster would be destroyed', {
        advice: `say its name to confirm: oxherd destroy --delete-data --confirm ${name}`,
      });
    }
    const prepared = await session.plan({ kind: 'destroy', deleteData }, { settled: true });
    const { plan } = prepared;
    if (!context.globals.json) printPlan(context, plan);
    if (plan.problems.length > 0) return EXIT.failed;
    if (plan.steps.length === 0) return EXIT.done;
    const agreed = options.yes === true || (deleteData && options.confirm === name);
    return carryOut(context, session, prepared, {
      command: 'oxherd destroy',
      confirm: async () =>
        agreed || confirm(context, `Destroy the VMs of ${name}? Data is kept.`, 'run `oxherd destroy --yes`'),
    });
  });
}
