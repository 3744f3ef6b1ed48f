import { planVolumeAdopt } from '../../plan/drives/plan-volumes.js';
import { carryOut } from '../carry-out.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { look } from '../prepare-plan.js';
import { settleTasks } from '../settle-tasks.js';
import { withSite } from '../site.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { args }: CommandInput): Promise<ExitCode> {
  const [name = '', volid = ''] = args;
  return withSite(context, async (site) => {
    await settleTasks(context, site);
    const { design, observed } = await look(site, { machines: false });
    const plan = planVolumeAdopt(design, observed, name, volid);
    if (!context.globals.json) printPlan(context, plan);
    return carryOut(context, site, { plan, design }, `oxherd volumes adopt ${name} ${volid}`);
  });
}
