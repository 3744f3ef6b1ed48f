/** A new token for the CSI driver; the old one ends at once. */
import type { Design } from '../../design/design.js';
import type { KubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { OxherdError } from '../../model/error.js';
import type { Observed } from '../../observe/observed.js';
import { makePlan } from '../../plan/make-plan.js';
import type { Plan } from '../../plan/plan.js';
import { StepList } from '../../plan/step-list.js';

export function planTokenRotation({
  design,
  observed,
  kubernetes: { csi },
}: {
  readonly design: Design;
  readonly observed: Observed;
  readonly kubernetes: KubernetesDesign;
}): Plan {
  if (!csi) {
    throw new OxherdError('secrets.no-csi', 'this cluster has no CSI driver', {
      advice: 'set `kubernetes.csi: true`',
    });
  }
  const id = `${csi.user}!${csi.tokenId}`;
  const list = new StepList();
  list.add(id, {
    kind: 'create-csi-token',
    title: `give the CSI driver a new token ${id}`,
    reasons: [
      csi.driver === 'built-in'
        ? 'requested; its controller is restarted to read it'
        : 'requested; restart its pods afterwards, so that they read it',
    ],
    impact: 'live',
    user: csi.user,
    tokenId: csi.tokenId,
    hash: csi.hash,
    rotate: true,
  });
  return makePlan(design, observed, list);
}
