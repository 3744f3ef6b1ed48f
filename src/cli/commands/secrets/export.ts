/** Writes the secrets in plain text, as `talosctl gen secrets` does. */
import { resolve } from 'node:path';
import { writeNewPrivateFile } from '../../../secrets/private-file.js';
import { formatTalosSecrets, secretsFingerprint } from '../../../secrets/talos-secrets.js';
import { requireSecrets } from '../../../session/secrets/secrets-files.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { clusterOf } from '../../secrets-place.js';
import { tellStored } from '../../views/secrets.js';

export const command: CommandSpec = {
  name: 'export',
  summary: 'write the secrets as `talosctl gen secrets` does',
  options: [{ flags: '--out <file>', description: 'file to write (mode 0600)', default: 'secrets.yaml' }],
  json: '`{ path, encrypted, fingerprint, newAgeKeyFile }`',
  examples: [{ command: 'oxherd secrets export --out secrets.yaml', does: 'writes them in plain text' }],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const { secrets } = await requireSecrets(context, clusterOf(context));
  const path = resolve(context.cwd, String(options.out ?? 'secrets.yaml'));
  await writeNewPrivateFile(path, formatTalosSecrets(secrets));
  tellStored(context, 'wrote', { path, encrypted: false, fingerprint: secretsFingerprint(secrets) });
  return EXIT.done;
}
