/** Takes in a file of `talosctl gen secrets`, or one that SOPS has encrypted. */
import { resolve } from 'node:path';
import { OxherdError } from '../../model/error.js';
import { readIfThere } from '../../secrets/private-file.js';
import { readSecretsText, storeSecrets, systemEnvironment } from '../../secrets/store.js';
import { secretsFingerprint } from '../../secrets/talos-secrets.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { placeOf } from '../secrets-files.js';
import { tellStored } from '../views/secrets.js';

export async function run(context: CliContext, { args }: CommandInput): Promise<ExitCode> {
  const environment = systemEnvironment(context.env);
  const path = resolve(context.cwd, args[0] ?? '');
  const text = await readIfThere(path);
  if (text === undefined) {
    throw new OxherdError('secrets.none', `there is no ${args[0]}`, {
      where: path,
      advice: 'Name the file that `talosctl gen secrets` wrote.',
    });
  }
  const { secrets } = await readSecretsText(text, path, environment);
  const place = placeOf(context);
  // The file that is taken in may lie where a plain one would be found: it is not in the way of itself.
  const { alternative, ...others } = place;
  const target = alternative === undefined || alternative === path ? others : place;
  const stored = await storeSecrets(secrets, target, environment);
  tellStored(context, 'took in', { ...stored, fingerprint: secretsFingerprint(secrets) });
  return EXIT.done;
}
