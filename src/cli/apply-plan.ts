/** Plans, shows, asks and carries out: what `apply` does, for every command that applies the file. */
import type { Condition } from '../health/condition.js';
import { OxherdError } from '../model/error.js';
import { confirmationOf } from '../session/confirm/confirmation.js';
import type { Plan, PlanRequest, PreparedPlan } from '../session/plan/index.js';
import { isClean } from '../session/rehearse/rehearsal.js';
import type { Session } from '../session/session.js';
import { agree } from './agree.js';
import { carryOut } from './carry-out.js';
import { type CliContext, EXIT, type ExitCode } from './context.js';
import { withUserFlags } from './own-commands.js';
import { exitWhenDone } from './verdict.js';
import { incompleteLines } from './views/incomplete.js';
import { printPlan } from './views/plan.js';
import { rehearsalText } from './views/rehearsal/text.js';

type Converge = Extract<PlanRequest, { kind: 'converge' }>;

interface ApplyOptions {
  readonly only?: readonly string[];
  /** Someone has agreed already. */
  readonly yes: boolean;
  /** The command that goes on where this one stops. */
  readonly goOn: string;
  /** Nodes that start again, in the first plan alone: what follows finds them new. */
  readonly reset?: Pick<Converge, 'fresh' | 'restore'>;
  /** On a twin of the cluster first; absent: where `policy.rehearse` says so. */
  readonly rehearse?: boolean;
  /** `--confirm NAME`, for plans that a name must be typed for. */
  readonly given?: unknown;
  /** Throws where the plan is not the one that was saved: a saved plan is agreed to, never carried out itself. */
  readonly saved?: (fresh: Plan) => void;
}

/** Machines that were away while a plan was made get what it could not see by the next one; they cannot be away for ever. */
const ROUNDS = 3;
/** How long a cluster without anything to do may take to become healthy. */
const RECOVERY_MS = 120_000;
const LOOK_MS = 10_000;

export async function applyPlan(
  context: CliContext,
  session: Session,
  options: ApplyOptions,
): Promise<ExitCode> {
  let away: readonly string[] = [];
  for (let round = 1; ; round += 1) {
    const request: Converge = {
      kind: 'converge',
      ...(options.only && { only: options.only }),
      ...(round === 1 && options.reset),
    };
    const prepared = await session.plan(request, { settled: true });
    const { plan } = prepared;
    if (round === 1) options.saved?.(plan);
    if (round > 1 && plan.steps.length === 0 && plan.problems.length === 0) return endOf(context, plan);
    if (round > 1) context.stderr.write(`${sayAway(away)}\n`);
    const exit = await applyOne(context, session, prepared, options);
    away = unseen(prepared);
    const isDone = exit === EXIT.done || exit === EXIT.incomplete;
    // Nothing was done: another look sees no more than this one.
    if (!isDone || away.length === 0 || plan.steps.length === 0 || round === ROUNDS) return exit;
    // Who gave a plan agreed to that one and to no other.
    if (options.saved) {
      context.stderr.write(`${sayAway(away)}; see what is left with \`oxherd plan\`\n`);
      return exit;
    }
  }
}

/** Machines that the plan could not compare, for whatever reason. */
function unseen({ plan, unobserved }: PreparedPlan): readonly string[] {
  return [...new Set([...unobserved, ...plan.incomplete.flatMap(({ node }) => node ?? [])])];
}

/** After a run, where nothing is left to do: whether that is known of everything. */
function endOf(context: CliContext, plan: Plan): ExitCode {
  if (plan.incomplete.length > 0) sayIncomplete(context, plan);
  return exitWhenDone(plan);
}

function sayIncomplete(context: CliContext, { incomplete }: Plan): void {
  if (context.globals.json) context.stdout.write(`${JSON.stringify({ type: 'incomplete', incomplete })}\n`);
  else context.stderr.write(`${withUserFlags(context, incompleteLines(incomplete).join('\n'))}\n`);
}

function sayAway(nodes: readonly string[]): string {
  return `${nodes.join(', ')} ${nodes.length === 1 ? 'was' : 'were'} unreachable during planning`;
}

async function applyOne(
  context: CliContext,
  session: Session,
  prepared: PreparedPlan,
  { only, goOn, yes, given, rehearse }: ApplyOptions,
): Promise<ExitCode> {
  const { plan } = prepared;
  if (!context.globals.json) printPlan(context, plan);
  if (plan.problems.some((problem) => problem.scope === 'plan')) {
    if (context.globals.json)
      context.stdout.write(`${JSON.stringify({ type: 'problems', problems: plan.problems })}\n`);
    return EXIT.failed;
  }
  // A node that is left out is said by the exit code, whatever else was done.
  const whenDone = plan.problems.length > 0 ? EXIT.failed : exitWhenDone(plan);
  if (plan.steps.length === 0) {
    if (context.globals.json && plan.incomplete.length > 0) sayIncomplete(context, plan);
    if (whenDone === EXIT.failed || only) return whenDone;
    const health = await unchangedExit(context, session);
    return health === EXIT.done ? whenDone : health;
  }
  const confirm = async (): Promise<boolean> => {
    if (rehearse ?? confirmationOf(prepared, session.config).rehearsal)
      await requireRehearsal(context, session, prepared, yes);
    return agree(context, session.config, prepared, { yes, given, command: goOn });
  };
  const exit = await carryOut(context, session, prepared, { command: goOn, confirm });
  return exit === EXIT.done || exit === EXIT.incomplete ? whenDone : exit;
}

/** The report stands before the question. What did not go well is no answer that `--yes` may give. */
async function requireRehearsal(
  context: CliContext,
  session: Session,
  prepared: PreparedPlan,
  yes: boolean,
): Promise<void> {
  const { color, json } = context.globals;
  if (!json) context.stderr.write('Rehearsing on a twin of the cluster …\n');
  // The lab is loaded only where it is asked for.
  const { rehearse, foretold } = await import('../session/rehearse/rehearse.js');
  const { request, plan } = prepared;
  const { env, signal } = context;
  const ran = await rehearse(session, await session.observation(), request, { plan, env, signal });
  const rehearsal = await foretold(context, session.config, ran);
  if (json) context.stdout.write(`${JSON.stringify({ type: 'rehearsal', rehearsal })}\n`);
  else context.stdout.write(`\n${rehearsalText(rehearsal, color)}\n\n`);
  if (isClean(rehearsal) || !yes) return;
  throw new OxherdError('apply.rehearsal', 'the rehearsal did not end well; nothing was changed', {
    advice: withUserFlags(
      context,
      'see what it says above, or apply without one: `oxherd apply --no-rehearse`',
    ),
  });
}

/**
 * A cluster that an interrupted run left behind may match its file and not be healthy: that is not "nothing to do". What
 * recovers by itself, such as an etcd learner that catches up, gets the time of a boot.
 */
async function unchangedExit(context: CliContext, session: Session): Promise<ExitCode> {
  if (!session.hasSecrets) return EXIT.done;
  const deadline = session.clock.elapsed() + RECOVERY_MS;
  for (let look = 1; ; look += 1) {
    const failing = (await session.health()).filter((condition) => condition.state === 'failed');
    if (failing.length === 0) return EXIT.done;
    const isOver = session.clock.elapsed() >= deadline || !failing.some(recovers);
    const lines = failing.map(({ message }) => `  ${message}`).join('\n');
    if (look === 1 && !isOver)
      context.stderr.write(`Waiting up to 2 minutes for the cluster to recover:\n${lines}\n`);
    if (isOver) {
      context.stderr.write(`The cluster is not healthy:\n${lines}\n`);
      context.stderr.write(`${withUserFlags(context, 'see `oxherd status`')}\n`);
      return EXIT.unhealthy;
    }
    await session.clock.sleep(LOOK_MS, context.signal);
  }
}

/** No boot helps these: everything else may get well by itself. */
function recovers({ layer, name }: Condition): boolean {
  return layer !== 'certificates' && !name.startsWith('backup');
}
