import { OxherdError } from '../../model/error.js';
import { planDestroy, volumesLost } from '../../plan/plan-destroy.js';
import { withSite } from '../../session/connect/site.js';
import { carryOut } from '../../session/execute/carry-out.js';
import { look } from '../../session/plan/prepare-plan.js';
import { settleTasks } from '../../session/plan/settle-tasks.js';
import { confirm } from '../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async (site) => {
    const { name } = site.config.cluster;
    const deleteData = options.deleteData === true;
    if (deleteData && options.confirm !== name) {
      throw new OxherdError('destroy.confirm', 'all data of the cluster would be destroyed', {
        advice: `say its name to confirm: oxherd destroy --delete-data --confirm ${name}`,
      });
    }
    await settleTasks(context, site);
    const { design, observed } = await look(site, { machines: false });
    const { secrets, secretsPath } = site.machines;
    const plan = planDestroy(design, observed, { deleteData, ...(!secrets && { secretsLost: secretsPath }) });
    if (!context.globals.json) printPlan(context, plan);
    if (plan.problems.length > 0) return EXIT.failed;
    if (plan.steps.length === 0) return EXIT.done;
    if (options.yes !== true && !(deleteData && options.confirm === name)) {
      const yes = await confirm(
        context,
        `Destroy the VMs of ${name}? Data is kept.`,
        'run `oxherd destroy --yes`',
      );
      if (!yes) return EXIT.failed;
    }
    return carryOut(
      context,
      site,
      { plan, design },
      'oxherd destroy',
      deleteData ? { mayLose: volumesLost(plan) } : {},
    );
  });
}
