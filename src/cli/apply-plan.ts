/** Plans, shows, asks and carries out: what `apply` does, for every command that applies the file. */
import { OxherdError } from '../model/error.js';
import { isDisruptive, type Plan } from '../plan/plan.js';
import { carryOut } from './carry-out.js';
import { confirm } from './confirm.js';
import { type CliContext, EXIT, type ExitCode } from './context.js';
import { preparePlan } from './prepare-plan.js';
import { checkRemovedApis, kubernetesHop } from './removed-api-check.js';
import { settleTasks } from './settle-tasks.js';
import type { Site } from './site.js';
import { printPlan } from './views/plan.js';

export interface ApplyOptions {
  readonly only?: readonly string[];
  /** Somebody has agreed already. */
  readonly yes: boolean;
  /** The command that goes on where this one stops. */
  readonly goOn: string;
  /** Another plan in place of the fresh one, or an error that says why not. */
  readonly choose?: (fresh: Plan) => Plan;
}

export async function applyPlan(context: CliContext, site: Site, options: ApplyOptions): Promise<ExitCode> {
  const { only, choose = (fresh: Plan) => fresh, goOn } = options;
  await settleTasks(context, site);
  const prepared = await preparePlan(site, only && { only });
  const plan = choose(prepared.plan);
  if (!context.globals.json) printPlan(context, plan);
  if (plan.problems.some((problem) => problem.scope === 'plan')) {
    if (context.globals.json)
      context.stdout.write(`${JSON.stringify({ type: 'problems', problems: plan.problems })}\n`);
    return EXIT.failed;
  }
  // A node that is left out is said by the exit code, whatever else was done.
  const whenDone = plan.problems.length > 0 ? EXIT.failed : EXIT.done;
  if (plan.steps.length === 0) return whenDone;
  const hop = kubernetesHop(plan, prepared.observed, site);
  if (hop) await checkRemovedApis(context, site, hop);
  if (!options.yes && plan.steps.some((step) => isDisruptive(step.impact))) {
    const hint = `look at \`oxherd plan\`, then run \`${goOn} --yes\``;
    if (!(await confirm(context, 'Apply this plan?', hint))) return EXIT.failed;
  }
  const ready = await site.withSecrets();
  const final = ready === site ? { ...prepared, plan } : await planAgain(ready, plan, only);
  const exit = await carryOut(context, ready, final, goOn);
  return exit === EXIT.done ? whenDone : exit;
}

/** With the new secrets, and otherwise what was shown. */
async function planAgain(site: Site, shown: Plan, only: readonly string[] | undefined) {
  const again = await preparePlan(site, only && { only });
  const ids = (plan: Plan) =>
    plan.steps.map((step) => step.id).filter((id) => !id.startsWith('create-secrets:'));
  if (ids(again.plan).join(' ') !== ids(shown).join(' '))
    throw stalePlan('what is there has changed while the secrets were made');
  return again;
}

export function stalePlan(message: string): OxherdError {
  return new OxherdError('apply.stale-plan', message, {
    advice: 'look at what has changed with `oxherd plan`, save it again with --out, then apply that',
  });
}
