import { resolve } from 'node:path';
import { OxherdError } from '../../../model/error.js';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import { driftOnly, hasDrift, type Plan } from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { exitOfPlan } from '../../verdict.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';
import { FULL } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'plan',
  summary: 'show what would be done, and why',
  options: [
    { flags: '--out <file>', description: 'save the plan for `apply FILE`' },
    { flags: '--exit-code', description: 'exit 2 if anything is to be done, 0 if nothing' },
    FULL,
    {
      flags: '--format <format>',
      description: 'markdown: for the comment of a pull request, each node to open',
      choices: ['text', 'markdown'],
      default: 'text',
    },
    { flags: '--graph', description: 'the steps and their order as a mermaid graph' },
    {
      flags: '--drift-only',
      description: 'show only what was changed outside oxherd, and which side wins',
    },
  ],
  json: 'the plan: `{ planId, cluster, changes, steps, notes, problems, incomplete: [{ what, node?, why }], … }`, as `--out` writes it',
  exits: {
    2: 'with `--exit-code`: something is to be done',
    4: 'something in scope could not be compared; `incomplete` names it, and `--out` is still written',
  },
  examples: [
    { command: 'oxherd plan', does: 'compares oxherd.yaml with the cluster' },
    { command: 'oxherd --lab plan', does: 'the same on the embedded lab' },
    {
      command: 'oxherd plan --out plan.json && oxherd apply plan.json',
      does: 'applies exactly what was shown',
    },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const drift = options.driftOnly === true;
  if (drift && options.out !== undefined) {
    throw new OxherdError('cli.drift-out', 'a plan of the drift alone is for reading and cannot be saved', {
      advice: 'leave out --out, or --drift-only',
    });
  }
  return withSession(context, async (session) => {
    const { plan: whole } = await session.plan();
    const plan = drift ? driftOnly(whole) : whole;
    const changes = drift ? hasDrift(plan) : plan.steps.length > 0;
    const json = JSON.stringify({ ...plan, changes }, null, 2);
    if (typeof options.out === 'string') {
      await replacePrivateFile(resolve(context.cwd, options.out), `${json}\n`);
    }
    if (options.graph === true) {
      const { planMermaid } = await import('../../../export/plan-graph.js');
      context.stdout.write(`${planMermaid(plan)}\n`);
    } else if (context.globals.json) context.stdout.write(`${json}\n`);
    else if (options.format === 'markdown') {
      const { planMarkdown } = await import('../../views/screen/plan-markdown.js');
      context.stdout.write(
        `${planMarkdown(plan, { cluster: clusterName(session.config), full: context.globals.full === true })}\n`,
      );
    } else printPlan(context, plan, drift ? { unchanged: noDrift(plan, whole.steps.length) } : {});
    if (plan.problems.length > 0) return EXIT.failed;
    return exitOfPlan(plan, options.exitCode === true && changes);
  });
}

function clusterName({ cluster: { name, env } }: Session['config']): string {
  return env === undefined ? name : `${name} (${env})`;
}

function noDrift(drift: Plan, left: number): string {
  const more = left === 0 ? '' : ` ${left} other ${left === 1 ? 'step' : 'steps'}: see \`oxherd plan\`.`;
  const what = hasDrift(drift)
    ? 'No drift to correct. Drift left in place is listed under notes.'
    : 'No drift.';
  return `${what}${more}`;
}
