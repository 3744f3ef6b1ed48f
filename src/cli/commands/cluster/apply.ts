import { OxherdError } from '../../../model/error.js';
import type { Plan, PlanRequest } from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import { agree } from '../../agree.js';
import { applyPlan } from '../../apply-plan.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { exitWhenDone } from '../../verdict.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'apply',
  summary: 'apply the changes; safe to re-run',
  args: [{ name: '[plan]', description: 'a plan saved by `plan --out` or `host drain --out`' }],
  options: [
    YES,
    FULL,
    { flags: '--only <node...>', description: 'limit the run to these nodes', names: 'nodes' },
    {
      flags: '--fresh',
      description: 'reset nodes onto new EPHEMERAL disks; old disks and all volumes are kept',
    },
    { flags: '--confirm <cluster>', description: 'the name of the cluster, for --fresh' },
    {
      flags: '--plan-id <id>',
      description: 'apply only the plan of this id, as a review approved it; refuse any other',
    },
    {
      flags: '--rehearse',
      description: 'run the plan on a twin of the cluster first, and ask with the result',
    },
    { flags: '--no-rehearse', description: 'apply without a rehearsal, whatever `policy.rehearse` says' },
  ],
  json: 'the events of the run, one per line; `{ type: "problems", problems }` where nothing can be done, `{ type: "incomplete", incomplete }` if something in scope could not be compared',
  exits: { 4: 'every step is done, but something in scope could not be compared' },
  examples: [
    { command: 'oxherd apply', does: 'plans, asks, applies' },
    { command: 'oxherd --lab apply --yes', does: 'builds the cluster on the embedded lab' },
    { command: 'oxherd apply --only work-2', does: 'touches one node' },
    {
      command: 'oxherd apply --plan-id "$id" --yes',
      does: 'applies the plan that was reviewed, and no other',
    },
    {
      command: 'oxherd apply --fresh --only cp-2 --confirm homelab',
      does: 'joins a control plane whose data is lost as a new member',
    },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const [file] = args;
    const only = onlyNodes(session, options.only);
    const approved = approvedId(options.planId, file);
    const request = file === undefined ? undefined : session.savedRequest(file);
    if (file !== undefined && request)
      return applyRequest(context, session, { file, request, yes: options.yes === true });
    if (options.fresh === true && file !== undefined) throw freshFromFile();
    return applyPlan(context, session, {
      yes: options.yes === true,
      goOn: only ? `oxherd apply --only ${only.join(' ')}` : 'oxherd apply',
      ...(only && { only }),
      ...(typeof options.rehearse === 'boolean' && { rehearse: options.rehearse }),
      ...(options.fresh === true && freshStart(session, only, options.confirm)),
      ...(file !== undefined && { saved: (fresh: Plan) => session.checkSaved(file, fresh) }),
      ...(approved !== undefined && { saved: (fresh: Plan) => requirePlanId(fresh, approved) }),
    });
  });
}

/** A plan that another command saved, such as `host drain --out`: made again, compared, and carried out. */
async function applyRequest(
  context: CliContext,
  session: Session,
  { file, request, yes }: { readonly file: string; readonly request: PlanRequest; readonly yes: boolean },
): Promise<ExitCode> {
  const prepared = await session.plan(request, { settled: true });
  const { plan } = prepared;
  session.checkSaved(file, plan);
  if (!context.globals.json) printPlan(context, plan);
  if (plan.problems.length > 0) return EXIT.failed;
  if (plan.steps.length === 0) return exitWhenDone(plan);
  const command = `oxherd apply ${file}`;
  return carryOut(context, session, prepared, {
    command,
    confirm: () => agree(context, session.config, prepared, { yes, command }),
  });
}

/** New EPHEMERAL disks for these nodes; for all of them a new cluster on the old volumes. */
function freshStart({ config }: Session, only: readonly string[] | undefined, given: unknown) {
  const { name } = config.cluster;
  const nodes = only ?? config.nodes.map((node) => node.name);
  const narrowed = only ? ` --only ${only.join(' ')}` : '';
  const command = `oxherd apply --fresh${narrowed} --confirm ${name}`;
  return {
    reset: { fresh: nodes },
    goOn: command,
    yes: true,
    given,
  };
}

function freshFromFile(): OxherdError {
  return new OxherdError('cli.fresh-plan', '--fresh cannot be combined with a saved plan', {
    advice: 'leave the plan file out',
  });
}

/** An id that is empty or cut off approves nothing. */
function approvedId(given: unknown, file: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (file !== undefined)
    throw new OxherdError('cli.plan-id', '--plan-id cannot be combined with a saved plan', {
      advice: 'leave out the plan file; apply plans again and compares the id',
    });
  if (typeof given === 'string' && /^[0-9a-f]{64}$/.test(given)) return given;
  throw new OxherdError('cli.plan-id', '--plan-id is not the id of a plan', {
    advice: 'give all 64 hexadecimal digits; `oxherd plan --json` has them as `planId`',
  });
}

function requirePlanId({ planId }: Plan, approved: string): void {
  if (planId === approved) return;
  throw new OxherdError(
    'apply.other-plan',
    `the plan is ${planId.slice(0, 12)}, and ${approved.slice(0, 12)} was approved; nothing was changed`,
    { advice: 'oxherd.yaml or the cluster has changed since the review: review `oxherd plan` again' },
  );
}

function onlyNodes({ config }: Session, only: unknown): readonly string[] | undefined {
  if (!Array.isArray(only)) return undefined;
  const names = config.nodes.map((node) => node.name);
  const wrong = only.find((name) => !names.includes(String(name)));
  if (wrong !== undefined) {
    throw new OxherdError('cli.unknown-node', `oxherd.yaml has no node ${wrong}`, {
      advice: `nodes are: ${names.join(', ')}`,
    });
  }
  return only.map(String);
}
