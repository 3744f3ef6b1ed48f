import { at, list, record, string, strings } from '../config/config-document.js';
import { endpointProblem, isSubnetOrAddress } from './go-values.js';

/** The `cluster` section of the v1alpha1 document. */

type Body = Readonly<Record<string, unknown>>;

export function clusterProblems(value: unknown, isControlPlane: boolean): string[] {
  if (value === undefined || value === null) return ['cluster instructions are required'];
  const cluster = record(value);
  const problems: string[] = [];
  const controlPlane = cluster.controlPlane;
  const endpoint = string(at(controlPlane, 'endpoint'));
  if (controlPlane !== undefined && controlPlane !== null) {
    if (endpoint === undefined) {
      return [
        'cluster controlplane endpoint is required (.cluster.controlPlane.endpoint); when the endpoint is migrated to the KubeClusterConfig document, the whole .cluster.controlPlane section should be removed (.cluster.controlPlane.localAPIServerPort is migrated to the KubeAPIServerConfig document)',
      ];
    }
    const bad = endpointProblem(endpoint);
    if (bad) problems.push(`invalid controlplane endpoint: ${bad}`);
  }
  if (cluster.serviceAccount !== undefined && cluster.serviceAccount !== null && endpoint === undefined) {
    problems.push(
      '.cluster.serviceAccount requires the cluster endpoint to be set in the same document (.cluster.controlPlane.endpoint); when the cluster endpoint is migrated to the KubeClusterConfig document, .cluster.serviceAccount should be migrated to the KubeServiceAccountConfig document as well',
    );
  }
  const domain = string(at(cluster, 'network', 'dnsDomain'));
  if (domain && !/^([a-zA-Z0-9_]([a-zA-Z0-9_-]{0,62})(\.[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*)$/.test(domain)) {
    problems.push(`${JSON.stringify(domain)} is not a valid DNS name`);
  }
  problems.push(...cloudProviderProblems(cluster.externalCloudProvider));
  if (cluster.etcd !== undefined && cluster.etcd !== null) {
    if (isControlPlane) problems.push(...etcdProblems(record(cluster.etcd)));
    else problems.push('etcd config is only allowed on control plane machines');
  }
  if (!isControlPlane && string(at(cluster, 'ca', 'key'))) {
    problems.push('cluster CA key is not allowed on non-controlplane nodes (.cluster.ca)');
  }
  return [...problems, ...manifestProblems(list(cluster.inlineManifests)), ...discoveryProblems(cluster)];
}

function cloudProviderProblems(value: unknown): string[] {
  const manifests = strings(at(value, 'manifests'));
  if (at(value, 'enabled') !== true && manifests.length > 0) {
    return ['external cloud provider is disabled, but manifests are provided'];
  }
  return manifests.flatMap((url) => {
    const bad = endpointProblem(url);
    return bad ? [`invalid external cloud provider manifest url ${JSON.stringify(url)}: ${bad}`] : [];
  });
}

function etcdProblems(etcd: Body): string[] {
  const subnets = (key: string, what: string) =>
    strings(etcd[key])
      .map((subnet) => subnet.replace(/^!/, ''))
      .filter((subnet) => !isSubnetOrAddress(subnet))
      .map((subnet) => `etcd ${what} subnet is not valid: ${JSON.stringify(subnet)}`);
  return [
    ...(etcd.ca === undefined || etcd.ca === null ? ['key/cert combination should not be empty'] : []),
    ...(string(etcd.subnet) && strings(etcd.advertisedSubnets).length > 0
      ? ["etcd subnet can't be set when advertised subnets are set"]
      : []),
    ...subnets('advertisedSubnets', 'advertised'),
    ...subnets('listenSubnets', 'listen'),
  ];
}

function manifestProblems(manifests: readonly unknown[]): string[] {
  const names = new Set<string>();
  return manifests.flatMap((manifest) => {
    const name = string(at(manifest, 'name')) ?? '';
    const problems = name.trim() === '' ? ["inline manifest name can't be empty"] : [];
    if (names.has(name)) problems.push(`inline manifest name ${JSON.stringify(name)} is duplicate`);
    names.add(name);
    return problems;
  });
}

function discoveryProblems(cluster: Body): string[] {
  if (at(cluster, 'discovery', 'enabled') !== true) return [];
  if (at(cluster, 'discovery', 'registries', 'service', 'disabled') === true) return [];
  return [
    ...(string(cluster.id) ? [] : ['cluster discovery service requires .cluster.id']),
    ...(string(cluster.secret) ? [] : ['cluster discovery service requires .cluster.secret']),
  ];
}
