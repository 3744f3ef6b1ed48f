import { parseDuration } from '../../../model/duration.js';
import { OxherdError } from '../../../model/error.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { FLEET_OPTIONS } from '../../fleet/fleet-options.js';
import { withFleet } from '../../fleet/with-fleet.js';

export const command: CommandSpec = {
  name: 'approve',
  summary: 'approve a plan of a cluster: the controller applies it, and no other',
  args: [
    { name: '<cluster>', description: 'the OxherdCluster' },
    { name: '<plan>', description: 'id of the plan, at least 8 characters' },
  ],
  options: [
    ...FLEET_OPTIONS,
    { flags: '--for <duration>', description: 'how long the run may still start', default: '1h' },
    { flags: '--as <user>', description: 'your user name, where the API server does not say it' },
  ],
  json: 'the OxherdApproval',
  examples: [
    {
      command: 'oxherd fleet approve prod 3f9a1c2b77d0',
      does: 'the id is shown by `oxherd fleet status prod`',
    },
    { command: 'oxherd fleet approve prod 3f9a1c2b77d0 --for 12h', does: 'good until the window of tonight' },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [name = '', planId = ''] = args;
  const seconds = parseDuration(String(options.for));
  if (seconds === undefined)
    throw new OxherdError('cli.usage', `--for ${String(options.for)} is not a duration`);
  return withFleet(context, options, async ({ client, namespace, admin }) => {
    const by = typeof options.as === 'string' ? options.as : await admin.ownUserName(client);
    if (by === undefined)
      throw new OxherdError('fleet.user', 'the API server does not say who you are', {
        advice: 'give your user name with --as',
      });
    const expires = Date.now() + seconds * 1_000;
    const approval = await admin.approvePlan(client, { namespace, name, planId, expires, by });
    context.stdout.write(
      context.globals.json
        ? `${JSON.stringify(approval)}\n`
        : `approved by ${by} until ${new Date(expires).toISOString()}\n`,
    );
    return EXIT.done;
  });
}
