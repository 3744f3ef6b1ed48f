/** `oxherd kubeconfig` and `oxherd talosconfig`: a new certificate in a file, alone or beside other clusters. */
import { resolve } from 'node:path';
import { mergeKubeconfig, mergeTalosconfig } from '../secrets/client-files.js';
import { readIfThere, replacePrivateFile } from '../secrets/private-file.js';
import { clientAddresses } from '../session/secrets/client-addresses.js';
import { clientFilePaths, issueClientFiles, requireSecrets } from '../session/secrets/secrets-files.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from './context.js';
import { requireConfig } from './require-config.js';

const MERGE = { kubeconfig: mergeKubeconfig, talosconfig: mergeTalosconfig } as const;

export function clientFileCommand(kind: keyof typeof MERGE) {
  return async (context: CliContext, { options }: CommandInput): Promise<ExitCode> => {
    const { config } = requireConfig(context);
    const { secrets } = await requireSecrets(context, config.cluster);
    const text = (await issueClientFiles(config, secrets, await clientAddresses(context, config)))[kind];
    const path =
      typeof options.out === 'string'
        ? resolve(context.cwd, options.out)
        : clientFilePaths(context, config)[kind];
    const there = options.merge === true ? await readIfThere(path) : undefined;
    await replacePrivateFile(path, there === undefined ? text : MERGE[kind](there, text, path));
    context.stdout.write(context.globals.json ? `${JSON.stringify({ [kind]: path })}\n` : `wrote ${path}\n`);
    return EXIT.done;
  };
}
