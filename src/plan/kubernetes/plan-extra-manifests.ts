/**
 * Manifests by URL (the Gateway API, the CSI driver, the user's own). Talos fetches what its config names and creates
 * what is missing; it never changes what is there. So another URL or another hash in oxherd.yaml is followed by a sync.
 */
import { known } from '../../observe/observed.js';
import type { Planned } from '../planned.js';
import { type KubernetesDraft, type KubernetesPlan, part, readPart } from './kubernetes-part.js';

export function planExtraManifests(given: KubernetesPlan): Planned {
  return part(given, syncManifests);
}

function syncManifests({ context, design, there }: KubernetesDraft): void {
  const { list, design: cluster } = context;
  // A new cluster has nothing that is old; an upgrade brings them along.
  if (!there || list.steps.some((step) => step.kind === 'sync-manifests')) return;
  const controlPlanes = cluster.nodes.filter((node) => node.role === 'controlplane');
  const names = new Set(controlPlanes.map((node) => node.name));
  const ofControlPlanes = list.steps.filter((step) => step.node !== undefined && names.has(step.node));
  const configs = ofControlPlanes.filter((step) => step.kind === 'change-config');
  const isChanged = configs.some(({ reasons }) =>
    reasons.some((path) => path.includes('cluster.extraManifests')),
  );
  const gateway = gatewayReason(context, design.gatewayApi, there.gatewayApi);
  if (design.manifestUrls.length === 0 || (!isChanged && gateway === undefined)) return;
  const reboots = ofControlPlanes.filter((step) => step.kind === 'reboot-machine');
  list.add('urls', {
    kind: 'sync-manifests',
    title: 'bring the manifests from URLs up to date',
    reasons: gateway === undefined ? ['their URLs or hashes have changed'] : [gateway],
    impact: 'live',
    needs: [...configs, ...reboots].map((step) => step.id),
    controlPlanes: controlPlanes.map((node) => node.ip),
    urls: design.manifestUrls,
  });
}

function gatewayReason(
  context: KubernetesDraft['context'],
  wanted: KubernetesPlan['design']['gatewayApi'],
  seen: NonNullable<KubernetesPlan['there']>['gatewayApi'],
): string | undefined {
  if (!wanted) return undefined;
  // `null`: it was read, and there is none.
  const there = readPart(
    context,
    'definitions of the Gateway API',
    seen.known ? known(seen.value ?? null) : seen,
  );
  if (there === undefined) return undefined;
  const text = ({ version, channel }: { version: string; channel: string }) => `${version} (${channel})`;
  const has = there === null ? undefined : text(there);
  return has === text(wanted) ? undefined : `Gateway API: ${has ?? 'missing'} → ${text(wanted)}`;
}
