import { resolve } from 'node:path';
import { formatDuration, parseDuration } from '../../../model/duration.js';
import { OxherdError } from '../../../model/error.js';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import { agree } from '../../agree.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { decisionsText } from '../../views/host.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'drain',
  summary: 'empty a Proxmox host for maintenance: its nodes move, or are shut down until it returns',
  args: [{ name: '<host>', description: 'the Proxmox host' }],
  options: [
    { flags: '--for <duration>', description: 'how long it will be away, such as 45m or 2h', default: '1h' },
    { flags: '--stay <node...>', description: 'nodes that are shut down and stay' },
    { flags: '--move <node...>', description: 'nodes that move, however long copying takes' },
    {
      flags: '--accept-down',
      description: 'pods that no other node can take are down until the host returns',
    },
    { flags: '--accept-no-quorum', description: 'Proxmox may lose its quorum, or a QDevice has a vote' },
    { flags: '--out <file>', description: 'save the plan, and do nothing' },
    YES,
    FULL,
  ],
  examples: [
    { command: 'oxherd host drain pve2', does: 'shows what happens to each of its nodes, asks, and does it' },
    { command: 'oxherd host drain pve2 --for 3h --move work-1', does: 'copies the disks of work-1 as well' },
    { command: 'oxherd host drain pve2 --out drain.json --json', does: 'only shows what would happen' },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [host = ''] = args;
  const forSeconds = durationOf(options.for);
  const stay = names(options.stay);
  const move = names(options.move);
  return withSession(context, async (session) => {
    const prepared = await session.plan(
      {
        kind: 'drain-host',
        host,
        forSeconds,
        stay,
        move,
        accept: { podsDown: options.acceptDown === true, noQuorum: options.acceptNoQuorum === true },
      },
      { settled: true },
    );
    const { plan, drain = [] } = prepared;
    if (typeof options.out === 'string')
      await replacePrivateFile(resolve(context.cwd, options.out), `${JSON.stringify(plan, null, 2)}\n`);
    if (context.globals.json && (options.out !== undefined || plan.problems.length > 0))
      context.stdout.write(`${JSON.stringify({ host, nodes: drain, plan }, null, 2)}\n`);
    else if (!context.globals.json) {
      if (drain.length > 0) context.stdout.write(`${decisionsText(drain)}\n\n`);
      printPlan(context, plan, { unchanged: `Nothing of this cluster is left to drain on ${host}.` });
    }
    if (plan.problems.length > 0) return EXIT.failed;
    if (options.out !== undefined || plan.steps.length === 0) return EXIT.done;
    const flags = [
      `--for ${formatDuration(forSeconds)}`,
      ...(stay.length > 0 ? [`--stay ${stay.join(' ')}`] : []),
      ...(move.length > 0 ? [`--move ${move.join(' ')}`] : []),
      ...(options.acceptDown === true ? ['--accept-down'] : []),
      ...(options.acceptNoQuorum === true ? ['--accept-no-quorum'] : []),
    ];
    const again = `oxherd host drain ${host} ${flags.join(' ')}`;
    const outcome = await carryOut(context, session, prepared, {
      command: again,
      confirm: (shown) =>
        agree(context, session.config.policy, shown, {
          yes: options.yes === true,
          command: again,
          question: `Drain ${host}?`,
        }),
    });
    if (outcome === EXIT.done && !context.globals.json)
      context.stdout.write(
        `\n${host} has no running node of this cluster. When it is back: oxherd host return ${host}\n`,
      );
    return outcome;
  });
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
