import { planVolumeForget, volumesForgotten } from '../../plan/drives/plan-volume-forget.js';
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
    const plan = planVolumeForget(design, observed, name);
    if (!context.globals.json) printPlan(context, plan);
    const command = `oxherd volumes forget ${name} --confirm ${name}`;
    const given = options.confirm === name.split('/')[1] ? name : options.confirm;
    await confirmName(context, given, {
      name,
      what: `${name} would be taken off its VMs for good, and the next apply makes a new, empty disk where the file names it`,
      command,
    });
    return carryOut(context, site, { plan, design }, command, { mayForget: volumesForgotten(plan) });
  });
}
