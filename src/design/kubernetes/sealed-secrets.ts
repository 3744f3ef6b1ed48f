/** The key pair with which sealed-secrets opens what people sealed before this cluster was made. */
import type { Config } from '../../config/config.js';
import { base64 } from './csi.js';
import type { KubeObject } from './managed-object.js';

export const SEALED_NAMESPACE = 'sealed-secrets';
export const SEALED_SECRET = 'sealed-secrets-bootstrap-key';

export function sealedNamespace(): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SEALED_NAMESPACE } };
}

export function sealedKeySecret(pair: { readonly certificate: string; readonly key: string }): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: SEALED_SECRET,
      namespace: SEALED_NAMESPACE,
      labels: { 'sealedsecrets.bitnami.com/sealed-secrets-key': 'active' },
    },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(pair.certificate), 'tls.key': base64(pair.key) },
  };
}

/** Where the pair comes from; `undefined`: sealed-secrets is not asked for. */
export function sealedKeySource(config: Config): 'files' | 'generate' | undefined {
  const { sealedSecrets } = config.kubernetes;
  if (!sealedSecrets) return undefined;
  if (sealedSecrets.certificate && sealedSecrets.key) return 'files';
  return sealedSecrets.generate ? 'generate' : undefined;
}
