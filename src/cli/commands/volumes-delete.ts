import { OxherdError } from '../../model/error.js';
import { planVolumeDelete } from '../../plan/plan-volumes.js';
import { carryOut } from '../carry-out.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { look } from '../prepare-plan.js';
import { settleTasks } from '../settle-tasks.js';
import { withSite } from '../site.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const name = args[0] ?? '';
  return withSite(context, async (site) => {
    await settleTasks(context, site);
    const { design, observed } = await look(site, { machines: false });
    const plan = planVolumeDelete(design, observed, name);
    if (!context.globals.json) printPlan(context, plan);
    if ((options.confirm ?? (await askForName(context, name))) !== name) {
      throw new OxherdError('volumes.confirm', `the data of ${name} would be destroyed`, {
        advice: `say its name to confirm: oxherd volumes delete ${name} --confirm ${name}`,
      });
    }
    const volids = plan.steps.flatMap((step) => ('volid' in step ? [step.volid] : []));
    return carryOut(context, site, { plan, design }, `oxherd volumes delete ${name} --confirm ${name}`, {
      mayLose: new Set(volids),
    });
  });
}

async function askForName(context: CliContext, name: string): Promise<string | undefined> {
  if (!context.stdin.isTTY || !context.stdout.isTTY || context.globals.json) return undefined;
  const { text, isCancel } = await import('@clack/prompts');
  const answer = await text({ message: `This destroys data. Type ${name} to confirm` });
  return isCancel(answer) ? undefined : answer;
}
