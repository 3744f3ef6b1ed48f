/** How full the hosts are, from oxherd.yaml alone or with what Proxmox says. */
import { plannedCapacity } from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import { agree } from '../../agree.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';
import { exitWhenDone } from '../../verdict.js';
import { printCapacity } from '../../views/capacity.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'capacity',
  summary: 'how full the Proxmox hosts are, and what does not fit',
  options: [
    { flags: '--live', description: 'with what Proxmox says: sizes, other VMs, space' },
    {
      flags: '--balance',
      description: 'plan moves of nodes with `host: auto` after which any host may fail, ask, and do them',
    },
    YES,
    FULL,
  ],
  json: '`{ hosts, failovers, notes, problems }`; with `--balance` the plan',
  examples: [
    { command: 'oxherd capacity', does: 'from oxherd.yaml only' },
    { command: 'oxherd capacity --live --json', does: 'with what is there, as JSON' },
    {
      command: 'oxherd capacity --balance',
      does: 'shows moves that even out the hosts, asks, and does them',
    },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  if (options.balance === true)
    return withSession(context, (session) => balance(context, session, options.yes === true));
  const capacity =
    options.live === true
      ? await withSession(context, (session) => session.capacity())
      : plannedCapacity(requireConfig(context).config);
  if (context.globals.json) context.stdout.write(`${JSON.stringify(capacity, null, 2)}\n`);
  else printCapacity(context, capacity);
  return capacity.problems.length > 0 ? EXIT.failed : EXIT.done;
}

async function balance(context: CliContext, session: Session, yes: boolean): Promise<ExitCode> {
  const prepared = await session.plan({ kind: 'balance' }, { settled: true });
  const { plan } = prepared;
  if (context.globals.json && !yes) context.stdout.write(`${JSON.stringify(plan, null, 2)}\n`);
  else if (!context.globals.json)
    printPlan(context, plan, { unchanged: 'No move of a node with `host: auto` would help.' });
  if (plan.problems.length > 0) return EXIT.failed;
  if (plan.steps.length === 0 || (context.globals.json && !yes)) return exitWhenDone(plan);
  const goOn = 'oxherd capacity --balance';
  return carryOut(context, session, prepared, {
    command: goOn,
    confirm: () => agree(context, session.config, prepared, { yes, command: goOn }),
  });
}
