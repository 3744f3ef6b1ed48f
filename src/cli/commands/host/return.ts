import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { durationOf, returnHost, sayingWhereItStands } from '../../host-maintenance.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'return',
  summary: 'bring the nodes of a host back after its maintenance',
  args: [{ name: '<host>', description: 'the Proxmox host', names: 'hosts' }],
  options: [
    {
      flags: '--wait <duration>',
      description: 'how long to wait for the host and its storages',
      default: '30m',
    },
    YES,
    FULL,
  ],
  json: 'the events of the run, one per line; `{ type: "problems", problems }` where it is refused; `{ type: "interrupted", message, resume }` after Ctrl-C while it waits',
  examples: [
    { command: 'oxherd host return pve2', does: 'waits for pve2, starts its nodes and moves others back' },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [host = ''] = args;
  const waitSeconds = durationOf(options.wait);
  const goOn = `oxherd host return ${host}`;
  return withSession(context, (session) =>
    sayingWhereItStands(
      context,
      () => ({ message: `The nodes of ${host} are not back yet`, resume: goOn }),
      () => returnHost(context, session, host, { yes: options.yes === true, goOn, waitSeconds }),
    ),
  );
}
