import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { OxherdError } from '../../model/error.js';
import type { Plan } from '../../plan/plan.js';
import { parsePlan } from '../../plan/saved-plan.js';
import { applyPlan, stalePlan } from '../apply-plan.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { type Site, withSite } from '../site.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async (site) => {
    const [file] = args;
    const only = onlyNodes(site, options.only);
    return applyPlan(context, site, {
      yes: options.yes === true,
      goOn: 'oxherd apply',
      ...(only && { only }),
      ...(file !== undefined && { choose: (fresh: Plan) => savedPlan(context, file, fresh) }),
    });
  });
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
    throw stalePlan(`${file} was made for another state than the one there is now`);
  return plan;
}
