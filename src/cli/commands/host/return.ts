import { agree } from '../../agree.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';
import { durationOf } from './drain.js';

export const command: CommandSpec = {
  name: 'return',
  summary: 'bring the nodes of a host back after its maintenance',
  args: [{ name: '<host>', description: 'the Proxmox host' }],
  options: [
    {
      flags: '--wait <duration>',
      description: 'how long to wait for the host and its storages',
      default: '30m',
    },
    YES,
    FULL,
  ],
  examples: [
    { command: 'oxherd host return pve2', does: 'waits for pve2, starts its nodes and moves others back' },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [host = ''] = args;
  const waitSeconds = durationOf(options.wait);
  return withSession(context, async (session) => {
    await session.awaitHost(host, waitSeconds);
    const prepared = await session.plan({ kind: 'return-host', host }, { settled: true });
    if (!context.globals.json)
      printPlan(context, prepared.plan, { unchanged: `No node of this cluster was drained from ${host}.` });
    if (prepared.plan.problems.length > 0) return EXIT.failed;
    if (prepared.plan.steps.length === 0) return EXIT.done;
    const again = `oxherd host return ${host}`;
    return carryOut(context, session, prepared, {
      command: again,
      confirm: (plan) =>
        agree(context, session.config.policy, plan, {
          yes: options.yes === true,
          command: again,
          question: `Bring the nodes of ${host} back?`,
        }),
    });
  });
}
