import { resolve } from 'node:path';
import { readConfigFile } from '../../../session/config/config-file.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { FLEET_OPTIONS, fleetFlags } from '../../fleet/fleet-options.js';
import { withFleet } from '../../fleet/with-fleet.js';

export const command: CommandSpec = {
  name: 'add',
  summary: 'add a cluster to the fleet: its oxherd.yaml as a config map, and an OxherdCluster',
  args: [{ name: '[files...]', description: 'further files that oxherd.yaml names' }],
  options: [
    ...FLEET_OPTIONS,
    { flags: '--name <name>', description: 'of the OxherdCluster; default: the cluster name' },
    { flags: '--site <name>', description: 'the ProxmoxSite it is on' },
    {
      flags: '--secrets <file>',
      description: 'secrets file of a cluster that exists; a new cluster needs none',
    },
    {
      flags: '--auto <impact>',
      description: 'apply up to this without approval',
      choices: ['none', 'live', 'component', 'restart'],
    },
  ],
  json: '`{ namespace, name }`',
  examples: [
    { command: 'oxherd -c prod/oxherd.yaml fleet add --site rack --namespace team-a', does: 'a new cluster' },
    {
      command: 'oxherd fleet add --site rack --secrets secrets.sops.yaml',
      does: 'one that was built from the command line',
    },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const { cwd, configPath } = context;
  const { config } = readConfigFile(configPath, cwd);
  const name = typeof options.name === 'string' ? options.name : config.cluster.name;
  const site = typeof options.site === 'string' ? options.site : config.proxmox.cluster;
  return withFleet(context, options, async ({ client, namespace, admin }) => {
    await admin.addCluster(client, {
      namespace,
      name,
      site,
      files: [configPath, ...args].map((path) => resolve(cwd, path)),
      ...(typeof options.secrets === 'string' && { secrets: resolve(cwd, options.secrets) }),
      ...(typeof options.auto === 'string' && { auto: options.auto }),
    });
    context.stdout.write(
      context.globals.json
        ? `${JSON.stringify({ namespace, name })}\n`
        : `added ${namespace}/${name} on site ${site}; its plan: \`oxherd fleet status ${name}${fleetFlags(options)}\`\n`,
    );
    return EXIT.done;
  });
}
