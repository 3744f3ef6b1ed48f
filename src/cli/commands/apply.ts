import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { OxherdError } from '../../model/error.js';
import { observe } from '../../observe/observe.js';
import { isDisruptive, type Plan } from '../../plan/plan.js';
import { planCluster } from '../../plan/plan-cluster.js';
import { parsePlan } from '../../plan/saved-plan.js';
import { carryOut } from '../carry-out.js';
import { confirm } from '../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { type Site, withSite } from '../site.js';
import { printPlan } from '../views/plan.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async (site) => {
    const only = Array.isArray(options.only) ? options.only.map(String) : undefined;
    checkNames(site, only);
    const fresh = planCluster(site.design, await observe(site.client, site.design), only ? { only } : {});
    const plan = args[0] === undefined ? fresh : savedPlan(context, args[0], fresh);
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
    const exit = await carryOut(context, site, plan, 'oxherd apply');
    return exit === EXIT.done ? whenDone : exit;
  });
}

function needsYes(plan: Plan): boolean {
  return plan.steps.some((step) => isDisruptive(step.impact));
}

function checkNames({ design }: Site, only: readonly string[] | undefined): void {
  const names = design.nodes.map((node) => node.name);
  const wrong = only?.find((name) => !names.includes(name));
  if (wrong !== undefined) {
    throw new OxherdError('cli.unknown-node', `there is no node ${wrong} in the file`, {
      advice: `nodes are: ${names.join(', ')}`,
    });
  }
}

function savedPlan(context: CliContext, file: string, fresh: Plan): Plan {
  const plan = parsePlan(readFileSync(resolve(context.cwd, file), 'utf8'), file);
  if (
    plan.fingerprint !== fresh.fingerprint ||
    plan.cluster.name !== fresh.cluster.name ||
    plan.cluster.env !== fresh.cluster.env
  ) {
    throw new OxherdError(
      'apply.stale-plan',
      `${file} was made for another state than the one there is now`,
      {
        advice: 'look at what has changed with `oxherd plan`, save it again with --out, then apply that',
      },
    );
  }
  return plan;
}
