import { at, list, record, string, stringMap, strings } from '../config/config-document.js';
import { clusterProblems } from './cluster-rules.js';
import { multiError } from './config-error.js';
import { endpointProblem, isSubnetOrAddress } from './go-values.js';
import { deviceProblems } from './interface-rules.js';
import { annotationProblems, labelProblems, taintProblems } from './kubernetes-names.js';

/** The rules of the v1alpha1 document (types/v1alpha1/v1alpha1_validation.go), metal mode. */

type Body = Readonly<Record<string, unknown>>;

interface Findings {
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
