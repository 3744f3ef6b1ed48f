import type { KubernetesClient } from '../clients/kubernetes/client.js';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTACHMENTS,
} from '../clients/kubernetes/resources.js';
import { parseQuantity } from '../design/kubernetes/quantity.js';
import { attempt } from './attempt.js';
import type { KubeAttachment, KubeClaim, KubeVolume, ObservedKubernetes } from './observed-kubernetes.js';

/** Volumes, who claims them, and where they are attached. */
export async function observeStorage(
  client: KubernetesClient,
): Promise<Pick<ObservedKubernetes, 'volumes' | 'claims' | 'attachments'>> {
  const [volumes, claims, attachments] = await Promise.all([
    attempt(() => readVolumes(client)),
    attempt(() => readClaims(client)),
    attempt(() => readAttachments(client)),
  ]);
  return { volumes, claims, attachments };
}

async function readVolumes(client: KubernetesClient): Promise<KubeVolume[]> {
  return (await client.list(PERSISTENT_VOLUMES)).map((volume) => {
    const { capacity, claimRef, csi, local, hostPath, nodeAffinity } = volume.spec ?? {};
    const path = local?.path ?? hostPath?.path;
    const terms = nodeAffinity?.required?.nodeSelectorTerms;
    const size = parseQuantity(capacity?.storage ?? '');
    return {
      name: volume.metadata?.name ?? '',
      phase: volume.status?.phase ?? 'Pending',
      message: volume.status?.message ?? '',
      ...(size !== undefined && { capacity: size }),
      ...(csi && { handle: csi.volumeHandle }),
      ...(path !== undefined && { path }),
      ...(terms && { nodeTerms: terms }),
      ...(claimRef && { claim: { namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' } }),
    };
  });
}

async function readClaims(client: KubernetesClient): Promise<KubeClaim[]> {
  const claims = await client.list(PERSISTENT_VOLUME_CLAIMS);
  // Pods are many; without claims no one uses one.
  const pods = claims.length === 0 ? [] : await client.list(PODS);
  const mounted = new Set(
    pods.flatMap((pod) =>
      (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
        claim ? [`${pod.metadata?.namespace}/${claim.claimName}`] : [],
      ),
    ),
  );
  return claims.map((claim) => {
    const { name = '', namespace = '', creationTimestamp } = claim.metadata ?? {};
    const request = parseQuantity(claim.spec?.resources?.requests?.storage ?? '');
    const capacity = parseQuantity(claim.status?.capacity?.storage ?? '');
    const volume = claim.spec?.volumeName;
    return {
      namespace,
      name,
      phase: claim.status?.phase ?? 'Pending',
      storageClass: claim.spec?.storageClassName ?? '',
      used: mounted.has(`${namespace}/${name}`),
      created: timeOf(creationTimestamp),
      ...(volume ? { volume } : {}),
      ...(request !== undefined && { request }),
      ...(capacity !== undefined && { capacity }),
    };
  });
}

async function readAttachments(client: KubernetesClient): Promise<KubeAttachment[]> {
  return (await client.list(VOLUME_ATTACHMENTS)).map((attachment) => {
    const { attached = false, attachError, detachError } = attachment.status ?? {};
    const error = attachError?.message ?? detachError?.message;
    return {
      name: attachment.metadata?.name ?? '',
      node: attachment.spec.nodeName,
      volume: attachment.spec.source.persistentVolumeName ?? '',
      attached,
      ...(error !== undefined && { error }),
      leaving: attachment.metadata?.deletionTimestamp !== undefined,
      created: timeOf(attachment.metadata?.creationTimestamp),
    };
  });
}

export function timeOf(text: string | undefined): number {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? 0 : time;
}
