import { at, type ConfigDocument, string } from '../config/config-document.js';

/** Kinds that only control planes may have. */
const CONTROL_PLANE_ONLY = new Set([
  'KubeAPIServerConfig',
  'KubeAdmissionControlConfig',
  'KubeAggregatorCAConfig',
  'KubeAuditPolicyConfig',
  'KubeAuthenticationConfig',
  'KubeAuthorizerConfig',
  'KubeControllerManagerConfig',
  'KubeCoreDNSConfig',
  'KubeEtcdEncryptionConfig',
  'KubeExternalManifestConfig',
  'KubeFlannelCNIConfig',
  'KubeInlineManifestConfig',
  'KubeProxyConfig',
  'KubeSchedulerConfig',
  'KubeServiceAccountConfig',
]);

/** What no document can see alone (container/validate.go, validateContainer). */
export function crossChecks(documents: readonly ConfigDocument[]): string[] {
  const main = documents.find((document) => document.kind === 'v1alpha1')?.body;
  const kinds = new Set(documents.map((document) => document.kind));
  const type = string(at(main, 'machine', 'type'));
  const isControlPlane = type === 'controlplane' || type === 'init';
  const problems: string[] = [];

  const hasKubernetesCa = at(main, 'cluster', 'ca') != null || kinds.has('KubeAPIServerCAConfig');
  if (isControlPlane && hasKubernetesCa) {
    const secret =
      at(main, 'cluster', 'secretboxEncryptionSecret') ?? at(main, 'cluster', 'aescbcEncryptionSecret');
    if (!secret && !kinds.has('KubeEtcdEncryptionConfig')) {
      problems.push('etcd encryption config is required for control plane machines running kube-apiserver');
    }
  }
  const named = at(main, 'cluster', 'controlPlane', 'endpoint') != null || kinds.has('KubeClusterConfig');
  if (hasKubernetesCa && !named) {
    problems.push(
      'cluster name and endpoint are required when Kubernetes is configured: either .cluster.clusterName/.cluster.controlPlane.endpoint or the KubeClusterConfig document',
    );
  }
  const misplaced = [...kinds].filter((kind) => CONTROL_PLANE_ONLY.has(kind)).sort();
  if (misplaced.length > 0 && !isControlPlane) {
    problems.push(
      `the following document kinds are only allowed on control plane machines: [${misplaced.join(' ')}]`,
    );
  }
  return problems;
}
