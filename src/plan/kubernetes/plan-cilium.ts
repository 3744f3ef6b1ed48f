/** Cilium: installed once, then upgraded one minor version at a time, or with new values. */

import type { CiliumCommand, CiliumDesign } from '../../design/kubernetes/cilium.js';
import { CILIUM_INSTALLER } from '../../design/kubernetes/cilium.js';
import { compareVersions, formatMinor, parseVersion } from '../../model/version.js';
import type { ObservedCilium } from '../../observe/observed-kubernetes.js';
import { driftOf } from '../drift/drift-authors.js';
import type { Draft, Planned } from '../planned.js';
import { type KubernetesDraft, type KubernetesPlan, part } from './kubernetes-part.js';

/** The step after which there is a network; `undefined`: nothing changes about it. */
export function planCilium(given: KubernetesPlan): Planned<string | undefined> {
  return part(given, installOrUpgrade);
}

function installOrUpgrade({ context, design, there, api }: KubernetesDraft): string | undefined {
  const { cilium } = design;
  if (!cilium) return undefined;
  const seen = there?.cilium;
  if (seen && !seen.known) {
    context.notes.push({ code: 'unknown', message: `Cilium could not be looked at: ${seen.why}` });
    return undefined;
  }
  const reason = whyRun(context, seen?.value, cilium);
  if (reason) {
    return context.list.add(cilium.version, {
      kind: 'install-cilium',
      ...(reason.command === 'install' && { action: 'create' as const }),
      title: `${reason.command} Cilium ${cilium.version}`,
      reasons: reason.reasons,
      // Its values are noted when it is installed; what is not as they say since then, someone changed.
      ...driftOf(
        reason.reasons.map((why) => [why, seen?.value.appliedHash === cilium.hash ? 'hand' : undefined]),
      ),
      impact: reason.command === 'install' ? 'none' : 'live',
      needs: [api],
      command: reason.command,
      version: cilium.version,
      hash: cilium.hash,
    });
  }
  if (seen?.value.binding) {
    context.list.add(`ClusterRoleBinding ${CILIUM_INSTALLER}`, {
      kind: 'delete-object',
      title: `revoke cluster-admin from ${CILIUM_INSTALLER}`,
      reasons: ['left by an interrupted run; no longer needed'],
      impact: 'none',
      object: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        name: CILIUM_INSTALLER,
      },
    });
  }
  return undefined;
}

function whyRun(
  { problems }: Draft,
  seen: ObservedCilium | undefined,
  wanted: CiliumDesign,
): { readonly command: CiliumCommand; readonly reasons: readonly string[] } | undefined {
  if (seen?.version === undefined)
    return { command: 'install', reasons: ['nodes have no network without it'] };
  if (seen.version === wanted.version) {
    if (seen.appliedHash === undefined)
      return { command: 'upgrade', reasons: ['it was not installed to its end by oxherd'] };
    if (seen.appliedHash !== wanted.hash) return { command: 'upgrade', reasons: ['its values have changed'] };
    if (wanted.gatewayApi && !seen.gatewayClass)
      return {
        command: 'upgrade',
        reasons: ['its GatewayClass is missing: it was installed before the Gateway API'],
      };
    return undefined;
  }
  const wrong = illegalHop(seen.version, wanted.version);
  if (wrong) {
    problems.push({ code: 'cilium-version', scope: 'plan', ...wrong });
    return undefined;
  }
  return { command: 'upgrade', reasons: [`${seen.version} → ${wanted.version}`] };
}

/** Cilium supports upgrades and roll-backs between neighbouring minor versions only. */
function illegalHop(from: string, to: string): { message: string; advice: string } | undefined {
  const [a, b] = [parseVersion(from), parseVersion(to)];
  if (!a || !b || (a.major === b.major && Math.abs(b.minor - a.minor) <= 1)) return undefined;
  const next = { ...a, minor: a.minor + Math.sign(compareVersions(b, a)) };
  return {
    message: `Cilium is ${from}; oxherd.yaml says ${to}, and it is upgraded one minor version at a time`,
    advice: `write the latest patch release of ${formatMinor(next)} first, apply, then continue`,
  };
}
