/** Throw-away secrets in the place of a cluster's own. */
import { unmarkedConfig } from '../../design/machine-config/config-mark.js';
import { configWithSecrets } from '../../design/machine-config/meaning.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';

/** A config of the cluster as its twin has it: its mark stays, since it names a hash without secrets. */
export function withTwinSecrets(config: string, secrets: TalosSecrets): string {
  const values = bundleValues(secrets);
  const { text, mark } = unmarkedConfig(config);
  const filled = configWithSecrets(text, (path) => values[path] ?? '');
  return mark === undefined ? filled : `# oxherd ${mark}\n${filled}`;
}

/** By the places of the main document that hold them. */
function bundleValues({
  cluster,
  secrets,
  trustdinfo,
  certs,
}: TalosSecrets): Readonly<Record<string, string>> {
  return {
    'machine.token': trustdinfo.token,
    'machine.ca.crt': certs.os.crt,
    'machine.ca.key': certs.os.key,
    'cluster.id': cluster.id,
    'cluster.secret': cluster.secret,
    'cluster.token': secrets.bootstraptoken,
    'cluster.secretboxEncryptionSecret': secrets.secretboxencryptionsecret ?? '',
    'cluster.aescbcEncryptionSecret':
      secrets.aescbcencryptionsecret ?? secrets.secretboxencryptionsecret ?? '',
    'cluster.ca.crt': certs.k8s.crt,
    'cluster.ca.key': certs.k8s.key,
    'cluster.aggregatorCA.crt': certs.k8saggregator.crt,
    'cluster.aggregatorCA.key': certs.k8saggregator.key,
    'cluster.serviceAccount.key': certs.k8sserviceaccount.key,
    'cluster.etcd.ca.crt': certs.etcd.crt,
    'cluster.etcd.ca.key': certs.etcd.key,
  };
}
