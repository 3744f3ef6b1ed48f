/** Writes every Kubernetes object as a file of its own; secrets only when they are asked for. */
import { manifestFiles } from '../../../export/manifests.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { withSession } from '../../with-session.js';
import { writeExport } from '../../write-export.js';
import { OUT_DIR } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'manifests',
  summary: 'every Kubernetes object as a file, for GitOps',
  options: [
    OUT_DIR,
    { flags: '--secrets', description: 'the secrets too, read from the cluster, mode 0600' },
  ],
  json: '`{ directory, files }`',
  examples: [{ command: 'oxherd export manifests --out manifests/', does: 'writes one file per object' }],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const secrets = input.options.secrets === true;
  const files = await withSession(context, async (session) => {
    const { kubernetes } = await session.gather({ machines: false });
    return manifestFiles(kubernetes, { secrets, more: secrets ? await session.clusterSecrets() : [] });
  });
  await writeExport(context, input, files);
  if (!secrets && !context.globals.json) {
    context.stdout.write('secrets are left out; --secrets writes them too\n');
  }
  return EXIT.done;
}
