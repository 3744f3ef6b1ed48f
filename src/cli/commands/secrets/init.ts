/** Makes the secrets of a new cluster. */
import { generateSecrets } from '../../../secrets/generate.js';
import { refuseExisting, storeSecrets, systemEnvironment } from '../../../secrets/store.js';
import { secretsFingerprint } from '../../../secrets/talos-secrets.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { secretsPlaceOf } from '../../secrets-place.js';
import { tellStored } from '../../views/secrets.js';

export const command: CommandSpec = {
  name: 'init',
  summary: 'create new secrets, encrypted with age (SOPS)',
  json: '`{ path, encrypted, fingerprint, newAgeKeyFile }`',
  examples: [{ command: 'oxherd secrets init', does: 'writes secrets.sops.yaml; never overwrites' }],
};

export async function run(context: CliContext, _input: CommandInput): Promise<ExitCode> {
  const environment = systemEnvironment(context.env);
  const place = secretsPlaceOf(context);
  await refuseExisting(place);
  const secrets = await generateSecrets(environment);
  const stored = await storeSecrets(secrets, place, environment);
  tellStored(context, 'made', { ...stored, fingerprint: secretsFingerprint(secrets) });
  return EXIT.done;
}
