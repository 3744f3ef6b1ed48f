import { isKubernetesError } from '../../clients/kubernetes/errors.js';
import type { KubeObject } from '../../design/kubernetes/managed-object.js';
import type { ClusterAccess } from './context.js';

/** Kinds most of whose fields can never change, and whose objects nothing hangs on. */
const RECREATED: readonly string[] = ['StorageClass', 'Job'];

/** We are the owner of every field we name, whoever wrote it before. */
export async function put({ client }: ClusterAccess, object: KubeObject): Promise<void> {
  try {
    await client.apply(object, { force: true });
  } catch (error) {
    if (!isKubernetesError(error, 'kubernetes.invalid') || !RECREATED.includes(object.kind)) throw error;
    const resource = await client.resourceOf(object.apiVersion, object.kind);
    const { name, namespace } = object.metadata;
    await client.delete(resource, name, { ...(namespace !== undefined && { namespace }) });
    await client.waitFor(resource, name, namespace, (there) => there === undefined, { timeoutMs: 60_000 });
    await client.apply(object, { force: true });
  }
}
