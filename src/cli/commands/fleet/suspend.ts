import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { FLEET_OPTIONS } from '../../fleet/fleet-options.js';
import { withFleet } from '../../fleet/with-fleet.js';

export const command: CommandSpec = {
  name: 'suspend',
  summary: 'stop planning and applying for a cluster, or resume it',
  args: [{ name: '<cluster>', description: 'the OxherdCluster' }],
  options: [...FLEET_OPTIONS, { flags: '--resume', description: 'the opposite' }],
  json: '`{ namespace, name, suspend }`',
  examples: [
    {
      command: 'oxherd fleet suspend prod',
      does: 'a run in progress is finished, then nothing more is done',
    },
    { command: 'oxherd fleet suspend prod --resume', does: 'plans and applies again' },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [name = ''] = args;
  const suspend = options.resume !== true;
  return withFleet(context, options, async ({ client, namespace, admin }) => {
    await admin.suspendCluster(client, { namespace, name, suspend });
    context.stdout.write(
      context.globals.json
        ? `${JSON.stringify({ namespace, name, suspend })}\n`
        : `${namespace}/${name} is ${suspend ? 'suspended' : 'resumed'}\n`,
    );
    return EXIT.done;
  });
}
