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
  type Standing,
  sayingWhereItStands,
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
  json: 'the events of each run, one per line, two runs per host (drain, return; a third where something is left); `{ type: "problems", problems }` where it is refused, `{ error }` where a host is unknown or a hook fails; `{ type: "interrupted", message, resume }` after Ctrl-C between two runs',
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
    await requireHosts(session, hosts);
    for (const [index, host] of hosts.entries()) {
      const request = drainRequest(host, options);
      const roll = (from: number) =>
        from < hosts.length ? [`oxherd host roll ${hosts.slice(from).join(' ')} ${drainFlags(request)}`] : [];
      const unpatched = roll(index).join('');
      // Not drained once more.
      const patched = [`oxherd host return ${host}`, ...roll(index + 1)].join(' && ');
      const outcome = await rollHost(context, session, request, { yes, waitSeconds, unpatched, patched });
      if (outcome !== EXIT.done) return outcome;
    }
    return EXIT.done;
  });
}

interface Rolling {
  readonly yes: boolean;
  readonly waitSeconds: number;
  /** Commands that go on where the host is not patched yet, and where it is. */
  readonly unpatched: string;
  readonly patched: string;
}

async function rollHost(
  context: CliContext,
  session: Session,
  request: ReturnType<typeof drainRequest>,
  { yes, waitSeconds, unpatched, patched }: Rolling,
): Promise<ExitCode> {
  const { host } = request;
  let standing: Standing = { message: `The drain of ${host} has not started`, resume: unpatched };
  return sayingWhereItStands(
    context,
    () => standing,
    async () => {
      const drained = await drainHost(context, session, request, { yes, goOn: unpatched });
      if (drained !== EXIT.done) return drained;
      standing = { message: `${host} is drained`, resume: unpatched };
      await patch(context, session, host, unpatched);
      standing = { message: `${host} is drained and patched`, resume: patched };
      await session.awaitHost(host, waitSeconds);
      await hook(session, 'after', host, patched);
      return returnHost(context, session, host, { yes, goOn: patched, waitSeconds });
    },
  );
}

/** Said before the first host is empty, not after. */
function requireSomeone(context: CliContext, { config }: Session): void {
  const asks = context.stdin.isTTY && context.stdout.isTTY && !context.globals.json;
  if (asks || config.policy.host.before !== undefined) return;
  throw new OxherdError('host.no-hook', 'no hook patches the hosts, and this is not a terminal', {
    advice: 'set `policy: { host: { before: … } }` in oxherd.yaml, or run it in a terminal',
  });
}

/** The last one too: a wrong name is not found when the others are done. */
async function requireHosts(session: Session, hosts: readonly string[]): Promise<void> {
  const twice = hosts.find((host, index) => hosts.indexOf(host) !== index);
  if (twice !== undefined)
    throw new OxherdError('cli.host-twice', `${twice} is named twice`, { advice: 'name each host once' });
  // The drain of a single one says it itself.
  if (hosts.length < 2) return;
  const known = (await session.hosts()).map(({ name }) => name);
  const unknown = hosts.filter((host) => !known.includes(host));
  if (unknown.length === 0) return;
  throw new OxherdError('host.unknown', `Proxmox has no host ${unknown.join(', ')}`, {
    advice: `hosts are: ${known.join(', ')}`,
  });
}

/** The user's own command, or a person who says when it is done. */
async function patch(context: CliContext, session: Session, host: string, unpatched: string): Promise<void> {
  if (session.config.policy.host.before !== undefined) return hook(session, 'before', host, unpatched);
  const question = `${host} is empty. Patch and reboot it now. Is it back?`;
  while (!(await confirm(context, question, `run \`${unpatched}\` again when it is`)));
}

async function hook(session: Session, which: 'before' | 'after', host: string, goOn: string): Promise<void> {
  try {
    await session.hook(which, host);
  } catch (error) {
    if (!(error instanceof OxherdError) || error.code !== 'host.hook') throw error;
    const advice = `the roll stops here, and ${host} stays empty; put that right, then: ${goOn}`;
    throw new OxherdError(error.code, error.message, { advice });
  }
}
