import { planVolumeDelete } from '../../plan/drives/plan-volume-delete.js';
import { volumesLost } from '../../plan/plan-destroy.js';
import { withSite } from '../../session/connect/site.js';
import { carryOut } from '../../session/execute/carry-out.js';
import { look } from '../../session/plan/prepare-plan.js';
import { settleTasks } from '../../session/plan/settle-tasks.js';
import { confirmName } from '../confirm-name.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const name = args[0] ?? '';
  return withSite(context, async (site) => {
    await settleTasks(context, site);
    const { design, observed } = await look(site, { machines: false });
    const plan = planVolumeDelete(design, observed, name);
    if (!context.globals.json) printPlan(context, plan);
    const command = `oxherd volumes delete ${name} --confirm ${name}`;
    await confirmName(context, options.confirm, {
      name,
      what: `the data of ${name} would be destroyed`,
      command,
    });
    return carryOut(context, site, { plan, design }, command, { mayLose: volumesLost(plan) });
  });
}
