/** What changing a key of `kubernetes` does to a cluster that runs. */
import { type Entry, e } from './effect.js';

const APPLIED = e('live', 'objects are applied to the cluster');
const DRIVER = e('live', 'the driver is updated in the cluster');
const GITOPS = e('live', 'the install manifest is applied again, and its pods are waited for');
const SOURCE = e('live', 'its objects and secret are applied; the engine follows the new source at once');

export const KUBERNETES_EFFECTS: Readonly<Record<string, Entry>> = {
  'kubernetes.cilium': e('live', 'installed by a Job; the network of a running cluster is not replaced'),
  'kubernetes.cilium.*': e('live', 'the installer Job runs with the new values; agents roll themselves'),
  'kubernetes.loadBalancer': e(
    'live',
    'objects of Cilium are created or removed; Services of type LoadBalancer get or lose their addresses',
  ),
  'kubernetes.loadBalancer.pool': e(
    'live',
    'applied; a Service whose address leaves the pool gets another one',
  ),
  'kubernetes.loadBalancer.mode': e(
    'live',
    'objects of the other mode are removed; for `bgp` Cilium is installed again with its control plane on',
  ),
  'kubernetes.loadBalancer.asn': e('live', 'sessions to all routers are set up again'),
  'kubernetes.loadBalancer.peers': e('live', 'sessions are set up, and ended with routers that leave'),
  'kubernetes.loadBalancer.peers[].*': e('live', 'the session to that router is set up again'),
  'kubernetes.gatewayApi': APPLIED,
  'kubernetes.gatewayApi.*': APPLIED,
  'kubernetes.sealedSecrets': APPLIED,
  'kubernetes.sealedSecrets.*': e('live', 'a key that exists in the cluster is kept'),
  'kubernetes.csi': DRIVER,
  'kubernetes.csi.delete': e('live', 'the driver gets or loses the right to delete volumes'),
  'kubernetes.csi.acceptDeleteRisk': e('none', 'answers a check of the config'),
  'kubernetes.csi.storageClasses': APPLIED,
  'kubernetes.csi.storageClasses.<name>.*': e(
    'live',
    'the StorageClass is recreated; existing volumes are unchanged',
  ),
  'kubernetes.csi.endpoint': DRIVER,
  'kubernetes.csi.driver': DRIVER,
  'kubernetes.csi.driver.*': DRIVER,
  'kubernetes.csi.images': DRIVER,
  'kubernetes.csi.images.*': DRIVER,
  'kubernetes.gitops': e('live', 'installed with its first repository; taken out, it stays in the cluster'),
  'kubernetes.gitops.flux': GITOPS,
  'kubernetes.gitops.argocd': GITOPS,
  'kubernetes.gitops.flux.*': GITOPS,
  'kubernetes.gitops.argocd.*': GITOPS,
  'kubernetes.gitops.flux.source.*': SOURCE,
  'kubernetes.gitops.argocd.source.*': SOURCE,
  'kubernetes.manifests': APPLIED,
};
