import { generateSecrets } from '../../secrets/generate.js';
import { systemEnvironment } from '../../secrets/store.js';
import { formatTalosSecrets } from '../../secrets/talos-secrets.js';

/** New secrets for a new cluster, as the text of a plain secrets file: for those who keep it elsewhere than on disk. */
export async function newSecretsText(): Promise<string> {
  const { now, random } = systemEnvironment({});
  return formatTalosSecrets(await generateSecrets({ now, random }));
}
