/** Which fleet this is. */
import { type KubernetesClient, NAMESPACES } from '../clients/kubernetes/index.js';
import { OxherdError } from '../model/error.js';

/** The namespace's uid: another installation has another one, and takes no locks over from this. */
export async function fleetId(client: KubernetesClient, name: string): Promise<string> {
  const found = await client.get(NAMESPACES, name);
  if (found?.metadata?.uid !== undefined) return found.metadata.uid;
  throw new OxherdError('fleet.namespace', `there is no namespace ${name}`, {
    advice: 'create it, or name the namespace of the fleet with --namespace',
  });
}
