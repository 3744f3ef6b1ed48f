/** Secrets that exist in the cluster alone: the CSI driver's token and a generated key pair. */
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import { SECRETS } from '../../clients/kubernetes/resources.js';
import { CSI_NAMESPACE, CSI_SECRET } from '../../design/kubernetes/csi-driver.js';
import type { KubeObject } from '../../design/kubernetes/managed-object.js';
import { SEALED_NAMESPACE, SEALED_SECRET } from '../../design/kubernetes/sealed-secrets.js';
import { OxherdError } from '../../model/error.js';
import type { Site } from '../connect/site.js';

export async function clusterSecrets({ machines }: Site): Promise<KubeObject[]> {
  const { client } = machines.cluster;
  if (!client) {
    throw new OxherdError('export.no-secrets', 'cluster secrets not found', {
      advice: 'run the export without --secrets, or restore secrets.sops.yaml',
    });
  }
  const found = await Promise.all([
    readSecret(client, CSI_SECRET, CSI_NAMESPACE),
    readSecret(client, SEALED_SECRET, SEALED_NAMESPACE),
  ]);
  return found.flat();
}

async function readSecret(client: KubernetesClient, name: string, namespace: string): Promise<KubeObject[]> {
  const secret = await client.get(SECRETS, name, namespace);
  if (!secret) return [];
  const { labels } = secret.metadata ?? {};
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, ...(labels && { labels }) },
      type: secret.type ?? 'Opaque',
      data: secret.data ?? {},
    },
  ];
}
