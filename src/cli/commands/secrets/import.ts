/** Imports the secrets of an existing cluster: from a file of another tool, plain or encrypted with SOPS, or from a control plane. */
import { resolve } from 'node:path';
import { OxherdError } from '../../../model/error.js';
import type { SecretsPlace } from '../../../secrets/locate.js';
import { readIfThere } from '../../../secrets/private-file.js';
import { readSecretsText, refuseExisting, storeSecrets, systemEnvironment } from '../../../secrets/store.js';
import { secretsFingerprint, type TalosSecrets } from '../../../secrets/talos-secrets.js';
import { secretsFromNode } from '../../../session/secrets/secrets-from-node.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';
import { secretsPlaceOf } from '../../secrets-place.js';
import { tellStored } from '../../views/secrets.js';

export const command: CommandSpec = {
  name: 'import',
  summary: 'import the secrets of an existing cluster from a file or from a running control plane',
  args: [
    {
      name: '[file]',
      description:
        "of `talosctl gen secrets`, talhelper's talsecret.sops.yaml, the Terraform module's output/talos-machine-secrets.yaml, or a control plane's machine config",
    },
  ],
  options: [
    { flags: '--from-node <address>', description: 'a control plane that still runs' },
    {
      flags: '--talosconfig <file>',
      description: 'to ask it with; default: $TALOSCONFIG, or .oxherd/<cluster>/talosconfig',
    },
  ],
  json: '`{ path, encrypted, fingerprint, newAgeKeyFile }`',
  examples: [
    { command: 'oxherd secrets import secrets.yaml', does: 'encrypts it beside the config' },
    {
      command: 'oxherd secrets import output/talos-machine-secrets.yaml',
      does: 'imports those of the Terraform module',
    },
    {
      command: 'oxherd secrets import --from-node 10.20.30.41',
      does: 'brings back secrets whose file is lost, while a talosconfig is valid',
    },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [file] = args;
  const fromNode = options.fromNode !== undefined || options.talosconfig !== undefined;
  if ((file !== undefined) === fromNode) {
    throw new OxherdError('cli.secrets-source', 'name one place to take the secrets from', {
      advice: 'oxherd secrets import FILE, or oxherd secrets import --from-node ADDRESS [--talosconfig FILE]',
    });
  }
  const { secrets, place } =
    file === undefined ? await ofNode(context, options) : await ofFile(context, file);
  const stored = await storeSecrets(secrets, place, systemEnvironment(context.env));
  tellStored(context, 'took in', { ...stored, fingerprint: secretsFingerprint(secrets) });
  return EXIT.done;
}

interface Taken {
  readonly secrets: TalosSecrets;
  readonly place: SecretsPlace;
}

async function ofNode(
  context: CliContext,
  { fromNode, talosconfig }: CommandInput['options'],
): Promise<Taken> {
  const place = secretsPlaceOf(context);
  await refuseExisting(place);
  const secrets = await secretsFromNode(context, requireConfig(context), {
    ...(typeof fromNode === 'string' && { address: fromNode }),
    ...(typeof talosconfig === 'string' && { talosconfig }),
  });
  return { secrets, place };
}

async function ofFile(context: CliContext, file: string): Promise<Taken> {
  const path = resolve(context.cwd, file);
  const text = await readIfThere(path);
  if (text === undefined) {
    throw new OxherdError('secrets.none', `there is no ${file}`, {
      where: path,
      advice: 'Name the file that `talosctl gen secrets`, talhelper or the Terraform module wrote.',
    });
  }
  const { secrets } = await readSecretsText(text, path, systemEnvironment(context.env));
  const place = secretsPlaceOf(context);
  // The file that is taken in may lie where a plain one would be found: it is not in the way of itself.
  const { alternative, ...others } = place;
  return { secrets, place: alternative === undefined || alternative === path ? others : place };
}
