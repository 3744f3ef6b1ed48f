/** Waits for a CSI driver that this plan installs or changes: volumes are of no use before. */
import { CSI_CONTROLLER, CSI_NAMESPACE, CSI_NODE } from '../../../design/kubernetes/csi-driver.js';
import { CSI_DRIVER } from '../../../design/kubernetes/persistent-volumes.js';
import type { Planned } from '../../planned.js';
import { type AppliedObjects, type KubernetesDraft, type KubernetesPlan, part } from '../kubernetes-part.js';

const OBJECTS = [
  `storage.k8s.io/v1 CSIDriver ${CSI_DRIVER}`,
  `apps/v1 Deployment ${CSI_NAMESPACE}/${CSI_CONTROLLER}`,
  `apps/v1 DaemonSet ${CSI_NAMESPACE}/${CSI_NODE}`,
];

export function planCsiDriver(
  given: KubernetesPlan,
  applied: AppliedObjects,
  before: readonly (string | undefined)[],
): Planned {
  return part(given, (plan) => awaitDriver(plan, applied, before));
}

function awaitDriver(
  plan: KubernetesDraft,
  applied: AppliedObjects,
  before: readonly (string | undefined)[],
): void {
  const { context, design, there, api } = plan;
  if (!design.csi) return;
  if (design.csi.driver === 'none') noteMissing(plan);
  if (design.csi.driver !== 'built-in') return;
  const changed = OBJECTS.flatMap((key) => applied.get(key) ?? []);
  if (changed.length === 0) return;
  context.list.add('csi-driver', {
    kind: 'await-csi-driver',
    title: 'wait until the CSI driver runs on all nodes',
    reasons: [there ? 'it was changed' : 'new VM'],
    impact: 'none',
    needs: [api, ...before, ...changed],
  });
}

function noteMissing({ context, there }: KubernetesDraft): void {
  if (there?.csiDriver.known && there.csiDriver.value.registered.length > 0) return;
  context.notes.push({
    code: 'advice',
    message:
      'no CSI driver is registered on any node, so CSI volumes cannot be attached; install the Proxmox CSI driver, or remove kubernetes.csi.driver: none',
  });
}
