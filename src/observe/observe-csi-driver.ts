/** Whether the CSI driver runs: its controller, its node plugins, and the nodes whose kubelets know it. */
import type { KubernetesClient } from '../clients/kubernetes/client.js';
import { CSI_NODES, DAEMON_SETS, DEPLOYMENTS } from '../clients/kubernetes/resources.js';
import { CSI_CONTROLLER, CSI_NAMESPACE, CSI_NODE } from '../design/kubernetes/csi-driver.js';
import { CSI_DRIVER } from '../design/kubernetes/persistent-volumes.js';
import type { ObservedCsiDriver } from './observed-kubernetes.js';

export async function readCsiDriver(client: KubernetesClient): Promise<ObservedCsiDriver> {
  const [controller, plugins, csiNodes] = await Promise.all([
    client.get(DEPLOYMENTS, CSI_CONTROLLER, CSI_NAMESPACE),
    client.get(DAEMON_SETS, CSI_NODE, CSI_NAMESPACE),
    client.list(CSI_NODES),
  ]);
  const registered = csiNodes
    .filter(({ spec }) => spec.drivers?.some(({ name }) => name === CSI_DRIVER))
    .map(({ metadata }) => metadata?.name ?? '');
  return {
    ...(controller && {
      controller: {
        wanted: controller.spec?.replicas ?? 1,
        available: controller.status?.availableReplicas ?? 0,
      },
    }),
    ...(plugins && {
      plugins: {
        wanted: plugins.status?.desiredNumberScheduled ?? 0,
        available: plugins.status?.numberAvailable ?? 0,
      },
    }),
    registered,
  };
}
