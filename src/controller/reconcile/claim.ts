/**
 * Which OxherdCluster a cluster of a site belongs to: the first that names it. A Lease in the controller's namespace says so,
 * because its creation is one step that two replicas cannot both do.
 */
import { isKubernetesError } from '../../clients/kubernetes/index.js';
import { sha256Hex } from '../../formats/text/hash.js';
import { OxherdError } from '../../model/error.js';
import { CLUSTERS, LEASES, MANAGED_BY } from '../api/group.js';
import { type ClusterSpec, knownSite, type Named, readStatus } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import type { ClusterAccess } from './open-cluster.js';

/** Not ours to plan or destroy. */
export const CONFLICT = 'fleet.conflict';

/** The name of the claim, for the status; throws `fleet.conflict` where the cluster belongs to another object. */
export async function claimCluster(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
  { loaded: { config }, site }: Pick<ClusterAccess, 'loaded' | 'site'>,
): Promise<string> {
  const { name, env } = config.cluster;
  // Of sites that share a Proxmox, the first: whichever of them is named, the cluster is the same.
  const place = knownSite(site).sameAs ?? site.name;
  const claim = `oxherd-claim-${sha256Hex([place, name, env ?? ''].join('\n')).slice(0, 20)}`;
  const before = readStatus(cluster.object).claim;
  if (before === claim) return claim;
  if (before !== undefined) await releaseClaim(context, cluster);
  const owner = await take(context, claim, holderOf(cluster));
  if (owner === undefined) return claim;
  throw new OxherdError(
    CONFLICT,
    `cluster ${name} on site ${site.name} belongs to OxherdCluster ${owner} already`,
    { advice: `give this one another cluster name in oxherd.yaml, or delete one of the two objects` },
  );
}

/** Another object may have the cluster from now on. */
export async function releaseClaim(
  { client, namespace }: ControllerContext,
  cluster: Named<ClusterSpec>,
): Promise<void> {
  const { claim } = readStatus(cluster.object);
  if (claim === undefined) return;
  const lease = await client.get(LEASES, claim, namespace);
  if (lease?.spec?.holderIdentity !== holderOf(cluster)) return;
  const { uid } = lease.metadata;
  await client.delete(LEASES, claim, { namespace, ...(uid !== undefined && { uid }) });
}

/** `namespace/name` of whoever has it; `undefined`: it is ours. */
async function take(context: ControllerContext, claim: string, holder: string): Promise<string | undefined> {
  const { client, namespace } = context;
  const lease = await client.get(LEASES, claim, namespace);
  const found = lease?.spec?.holderIdentity;
  if (found === holder) return undefined;
  if (found !== undefined && (await stands(context, claim, found))) return found.split('/', 2).join('/');
  const spec = { holderIdentity: holder };
  try {
    if (lease) {
      const metadata = { resourceVersion: lease.metadata.resourceVersion ?? '' };
      await client.patch(LEASES, claim, { metadata, spec }, { kind: 'merge', namespace });
    } else {
      const { apiVersion, kind } = LEASES;
      const metadata = { name: claim, namespace, labels: MANAGED_BY };
      await client.create(LEASES, { apiVersion, kind, metadata, spec }, namespace);
    }
    return undefined;
  } catch (error) {
    // Another one was faster: who, is seen at the next look.
    if (isKubernetesError(error, 'kubernetes.conflict', 'kubernetes.already-exists'))
      return take(context, claim, holder);
    throw error;
  }
}

/** An object that is gone, or has claimed another cluster since, has no claim left. */
async function stands({ client }: ControllerContext, claim: string, holder: string): Promise<boolean> {
  const [namespace = '', name = '', uid = ''] = holder.split('/');
  try {
    const object = await client.get(CLUSTERS, name, namespace);
    return object?.metadata.uid === uid && (readStatus(object).claim ?? claim) === claim;
  } catch (error) {
    // Its namespace is no longer one of this fleet, and may be one of another.
    if (isKubernetesError(error, 'kubernetes.forbidden')) return true;
    throw error;
  }
}

function holderOf({ namespace, name, uid }: Named<ClusterSpec>): string {
  return `${namespace}/${name}/${uid}`;
}
