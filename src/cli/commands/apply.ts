import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { OxherdError } from '../../model/error.js';
import { isDisruptive, type Plan } from '../../plan/plan.js';
import { parsePlan } from '../../plan/saved-plan.js';
import { carryOut } from '../carry-out.js';
import { confirm } from '../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { preparePlan } from '../prepare-plan.js';
import { type Site, withSite } from '../site.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async (site) => {
    const only = onlyNodes(site, options.only);
    const prepared = await preparePlan(site, only && { only });
    const plan = args[0] === undefined ? prepared.plan : savedPlan(context, args[0], prepared.plan);
    if (!context.globals.json) printPlan(context, plan);
    if (plan.problems.some((problem) => problem.scope === 'plan')) {
      if (context.globals.json)
        context.stdout.write(`${JSON.stringify({ type: 'problems', problems: plan.problems })}\n`);
      return EXIT.failed;
    }
    // A node that is left out is said by the exit code, whatever else was done.
    const whenDone = plan.problems.length > 0 ? EXIT.failed : EXIT.done;
    if (plan.steps.length === 0) return whenDone;
    if (options.yes !== true && needsYes(plan)) {
      const yes = await confirm(
        context,
        'Apply this plan?',
        'look at `oxherd plan`, then run `oxherd apply --yes`',
      );
      if (!yes) return EXIT.failed;
    }
    const ready = await site.withSecrets();
    const final = ready === site ? { ...prepared, plan } : await planAgain(ready, plan, only);
    const exit = await carryOut(context, ready, final, 'oxherd apply');
    return exit === EXIT.done ? whenDone : exit;
  });
}

/** With the new secrets, and otherwise what was shown. */
async function planAgain(site: Site, shown: Plan, only: readonly string[] | undefined) {
  const again = await preparePlan(site, only && { only });
  const ids = (plan: Plan) =>
    plan.steps.map((step) => step.id).filter((id) => !id.startsWith('create-secrets:'));
  if (ids(again.plan).join(' ') !== ids(shown).join(' '))
    throw stale('what is there has changed while the secrets were made');
  return again;
}

function needsYes(plan: Plan): boolean {
  return plan.steps.some((step) => isDisruptive(step.impact));
}

function onlyNodes({ config }: Site, only: unknown): readonly string[] | undefined {
  if (!Array.isArray(only)) return undefined;
  const names = config.nodes.map((node) => node.name);
  const wrong = only.find((name) => !names.includes(String(name)));
  if (wrong !== undefined) {
    throw new OxherdError('cli.unknown-node', `there is no node ${wrong} in the file`, {
      advice: `nodes are: ${names.join(', ')}`,
    });
  }
  return only.map(String);
}

function savedPlan(context: CliContext, file: string, fresh: Plan): Plan {
  const plan = parsePlan(readFileSync(resolve(context.cwd, file), 'utf8'), file);
  const sameCluster = plan.cluster.name === fresh.cluster.name && plan.cluster.env === fresh.cluster.env;
  if (plan.fingerprint !== fresh.fingerprint || !sameCluster)
    throw stale(`${file} was made for another state than the one there is now`);
  return plan;
}

function stale(message: string): OxherdError {
  return new OxherdError('apply.stale-plan', message, {
    advice: 'look at what has changed with `oxherd plan`, save it again with --out, then apply that',
  });
}
