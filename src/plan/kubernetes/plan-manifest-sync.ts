/**
 * Talos's own manifests (CoreDNS, kube-proxy, flannel, RBAC). Talos creates them and never updates them: whoever
 * upgrades Kubernetes or Talos has to, as `talosctl upgrade-k8s` does at its end.
 */

import { compareVersions, parseVersion } from '../../model/version.js';
import type { SystemImage } from '../../observe/system-images.js';
import type { PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { readPart } from './kubernetes-part.js';

/** `undefined`: this plan is about the machines alone. `after` is what brings new manifests. */
export function planManifestSync(
  { list, design, observed }: Draft,
  needs: readonly string[],
  after: string,
): string | undefined {
  const controlPlanes = design.nodes.filter((node) => node.role === 'controlplane').map((node) => node.ip);
  if (controlPlanes.length === 0 || !observed.kubernetes) return undefined;
  return list.add(after.replaceAll(' ', '-').toLowerCase(), {
    kind: 'sync-manifests',
    title: `update Talos manifests to ${after}`,
    reasons: ['CoreDNS, kube-proxy and others; Talos creates them and never updates them'],
    impact: 'live',
    needs,
    controlPlanes,
  });
}

/** Another Talos renders other manifests; once, where Kubernetes is upgraded too. */
export function planTalosManifests(given: PlanContext): Planned {
  return drafted(given, (context) => {
    const { steps } = context.list;
    if (steps.some((step) => step.kind === 'sync-manifests')) return;
    const upgrades = steps.flatMap((step) =>
      step.kind === 'upgrade-talos' && step.role === 'controlplane' && step.from !== step.to ? [step] : [],
    );
    const [first] = upgrades;
    if (!first) return;
    planManifestSync(
      context,
      upgrades.map((step) => step.id),
      `Talos ${first.to}`,
    );
  });
}

/** What an upgrade left behind that was cut off before its end, or that someone did by other means. */
export function planLeftManifests(given: PlanContext): Planned {
  return drafted(given, (draft) => {
    const { list, design, observed } = draft;
    const { systemImages } = observed;
    if (!systemImages || list.steps.some((step) => step.kind === 'sync-manifests')) return;
    const old = (readPart(draft, "images of Talos's own pods", systemImages) ?? []).filter(isBehind);
    if (old.length === 0) return;
    list.add('talos', {
      kind: 'sync-manifests',
      title: 'update Talos manifests',
      reasons: old.map(({ object, runs, wanted }) => `${object}: ${runs} → ${wanted}`),
      impact: 'live',
      controlPlanes: design.nodes.filter((node) => node.role === 'controlplane').map((node) => node.ip),
    });
  });
}

/** The same image, older. Another one, or a newer one, is someone's choice. */
function isBehind({ runs, wanted }: SystemImage): boolean {
  const [running, rendered] = [split(runs), split(wanted)];
  if (running.name !== rendered.name || !running.version || !rendered.version) return false;
  return compareVersions(running.version, rendered.version) < 0;
}

function split(image: string) {
  const colon = image.lastIndexOf(':');
  return { name: image.slice(0, colon), version: parseVersion(image.slice(colon + 1)) };
}
