import { observe } from '../../observe/observe.js';
import { planVolumeAdopt } from '../../plan/plan-volumes.js';
import { carryOut } from '../carry-out.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { withSite } from '../site.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { args }: CommandInput): Promise<ExitCode> {
  const [name = '', volid = ''] = args;
  return withSite(context, async (site) => {
    const plan = planVolumeAdopt(site.design, await observe(site.client, site.design), name, volid);
    if (!context.globals.json) printPlan(context, plan);
    return carryOut(context, site, plan, `oxherd volumes adopt ${name} ${volid}`);
  });
}
