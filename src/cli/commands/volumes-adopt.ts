import { planVolumeAdopt } from '../../plan/drives/plan-volume-adopt.js';
import { carryOut } from '../carry-out.js';
import { confirmName } from '../confirm-name.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { look } from '../prepare-plan.js';
import { settleTasks } from '../settle-tasks.js';
import { withSite } from '../site.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [name = '', volid = ''] = args;
  return withSite(context, async (site) => {
    await settleTasks(context, site);
    const { design, observed } = await look(site, { machines: false });
    const { plan, doubts } = planVolumeAdopt(design, observed, name, volid);
    if (!context.globals.json) printPlan(context, plan);
    const command = `oxherd volumes adopt ${name} ${volid}`;
    if (doubts.length > 0) {
      await confirmName(context, options.confirm, {
        name,
        what: `whether ${volid} is ${name} cannot be told: ${doubts.join('; ')}`,
        command: `${command} --confirm ${name}`,
      });
    }
    return carryOut(context, site, { plan, design }, command);
  });
}
