import { OxherdError } from '../../../model/error.js';
import type { Session } from '../../../session/session.js';
import type { CommandSpec } from '../../command-spec.js';
import { confirm } from '../../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import {
  DRAIN_OPTIONS,
  drainFlags,
  drainHost,
  drainRequest,
  durationOf,
  returnHost,
} from '../../host-maintenance.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'roll',
  summary: 'maintain hosts one after the other: drain, your patching, return',
  args: [{ name: '<host...>', description: 'the Proxmox hosts, in this order', names: 'hosts' }],
  options: [
    ...DRAIN_OPTIONS,
    {
      flags: '--wait <duration>',
      description: 'how long to wait for each host to come back',
      default: '30m',
    },
    YES,
    FULL,
  ],
  json: 'the events of each run, one per line',
  examples: [
    {
      command: 'oxherd host roll pve1 pve2 pve3',
      does: 'stops at each empty host until you say that it is back',
    },
    {
      command: 'oxherd host roll pve1 pve2 --yes',
      does: 'runs `policy.host.before` and `after` at each host',
    },
  ],
};

export async function run(context: CliContext, { args: hosts, options }: CommandInput): Promise<ExitCode> {
  const yes = options.yes === true;
  const waitSeconds = durationOf(options.wait);
  return withSession(context, async (session) => {
    requireSomeone(context, session);
    for (const [index, host] of hosts.entries()) {
      const request = drainRequest(host, options);
      const goOn = `oxherd host roll ${hosts.slice(index).join(' ')} ${drainFlags(request)}`;
      const drained = await drainHost(context, session, request, { yes, goOn });
      if (drained !== EXIT.done) return drained;
      await maintain(context, session, host, goOn);
      const back = await returnHost(context, session, host, { yes, goOn, waitSeconds });
      if (back !== EXIT.done) return back;
    }
    return EXIT.done;
  });
}

/** Said before the first host is empty, not after. */
function requireSomeone(context: CliContext, { config }: Session): void {
  const asks = context.stdin.isTTY && context.stdout.isTTY && !context.globals.json;
  if (asks || config.policy.host.before !== undefined) return;
  throw new OxherdError('host.no-hook', 'no hook patches the hosts, and this is not a terminal', {
    advice: 'set `policy: { host: { before: … } }` in oxherd.yaml, or run it in a terminal',
  });
}

/** The user's own command, or a person who says when it is done. */
async function maintain(context: CliContext, session: Session, host: string, goOn: string): Promise<void> {
  const { before } = session.config.policy.host;
  if (before !== undefined) {
    await session.hook('before', host);
  } else {
    const question = `${host} is empty. Patch and reboot it now. Is it back?`;
    while (!(await confirm(context, question, `run \`${goOn}\` again when it is`)));
  }
  await session.awaitHost(host, durationOf('30m'));
  await session.hook('after', host);
}
