import { resolve } from 'node:path';
import { replacePrivateFile } from '../../secrets/private-file.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { preparePlan } from '../prepare-plan.js';
import { withSite } from '../site.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async (site) => {
    const { plan } = await preparePlan(site);
    if (typeof options.out === 'string') {
      await replacePrivateFile(resolve(context.cwd, options.out), `${JSON.stringify(plan, null, 2)}\n`);
    }
    if (context.globals.json) context.stdout.write(`${JSON.stringify(plan, null, 2)}\n`);
    else printPlan(context, plan);
    if (plan.problems.length > 0) return EXIT.failed;
    return options.exitCode === true && plan.steps.length > 0 ? EXIT.changes : EXIT.done;
  });
}
