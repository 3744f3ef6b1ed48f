import type { KubernetesClient } from '../clients/kubernetes/client.js';
import { isKubernetesError } from '../clients/kubernetes/errors.js';

/** Every object of these kinds, as the server tells it. An API version that it does not serve has no users. */
export async function objectsServedAs(
  client: Pick<KubernetesClient, 'resourceOf' | 'list'>,
  apis: readonly { readonly apiVersion: string; readonly kind: string }[],
): Promise<readonly unknown[]> {
  const lists = await Promise.all(
    apis.map(async ({ apiVersion, kind }) => {
      try {
        const resource = await client.resourceOf(apiVersion, kind);
        const items = await client.list(resource);
        // Items of a list do not carry their kind.
        return items.map((item) => ({ ...(typeof item === 'object' ? item : {}), apiVersion, kind }));
      } catch (error) {
        if (isKubernetesError(error, 'kubernetes.not-found')) return [];
        throw error;
      }
    }),
  );
  return lists.flat();
}
