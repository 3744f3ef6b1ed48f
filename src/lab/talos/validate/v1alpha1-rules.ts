import { at, list, record, string, stringMap, strings } from '../config-document.js';
import { multiError } from './config-error.js';
import { endpointProblem, isSubnetOrAddress } from './go-values.js';
import { deviceProblems } from './interface-rules.js';
import { annotationProblems, labelProblems, taintProblems } from './kubernetes-names.js';

/** The rules of the v1alpha1 document (types/v1alpha1/v1alpha1_validation.go), metal mode. */

type Body = Readonly<Record<string, unknown>>;

export interface Findings {
  /** Leaves. */
  readonly errors: string[];
  readonly warnings: string[];
  /** As multierror prints them: errors of a group are nested in one entry. */
  readonly printed: string[];
}

const ALIASES: Readonly<Record<string, string>> = {
  '': 'worker',
  join: 'worker',
  worker: 'worker',
  init: 'init',
  controlplane: 'controlplane',
};

export function checkV1Alpha1(body: Body): Findings {
  const found: Findings = { errors: [], warnings: [], printed: [] };
  if (body.machine === undefined || body.machine === null) {
    add(found, ['machine instructions are required']);
    return found;
  }
  const machine = record(body.machine);
  const type = string(machine.type) ?? '';
  const role = ALIASES[type];
  const isControlPlane = role === 'controlplane' || role === 'init';

  if (list(machine.files).length > 0) {
    found.warnings.push('.machine.files is deprecated; use dedicated configuration documents instead');
  }
  add(found, clusterProblems(body.cluster, isControlPlane));
  add(
    found,
    installProblems(record(machine.install), machine.install !== undefined && machine.install !== null),
  );
  const hostDns = at(machine, 'features', 'hostDNS');
  if (at(hostDns, 'forwardKubeDNSToHost') === true && at(hostDns, 'enabled') !== true) {
    add(found, [
      'feature hostDNS.forwardKubeDNSToHost requires hostDNS.enabled to be true (.machine.features.hostDNS)',
    ]);
  }
  if (role !== undefined && role !== type) {
    found.warnings.push(`use ${JSON.stringify(role)} instead of ${JSON.stringify(type)} for machine type`);
  }
  add(found, authorityProblems(body, machine, role, isControlPlane, type));
  const { problems, warnings } = deviceProblems(list(at(machine, 'network', 'interfaces')));
  add(found, problems);
  found.warnings.push(...warnings);
  add(found, kubeletProblems(record(machine.kubelet)));
  add(found, encryptionProblems(record(machine.systemDiskEncryption)));
  if (list(at(machine, 'install', 'extensions')).length > 0) {
    found.warnings.push(
      '.machine.install.extensions is deprecated, please see https://docs.siderolabs.com/talos/latest/platform-specific-installations/boot-assets',
    );
  }
  group(found, 'invalid machine node labels', labelProblems(stringMap(machine.nodeLabels)));
  group(found, 'invalid machine node annotations', annotationProblems(stringMap(machine.nodeAnnotations)));
  group(found, 'invalid machine node taints', taintProblems(stringMap(machine.nodeTaints)));
  if (at(machine, 'features', 'kubernetesTalosAPIAccess', 'enabled') === true && !isControlPlane) {
    add(found, ['feature Kubernetes Talos API Access can only be enabled on control plane machines']);
  }
  if (body.persist === false) add(found, ['.persist should be enabled']);
  return found;
}

function add(found: Findings, problems: readonly string[]): void {
  found.errors.push(...problems);
  found.printed.push(...problems);
}

function group(found: Findings, title: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  found.errors.push(...problems);
  found.printed.push(`${title}: ${multiError(problems)}`);
}

function clusterProblems(value: unknown, isControlPlane: boolean): string[] {
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

function installProblems(install: Body, present: boolean): string[] {
  if (!present) return [];
  const selector = record(install.diskSelector);
  const problems: string[] = [];
  if (!string(install.disk) && Object.keys(selector).length === 0) {
    problems.push('either install disk or diskSelector should be defined');
  }
  if (strings(install.extraKernelArgs).length > 0 && install.grubUseUKICmdline === true) {
    problems.push("install.extraKernelArgs and install.grubUseUKICmdline can't be used together");
  }
  return problems;
}

function authorityProblems(
  body: Body,
  machine: Body,
  role: string | undefined,
  isControlPlane: boolean,
  type: string,
): string[] {
  const ca = machine.ca === undefined || machine.ca === null ? undefined : record(machine.ca);
  const accepted = list(machine.acceptedCAs).length > 0;
  const problems: string[] = [];
  if (!ca && !accepted) {
    problems.push('issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)');
  }
  if (isControlPlane) {
    problems.push(...cniProblems(at(body, 'cluster', 'network', 'cni')));
    if (!ca) problems.push('issuing CA is required (.machine.ca)');
    else if (!string(ca.key)) {
      problems.push('issuing CA key is required for controlplane nodes (.machine.ca.key)');
    }
  } else if (role === 'worker') {
    for (const device of list(at(machine, 'network', 'interfaces'))) {
      for (const holder of [device, ...list(at(device, 'vlans'))]) {
        if (at(holder, 'vip') !== undefined) {
          problems.push('virtual (shared) IP is not allowed on non-controlplane nodes');
        }
      }
    }
    if (string(ca?.key)) {
      problems.push('issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)');
    }
    if (ca && !string(ca.crt) && !accepted) {
      problems.push(
        'trusted CA certificates are required on non-controlplane nodes (.machine.ca.crt, .machine.acceptedCAs)',
      );
    }
    if (string(at(body, 'cluster', 'ca', 'key'))) {
      problems.push('issuing Kubernetes API CA key is not allowed on non-controlplane nodes (.cluster.ca)');
    }
  } else {
    problems.push(`unknown machine type ${JSON.stringify(type)}`);
  }
  return problems;
}

function cniProblems(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const name = string(at(value, 'name')) ?? '';
  const urls = strings(at(value, 'urls'));
  if (!['flannel', 'custom', 'none'].includes(name)) {
    return ['cni name should be one of ["flannel", "custom", "none"]'];
  }
  if (name !== 'custom' && urls.length > 0)
    return [`"urls" field should be empty for ${JSON.stringify(name)} CNI`];
  return urls.flatMap((url) => endpointProblem(url) ?? []);
}

const PROTECTED_KUBELET = [
  'apiVersion',
  'authentication',
  'authorization',
  'cgroupRoot',
  'kind',
  'port',
  'protectKernelDefaults',
  'resolverConfig',
  'rotateCertificates',
  'staticPodPath',
];

function kubeletProblems(kubelet: Body): string[] {
  const extra = record(kubelet.extraConfig);
  return [
    ...strings(at(kubelet, 'nodeIP', 'validSubnets'))
      .map((subnet) => subnet.replace(/^!/, ''))
      .filter((subnet) => !isSubnetOrAddress(subnet))
      .map((subnet) => `kubelet nodeIP subnet is not valid: ${JSON.stringify(subnet)}`),
    ...PROTECTED_KUBELET.filter((field) => field in extra).map(
      (field) => `kubelet configuration field ${JSON.stringify(field)} can't be overridden`,
    ),
  ];
}

function encryptionProblems(encryption: Body): string[] {
  return (['ephemeral', 'state'] as const).flatMap((name) => {
    const volume = encryption[name];
    if (volume === undefined || volume === null) return [];
    const label = JSON.stringify(name.toUpperCase());
    const keys = list(at(volume, 'keys'));
    const problems = keys.length === 0 ? [`partition ${label}: no encryption keys provided`] : [];
    const slots = new Set<unknown>();
    for (const key of keys) {
      const slot = at(key, 'slot') ?? 0;
      if (slots.has(slot)) problems.push(`partition ${label}: encryption key slot ${slot} is already in use`);
      slots.add(slot);
      if (!['nodeID', 'static', 'kms', 'tpm'].some((kind) => at(key, kind) !== undefined)) {
        problems.push(
          `partition ${label}: encryption key at slot ${slot} doesn't have the configuration parameters`,
        );
      }
    }
    return problems;
  });
}
