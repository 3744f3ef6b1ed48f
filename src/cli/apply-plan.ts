/** Plans, shows, asks and carries out: what `apply` does, for every command that applies the file. */
import type { Observed } from '../observe/observed.js';
import { unobservedMachines } from '../plan/machines/unobserved-machines.js';
import type { Plan } from '../plan/plan.js';
import type { PlanOptions } from '../plan/plan-cluster.js';
import { stalePlan } from '../plan/saved-plan.js';
import type { Site } from '../session/connect/site.js';
import { carryOut } from '../session/execute/carry-out.js';
import { awaitMachines } from '../session/plan/await-machines.js';
import { conditionsOf } from '../session/plan/conditions.js';
import { preparePlan, type Situation } from '../session/plan/prepare-plan.js';
import { checkRemovedApis, kubernetesHop } from '../session/plan/removed-api-check.js';
import { settleTasks } from '../session/plan/settle-tasks.js';
import { agree } from './agree.js';
import { type CliContext, EXIT, type ExitCode } from './context.js';
import { withUserFlags } from './own-commands.js';
import { printPlan } from './views/plan.js';

export interface ApplyOptions {
  readonly only?: readonly string[];
  /** Somebody has agreed already. */
  readonly yes: boolean;
  /** The command that goes on where this one stops. */
  readonly goOn: string;
  /** Nodes that begin anew, in the first plan alone: what follows finds them new. */
  readonly anew?: Pick<PlanOptions, 'fresh' | 'restore'>;
  /** What must be agreed to besides, once the plan was shown; throws where it is not. */
  readonly agreed?: (plan: Plan) => Promise<void>;
  /** Throws where the plan is not the one that was saved: a saved plan is agreed to, never carried out itself. */
  readonly saved?: (fresh: Plan) => void;
}

type AskedPlan = Pick<PlanOptions, 'only' | 'fresh' | 'restore'>;

/** Machines that were away while a plan was made get what it could not see by the next one; they cannot be away for ever. */
const ROUNDS = 3;

export async function applyPlan(context: CliContext, first: Site, options: ApplyOptions): Promise<ExitCode> {
  await settleTasks(context, first);
  let site = first;
  let away: readonly string[] = [];
  for (let round = 1; ; round += 1) {
    const asked = { ...(options.only && { only: options.only }), ...(round === 1 && options.anew) };
    const prepared = await prepareSettled(context, site, asked);
    const { plan } = prepared;
    if (round === 1) options.saved?.(plan);
    if (round > 1 && plan.steps.length === 0 && plan.problems.length === 0) return EXIT.done;
    if (round > 1) context.stderr.write(`${sayAway(away)}\n`);
    const { exit, ready } = await applyOne(context, site, prepared, { ...options, asked });
    away = unobservedMachines(plan, prepared.observed);
    if (exit !== EXIT.done || away.length === 0 || round === ROUNDS) return exit;
    // Who gave a plan agreed to that one and to no other.
    if (options.saved) {
      context.stderr.write(`${sayAway(away)}; see what is left with \`oxherd plan\`\n`);
      return exit;
    }
    site = ready;
  }
}

function sayAway(nodes: readonly string[]): string {
  return `${nodes.join(', ')} could not be compared with the file while the plan was made`;
}

/** With every machine that boots or reboots just now back. */
async function prepareSettled(context: CliContext, site: Site, asked: AskedPlan) {
  const prepared = await preparePlan(site, asked);
  // Machines that begin anew are waited for when they have begun.
  if (asked.fresh) return prepared;
  const waited = await awaitMachines(prepared.design, onlyMachines(prepared.observed, asked.only), {
    talos: site.machines.talos,
    client: site.client,
    clock: site.clock,
    signal: context.signal,
    progress: (message) => context.stderr.write(`${message}\n`),
  });
  return waited ? preparePlan(site, asked) : prepared;
}

/** Nodes that this run leaves alone are not waited for. */
function onlyMachines(observed: Observed, only: readonly string[] | undefined): Observed {
  if (!only) return observed;
  const machines = Object.entries(observed.machines).filter(([node]) => only.includes(node));
  return { ...observed, machines: Object.fromEntries(machines) };
}

async function applyOne(
  context: CliContext,
  site: Site,
  prepared: Situation & { readonly plan: Plan },
  { asked, goOn, yes, agreed }: ApplyOptions & { readonly asked: AskedPlan },
): Promise<{ readonly exit: ExitCode; readonly ready: Site }> {
  const { plan } = prepared;
  if (!context.globals.json) printPlan(context, plan);
  if (plan.problems.some((problem) => problem.scope === 'plan')) {
    if (context.globals.json)
      context.stdout.write(`${JSON.stringify({ type: 'problems', problems: plan.problems })}\n`);
    return { exit: EXIT.failed, ready: site };
  }
  // A node that is left out is said by the exit code, whatever else was done.
  const whenDone = plan.problems.length > 0 ? EXIT.failed : EXIT.done;
  if (plan.steps.length === 0)
    return {
      exit: whenDone === EXIT.done ? await unchangedExit(context, site, asked) : whenDone,
      ready: site,
    };
  const hop = kubernetesHop(plan, prepared.observed, site);
  if (hop) await checkRemovedApis(context, site, hop);
  await agreed?.(plan);
  if (!(await agree(context, site.config.policy, plan, { yes, command: goOn })))
    return { exit: EXIT.failed, ready: site };
  const ready = await site.withSecrets();
  const final = ready === site ? prepared : await planAgain(ready, plan, asked);
  const exit = await carryOut(context, ready, final, goOn);
  return { exit: exit === EXIT.done ? whenDone : exit, ready };
}

/** A cluster that a cut-off run left behind may match its file and not be well: that is not "nothing to do". */
async function unchangedExit(context: CliContext, site: Site, { only }: AskedPlan): Promise<ExitCode> {
  if (only || !site.machines.secrets) return EXIT.done;
  const failing = (await conditionsOf(context, site)).filter((condition) => condition.state === 'failed');
  if (failing.length === 0) return EXIT.done;
  const lines = failing.map(({ message }) => `  ${message}`);
  context.stderr.write(`The cluster is not healthy:\n${lines.join('\n')}\n`);
  context.stderr.write(`${withUserFlags(context, 'see `oxherd status`')}\n`);
  return EXIT.unhealthy;
}

/** With the new secrets, and otherwise what was shown. */
async function planAgain(site: Site, shown: Plan, asked: AskedPlan) {
  const again = await preparePlan(site, asked);
  const ids = (plan: Plan) =>
    plan.steps.map((step) => step.id).filter((id) => !id.startsWith('create-secrets:'));
  if (ids(again.plan).join(' ') !== ids(shown).join(' '))
    throw stalePlan('what is there has changed while the secrets were made');
  // They are made by now; the step stays, so that as many run as were announced.
  const made = shown.steps.filter((step) => step.kind === 'create-secrets');
  return { ...again, plan: { ...again.plan, steps: [...made, ...again.plan.steps] } };
}
