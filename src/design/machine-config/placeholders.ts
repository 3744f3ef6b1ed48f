/** What stands in a machine config where no secrets are at hand. */

import type { TalosSecrets } from '../../secrets/talos-secrets.js';

export const PLACEHOLDER = '<secret>';

const pair = { crt: PLACEHOLDER, key: PLACEHOLDER };

export const PLACEHOLDER_SECRETS: TalosSecrets = {
  cluster: { id: PLACEHOLDER, secret: PLACEHOLDER },
  secrets: { bootstraptoken: PLACEHOLDER, secretboxencryptionsecret: PLACEHOLDER },
  trustdinfo: { token: PLACEHOLDER },
  certs: { etcd: pair, k8s: pair, k8saggregator: pair, k8sserviceaccount: { key: PLACEHOLDER }, os: pair },
};
