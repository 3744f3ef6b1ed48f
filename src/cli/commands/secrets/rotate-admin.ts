/** New admin certificates for talosconfig and kubeconfig. */
import { replacePrivateFile } from '../../../secrets/private-file.js';
import { clientAddresses } from '../../../session/secrets/client-addresses.js';
import { clientFilePaths, issueClientFiles, requireSecrets } from '../../../session/secrets/secrets-files.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';

export const command: CommandSpec = {
  name: 'rotate-admin',
  summary: 'issue a new admin certificate for talosconfig and kubeconfig',
  json: '`{ talosconfig, kubeconfig }`: the paths that were written',
  examples: [{ command: 'oxherd secrets rotate-admin', does: 'rewrites both files' }],
};

export async function run(context: CliContext, _input: CommandInput): Promise<ExitCode> {
  const { config } = requireConfig(context);
  const { secrets } = await requireSecrets(context, config.cluster);
  const files = await issueClientFiles(config, secrets, await clientAddresses(context, config));
  const paths = clientFilePaths(context, config);
  await replacePrivateFile(paths.talosconfig, files.talosconfig);
  await replacePrivateFile(paths.kubeconfig, files.kubeconfig);
  if (context.globals.json) {
    context.stdout.write(`${JSON.stringify(paths)}\n`);
    return EXIT.done;
  }
  context.stdout.write(`wrote ${paths.talosconfig}\nwrote ${paths.kubeconfig}\n`);
  // There is no revocation in Talos or Kubernetes: people must know before they rely on it.
  context.stdout.write('older certificates stay valid until they end, a year after they were issued\n');
  return EXIT.done;
}
