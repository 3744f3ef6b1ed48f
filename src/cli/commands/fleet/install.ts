import { IMAGE_EXAMPLE, parsePinnedImage } from '../../../controller/install/pinned-image.js';
import { OxherdError } from '../../../model/error.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { FLEET_OPTIONS } from '../../fleet/fleet-options.js';
import { withFleet } from '../../fleet/with-fleet.js';

export const command: CommandSpec = {
  name: 'install',
  summary: 'install or update the fleet controller on a Kubernetes cluster',
  details:
    'Applies the same objects as the Helm chart in deploy/chart. --manifests prints them instead, for GitOps.',
  options: [
    ...FLEET_OPTIONS,
    {
      flags: '--clusters <names>',
      description: 'namespaces with clusters, separated by commas',
      default: 'oxherd-clusters',
    },
    {
      flags: '--image <image>',
      description: 'image of the controller with its digest, name@sha256:…; required',
    },
    { flags: '--replicas <n>', description: 'replicas, all of them active', default: '2' },
    { flags: '--manifests', description: 'print the objects as YAML and change nothing' },
  ],
  json: 'the objects that were applied, as a list of kind/name',
  examples: [
    {
      command: `oxherd fleet install --clusters team-a,team-b --image ${IMAGE_EXAMPLE}`,
      does: 'installs it',
    },
    {
      command: `oxherd fleet install --manifests --image ${IMAGE_EXAMPLE} > oxherd.yaml`,
      does: 'writes the objects for Flux or Argo CD',
    },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const { DEFAULT_VALUES, fleetManifests } = await import('../../../controller/install/manifests.js');
  const namespace = typeof options.namespace === 'string' ? options.namespace : DEFAULT_VALUES.namespace;
  const replicas = Number(options.replicas);
  if (!Number.isInteger(replicas) || replicas < 1)
    throw new OxherdError('cli.usage', `--replicas ${String(options.replicas)} is not a number of replicas`);
  const values = {
    ...DEFAULT_VALUES,
    namespace,
    namespaces: String(options.clusters)
      .split(',')
      .flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
    replicas,
    image: parsePinnedImage(typeof options.image === 'string' ? options.image : undefined),
  };
  if (options.manifests === true) {
    const { documents } = await import('../../../controller/install/chart.js');
    context.stdout.write(documents(fleetManifests(values)));
    return EXIT.done;
  }
  return withFleet(context, options, async ({ client, admin }) => {
    const names = await admin.installFleet(client, values);
    context.stdout.write(
      context.globals.json
        ? `${JSON.stringify(names)}\n`
        : `${names.join('\n')}\n\nNext: a Secret with the API token in ${namespace}, a ProxmoxSite, then \`oxherd fleet add\`\n`,
    );
    return EXIT.done;
  });
}
