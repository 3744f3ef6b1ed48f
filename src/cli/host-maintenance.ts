/** What `host drain`, `host return` and `host roll` have in common: show, ask, carry out. */
import { formatDuration, parseDuration } from '../model/duration.js';
import { OxherdError } from '../model/error.js';
import type { PlanRequest, PreparedPlan } from '../session/plan/index.js';
import type { Session } from '../session/session.js';
import { agree } from './agree.js';
import { carryOut } from './carry-out.js';
import type { OptionSpec } from './command-spec.js';
import { type CliContext, EXIT, type ExitCode, Interrupted } from './context.js';
import { withUserFlags } from './own-commands.js';
import { exitWhenDone } from './verdict.js';
import { decisionsText } from './views/host.js';
import { printPlan } from './views/plan.js';

type DrainHost = Extract<PlanRequest, { kind: 'drain-host' }>;

export const DRAIN_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--for <duration>',
    description: 'expected duration of the maintenance, such as 45m or 2h',
    default: '1h',
  },
  { flags: '--stay <node...>', description: 'nodes that are shut down and stay' },
  { flags: '--move <node...>', description: 'nodes that move, however long copying takes' },
  { flags: '--accept-down', description: 'pods that no other node can take are down until the host returns' },
  { flags: '--accept-no-quorum', description: 'Proxmox may lose its quorum, or a QDevice has a vote' },
];

export function drainRequest(host: string, options: Readonly<Record<string, unknown>>): DrainHost {
  return {
    kind: 'drain-host',
    host,
    forSeconds: durationOf(options.for),
    stay: names(options.stay),
    move: names(options.move),
    accept: { podsDown: options.acceptDown === true, noQuorum: options.acceptNoQuorum === true },
  };
}

/** The flags that give the same request again. */
export function drainFlags({ forSeconds, stay, move, accept }: DrainHost): string {
  return [
    `--for ${formatDuration(forSeconds)}`,
    ...(stay.length > 0 ? [`--stay ${stay.join(' ')}`] : []),
    ...(move.length > 0 ? [`--move ${move.join(' ')}`] : []),
    ...(accept.podsDown ? ['--accept-down'] : []),
    ...(accept.noQuorum ? ['--accept-no-quorum'] : []),
  ].join(' ');
}

interface Asking {
  readonly yes: boolean;
  /** The command that goes on where this one stops. */
  readonly goOn: string;
}

export async function drainHost(
  context: CliContext,
  session: Session,
  request: DrainHost,
  asking: Asking,
): Promise<ExitCode> {
  const prepared = await session.plan(request, { settled: true });
  showDrain(context, prepared, request.host);
  return doIt(context, session, prepared, asking);
}

export function showDrain(context: CliContext, { plan, drain = [] }: PreparedPlan, host: string): void {
  if (context.globals.json) return;
  if (drain.length > 0) context.stdout.write(`${decisionsText(drain)}\n\n`);
  printPlan(context, plan, { unchanged: `Nothing of this cluster is left to drain on ${host}.` });
}

/** Waits for the host first. */
export async function returnHost(
  context: CliContext,
  session: Session,
  host: string,
  asking: Asking & { readonly waitSeconds: number },
): Promise<ExitCode> {
  await session.awaitHost(host, asking.waitSeconds);
  const prepared = await session.plan({ kind: 'return-host', host }, { settled: true });
  if (!context.globals.json)
    printPlan(context, prepared.plan, { unchanged: `No node of this cluster was drained from ${host}.` });
  const outcome = await doIt(context, session, prepared, asking);
  return outcome === EXIT.done || outcome === EXIT.incomplete
    ? completeReturn(context, session, host, asking.goOn)
    : outcome;
}

/**
 * A run that was cut off may have noted that a node is back, and not told it which host it is on; and the place of one
 * with `host: auto` is noted again.
 */
async function completeReturn(
  context: CliContext,
  session: Session,
  host: string,
  goOn: string,
): Promise<ExitCode> {
  const nodes = (await session.hosts()).find(({ name }) => name === host)?.nodes ?? [];
  const only = nodes.filter(({ running }) => running).map(({ name }) => name);
  if (only.length === 0) return EXIT.done;
  const rest = await session.plan({ kind: 'converge', only }, { settled: true });
  const { steps } = rest.plan;
  // What disrupts them was not asked for: it is left to apply.
  const isQuiet = steps.every(({ impact }) => impact === 'live' || impact === 'none');
  if (steps.length === 0 || !isQuiet) return exitWhenDone(rest.plan);
  if (!context.globals.json) printPlan(context, rest.plan);
  return carryOut(context, session, rest, { command: goOn });
}

async function doIt(
  context: CliContext,
  session: Session,
  prepared: PreparedPlan,
  { yes, goOn }: Asking,
): Promise<ExitCode> {
  const { plan } = prepared;
  if (plan.problems.length > 0) {
    if (context.globals.json)
      context.stdout.write(`${JSON.stringify({ type: 'problems', problems: plan.problems })}\n`);
    return EXIT.failed;
  }
  if (plan.steps.length === 0) return exitWhenDone(plan);
  const outcome = await carryOut(context, session, prepared, {
    command: goOn,
    confirm: () => agree(context, session.config, prepared, { yes, command: goOn }),
  });
  if ((outcome !== EXIT.done && outcome !== EXIT.incomplete) || prepared.unobserved.length === 0)
    return outcome;
  // Off while it was planned, after an interrupted run: what belongs to their host they are told now.
  const rest = await session.plan({ kind: 'converge', only: prepared.unobserved }, { settled: true });
  if (rest.plan.steps.length === 0) return exitWhenDone(rest.plan);
  if (!context.globals.json) printPlan(context, rest.plan);
  return carryOut(context, session, rest, { command: goOn });
}

export function durationOf(text: unknown): number {
  const seconds = typeof text === 'string' ? parseDuration(text) : undefined;
  if (seconds !== undefined && seconds > 0) return seconds;
  throw new OxherdError('cli.duration', `${String(text)} is not a duration`, {
    advice: 'write 45m, 2h or 1h30m',
  });
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
}

/** Ctrl-C between two runs: no report says then where things stand and what resumes them. */
export interface Standing {
  /** Where it stands: a sentence without its end. */
  readonly message: string;
  readonly resume: string;
}

export async function sayingWhereItStands<T>(
  context: CliContext,
  /** At the moment of the interruption. */
  standing: () => Standing,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (context.signal.aborted || error instanceof Interrupted) tellStanding(context, standing());
    throw error;
  }
}

function tellStanding(context: CliContext, { message, resume: command }: Standing): void {
  const resume = withUserFlags(context, command);
  if (context.globals.json)
    context.stdout.write(`${JSON.stringify({ type: 'interrupted', message, resume })}\n`);
  else context.stderr.write(`\nInterrupted. ${message}.\n  next  resume with: ${resume}\n`);
}
