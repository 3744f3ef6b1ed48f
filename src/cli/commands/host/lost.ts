import { resolve } from 'node:path';
import type { Condition } from '../../../health/condition.js';
import { OxherdError } from '../../../model/error.js';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import { confirmationOf } from '../../../session/confirm/confirmation.js';
import { lostCommand, type PreparedPlan } from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import { confirmName } from '../../confirm-name.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { durationOf, sayingWhereItStands } from '../../host-maintenance.js';
import { withUserFlags } from '../../own-commands.js';
import { exitWhenDone } from '../../verdict.js';
import { commandsText, lossText } from '../../views/host.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';
import { FULL } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'lost',
  summary: 'for a host that never comes back: take its nodes over, or create them again elsewhere',
  args: [{ name: '<host>', description: 'the Proxmox host', names: 'hosts' }],
  options: [
    { flags: '--confirm <host>', description: 'the same name again: the volumes that are listed are lost' },
    {
      flags: '--powered-off <host>',
      description: 'the same name again: you have seen that the host is switched off, and it stays off',
    },
    {
      flags: '--wait <duration>',
      description: 'wait so long for the commands that root has to run, instead of stopping there',
    },
    { flags: '--out <file>', description: 'save what would be done, and do nothing' },
    FULL,
  ],
  json: 'one object per line: `{ type: "host-lost", host, concerned, nodes: [{ node, role, way, to?, newVm, newMember }], lost, commands }` first, then the events of each run, and `{ type: "root-commands", host, commands }` where it stops for root; `{ type: "problems", problems }` where it is refused, `{ error }` without `--confirm`; with `--out` one document, `{ host, concerned, nodes, lost, commands, plan }`',
  examples: [
    { command: 'oxherd host lost pve2', does: 'shows what is lost and what is done, then asks' },
    {
      command: 'oxherd host lost pve2 --powered-off pve2 --confirm pve2',
      does: 'for a host that is switched off and that HA has not been seen to fence',
    },
    {
      command: 'oxherd host lost pve2 --confirm pve2 --wait 1h',
      does: 'resumes once root has moved the configs of its VMs',
    },
  ],
};

/** Members and node objects, lost disks, the nodes: each part is a plan of its own. */
const PARTS = 6;
const POLL_MS = 5_000;
const HEALTH_MS = 15 * 60_000;

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [host = ''] = args;
  const stated = isStated(host, options.poweredOff);
  const waitSeconds = options.wait === undefined ? 0 : durationOf(options.wait);
  return withSession(context, async (session) => {
    const request = { kind: 'lose-host' as const, host, ...(stated && { off: 'stated' as const }) };
    const first = await session.plan(request, { settled: true });
    const goOn = lostCommand(host, first.off);
    if (typeof options.out === 'string') return save(context, first, resolve(context.cwd, options.out));
    show(context, first);
    if (first.plan.problems.length > 0) return refuse(context, first);
    if (isDone(first)) return awaitHealth(context, session, host, first.loss?.concerned ?? []);
    const { name } = confirmationOf(first, session.config);
    if (name) await confirmName(context, options.confirm, { ...name, command: goOn });
    return sayingWhereItStands(
      context,
      () => ({ message: `The loss of ${host} is not dealt with yet`, resume: goOn }),
      () => carryOutParts(context, session, first, { host, waitSeconds, goOn }),
    );
  });
}

/** A host that only does not answer may run: who says that it is off names it. */
function isStated(host: string, named: unknown): boolean {
  if (named === undefined) return false;
  if (named === host) return true;
  throw new OxherdError('cli.powered-off', `--powered-off names ${String(named)}, not ${host}`, {
    advice: `name the host that is off: ${lostCommand(host, 'stated')}`,
  });
}

async function carryOutParts(
  context: CliContext,
  session: Session,
  first: PreparedPlan,
  { host, waitSeconds, goOn }: { readonly host: string; readonly waitSeconds: number; readonly goOn: string },
): Promise<ExitCode> {
  // What this run has seen it will not see again: HA tells nothing of a host that it has fenced.
  const { off } = first;
  const request = { kind: 'lose-host' as const, host, ...(off && off !== 'removed' && { off }) };
  const plan = () => session.plan(request, { settled: true });
  let prepared = first;
  for (let part = 1; part <= PARTS && !isDone(prepared); part += 1) {
    if (prepared.plan.steps.length > 0) {
      const outcome = await carryOut(context, session, prepared, { command: goOn });
      if (outcome !== EXIT.done && outcome !== EXIT.incomplete) return outcome;
      prepared = await plan();
    } else {
      const moved = await awaitRoot(context, session, prepared, { host, waitSeconds, goOn, plan });
      if (!moved) return EXIT.failed;
      prepared = moved;
    }
    if (prepared.plan.problems.length > 0) {
      if (!context.globals.json) printPlan(context, prepared.plan);
      return refuse(context, prepared);
    }
    if (!context.globals.json && prepared.plan.steps.length > 0) printPlan(context, prepared.plan);
  }
  const outcome = await awaitHealth(context, session, host, prepared.loss?.concerned ?? []);
  if (outcome === EXIT.done && !context.globals.json)
    context.stdout.write(`\n${withUserFlags(context, afterwards(prepared))}\n`);
  return outcome === EXIT.done ? exitWhenDone(prepared.plan) : outcome;
}

/** Machines that were just created boot and join: only then is the host done without. */
async function awaitHealth(
  context: CliContext,
  session: Session,
  host: string,
  nodes: readonly string[],
): Promise<ExitCode> {
  const deadline = session.clock.elapsed() + HEALTH_MS;
  for (;;) {
    const conditions = await session.health();
    const down = otherHostsDown(conditions, host);
    const failing = conditions.filter(
      ({ state, subject, layer }) =>
        state === 'failed' &&
        // Members on a host that is down as well do not come back by waiting.
        ((layer === 'etcd' && down.length === 0) || (subject !== undefined && nodes.includes(subject))),
    );
    if (failing.length === 0) {
      for (const other of down)
        context.stderr.write(
          `${withUserFlags(context, `${other} is down as well; if it never comes back: oxherd host lost ${other} --confirm ${other}`)}\n`,
        );
      return EXIT.done;
    }
    if (session.clock.elapsed() >= deadline) {
      const lines = failing.map(({ subject, message }) => `  ${subject ?? ''} ${message}`);
      context.stderr.write(`The cluster is not healthy:\n${lines.join('\n')}\n`);
      return EXIT.unhealthy;
    }
    await session.clock.sleep(POLL_MS, context.signal);
  }
}

function otherHostsDown(conditions: readonly Condition[], host: string): string[] {
  return conditions.flatMap(({ name, state, subject }) =>
    name === 'host-online' && state === 'failed' && subject !== undefined && subject !== host
      ? [subject]
      : [],
  );
}

/** `undefined`: the configs are where they were, and the command that goes on was said. */
async function awaitRoot(
  context: CliContext,
  { clock }: Session,
  prepared: PreparedPlan,
  {
    host,
    waitSeconds,
    goOn,
    plan,
  }: {
    readonly host: string;
    readonly waitSeconds: number;
    readonly goOn: string;
    readonly plan: () => Promise<PreparedPlan>;
  },
): Promise<PreparedPlan | undefined> {
  const commands = prepared.loss?.commands ?? [];
  if (context.globals.json)
    context.stdout.write(`${JSON.stringify({ type: 'root-commands', host, commands })}\n`);
  else context.stdout.write(`\n${commandsText(host, commands)}\n`);
  const deadline = clock.elapsed() + waitSeconds * 1_000;
  while (clock.elapsed() < deadline) {
    await clock.sleep(POLL_MS, context.signal);
    const next = await plan();
    // Done, or no longer to be done: the host is back, or there is no room any more.
    if ((next.loss?.commands.length ?? 0) === 0 || next.plan.problems.length > 0) return next;
  }
  const after = withUserFlags(context, `when they are done, resume with: ${goOn}`);
  context.stderr.write(`${after}\n`);
  return undefined;
}

function isDone({ plan, loss }: PreparedPlan): boolean {
  return plan.steps.length === 0 && plan.problems.length === 0 && (loss?.commands.length ?? 0) === 0;
}

function show(context: CliContext, { plan, loss }: PreparedPlan): void {
  if (!loss) return;
  if (context.globals.json) {
    context.stdout.write(`${JSON.stringify({ type: 'host-lost', ...loss })}\n`);
    return;
  }
  const text = lossText(loss);
  if (text !== '') context.stdout.write(`${text}\n\n`);
  if (plan.steps.length > 0 || plan.problems.length > 0 || loss.commands.length === 0)
    printPlan(context, plan, { unchanged: `Nothing of this cluster was on ${loss.host}.` });
}

function refuse(context: CliContext, { plan: { problems } }: PreparedPlan): ExitCode {
  if (context.globals.json) context.stdout.write(`${JSON.stringify({ type: 'problems', problems })}\n`);
  return EXIT.failed;
}

async function save(context: CliContext, prepared: PreparedPlan, file: string): Promise<ExitCode> {
  const { plan, loss } = prepared;
  const text = `${JSON.stringify({ ...loss, plan }, null, 2)}\n`;
  await replacePrivateFile(file, text);
  if (context.globals.json) context.stdout.write(text);
  else show(context, prepared);
  return plan.problems.length > 0 ? EXIT.failed : EXIT.done;
}

function afterwards({ loss }: PreparedPlan): string {
  return `The nodes of ${loss?.host} are back. \`oxherd plan\` shows which \`host:\` to write in oxherd.yaml.`;
}
