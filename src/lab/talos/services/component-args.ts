import { isIP } from 'node:net';
import { memoize } from '../../../model/memoize.js';
import { parseVersion } from '../../../model/version.js';
import { at, list, record, string } from '../config/config-document.js';
import { COMPONENT_FLAGS, type Component, FEATURE_GATES } from './component-flags.js';
import { NEW_FLAGS, NEW_GATES, REMOVED_FLAGS, REMOVED_GATES } from './component-flags-by-version.js';

/** Admission plugins that the API server has. */
const ADMISSION_PLUGINS = `
  AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning
  CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass
  DefaultTolerationSeconds DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration
  ImagePolicyWebhook LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy
  MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle
  NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement
  PersistentVolumeClaimResize PodGroupProtection PodNodeSelector PodResizeValidator PodSecurity
  PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass ServiceAccount
  StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook
`;

/** Whether the programs of Kubernetes start with the arguments that a config gives them. */
export type { Component } from './component-flags.js';

type FlagType = 'bool' | 'int' | 'float' | 'duration' | 'ip' | 'text';

const words = (text: string) => text.trim().split(/\s+/);
const plugins = new Set(words(ADMISSION_PLUGINS));
const flags = new Map(
  Object.entries(COMPONENT_FLAGS).map(([component, byType]) => [component, flagsOf(byType)]),
);

function flagsOf(byType: Readonly<Record<string, string>>): Map<string, FlagType> {
  return new Map(
    Object.entries(byType).flatMap(([type, names]) =>
      words(names).map((name): [string, FlagType] => [name, type as FlagType]),
    ),
  );
}

/** Entries of a table by minor that belong to later versions than this one. */
function laterThan<T>(minor: number, table: Readonly<Record<number, T>>): T[] {
  return Object.entries(table).flatMap(([since, names]) => (Number(since) > minor ? [names] : []));
}

const gatesAt = memoize((version: string): ReadonlySet<string> => {
  const { minor = NEWEST } = parseVersion(version) ?? {};
  const unknown = new Set(laterThan(minor, NEW_GATES).flatMap(words));
  return new Set([
    ...words(FEATURE_GATES).filter((gate) => !unknown.has(gate)),
    ...laterThan(minor, REMOVED_GATES).flatMap(words),
  ]);
});

/** Of component-flags.ts; an image without a version is taken for it. */
const NEWEST = 37;

function flagType(component: Component, name: string, version: string): FlagType | undefined {
  const { minor = NEWEST } = parseVersion(version) ?? {};
  if (laterThan(minor, NEW_FLAGS[component]).flatMap(words).includes(name)) return undefined;
  const removed = laterThan(minor, REMOVED_FLAGS[component]).map((byType) => flagsOf(byType).get(name));
  return flags.get(component)?.get(name) ?? removed.find((type) => type !== undefined);
}

/**
 * Arguments that Talos does not let a config override (control_plane_final.go): the pod is not rendered again, and the
 * one before goes on.
 */
const DENIED = new Set(
  words(`
    etcd-servers client-ca-file requestheader-client-ca-file proxy-client-cert-file proxy-client-key-file
    encryption-provider-config etcd-cafile etcd-certfile etcd-keyfile kubelet-client-certificate kubelet-client-key
    service-account-key-file service-account-signing-key-file tls-cert-file tls-min-version tls-private-key-file
    authorization-config cluster-signing-cert-file cluster-signing-key-file authentication-kubeconfig
    authorization-kubeconfig root-ca-file service-account-private-key-file kubeconfig config
  `),
);

type ComponentArgs = readonly (readonly [name: string, value: string])[];

/** `extraArgs`: one value, or from 1.13 on a list of them. */
export function readArgs(value: unknown): ComponentArgs {
  return Object.entries(record(value)).flatMap(([name, given]) => {
    const values = Array.isArray(given) ? list(given) : [given];
    return values.map((one) => [name, String(one ?? '')] as const);
  });
}

/** What the program of this version (`v1.36.0`) prints before it ends; `undefined`: it starts. */
export function whyNotStarting(
  component: Component,
  args: ComponentArgs,
  version: string,
): string | undefined {
  if (args.some(([name]) => component !== 'kubelet' && DENIED.has(name))) return undefined;
  for (const [name, value] of args) {
    const type = flagType(component, name, version);
    if (type === undefined) return `unknown flag: --${name}`;
    const problem = valueProblem(name, type, value, version);
    if (problem !== undefined) return `invalid argument "${value}" for "--${name}" flag: ${problem}`;
  }
  return undefined;
}

function valueProblem(name: string, type: FlagType, value: string, version: string): string | undefined {
  if (name === 'feature-gates') return gateProblem(value, gatesAt(version));
  if (name === 'enable-admission-plugins' || name === 'disable-admission-plugins') {
    const unknown = value.split(',').find((plugin) => plugin !== '' && !plugins.has(plugin));
    return unknown && `${name} plugin "${unknown}" is unknown`;
  }
  return FORMS[type](value);
}

function gateProblem(value: string, gates: ReadonlySet<string>): string | undefined {
  for (const pair of value.split(',').filter((one) => one.trim() !== '')) {
    const [gate = '', setting] = pair.split('=').map((part) => part.trim());
    if (setting === undefined) return `missing bool value for ${gate}`;
    if (FORMS.bool(setting)) return `invalid value of ${gate}=${setting}, err: ${FORMS.bool(setting)}`;
    if (!gates.has(gate)) return `unrecognized feature gate: ${gate}`;
  }
  return undefined;
}

const form =
  (pattern: RegExp, problem: (value: string) => string) =>
  (value: string): string | undefined =>
    pattern.test(value) ? undefined : problem(value);

const FORMS: Readonly<Record<FlagType, (value: string) => string | undefined>> = {
  bool: form(
    /^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/,
    (value) => `strconv.ParseBool: parsing "${value}": invalid syntax`,
  ),
  int: form(/^[-+]?\d+$/, (value) => `strconv.ParseInt: parsing "${value}": invalid syntax`),
  float: form(
    /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/,
    (value) => `strconv.ParseFloat: parsing "${value}": invalid syntax`,
  ),
  duration: form(
    /^([-+]?(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+$|^0$/,
    (value) => `time: invalid duration "${value}"`,
  ),
  ip: (value) => (isIP(value) === 0 ? `failed to parse IP: "${value}"` : undefined),
  text: () => undefined,
};

/** Programs that do not start with this config, and what they print. */
export function failingComponents(
  machine: unknown,
  cluster: unknown,
  document: (kind: string) => unknown,
): Partial<Record<Component, string>> {
  const given: Record<Component, readonly unknown[]> = {
    'kube-apiserver': [at(cluster, 'apiServer'), document('KubeAPIServerConfig')],
    'kube-controller-manager': [at(cluster, 'controllerManager'), document('KubeControllerManagerConfig')],
    'kube-scheduler': [at(cluster, 'scheduler'), document('KubeSchedulerConfig')],
    kubelet: [at(machine, 'kubelet'), document('KubeletConfig')],
  };
  const failing: Partial<Record<Component, string>> = {};
  for (const component of Object.keys(COMPONENT_FLAGS) as Component[]) {
    const args = given[component].flatMap((section) => readArgs(at(section, 'extraArgs')));
    const [image = ''] = given[component].flatMap((section) => string(at(section, 'image')) ?? []);
    const why = whyNotStarting(component, args, imageTag(image));
    if (why !== undefined) failing[component] = why;
  }
  return failing;
}

/** `ghcr.io/siderolabs/kubelet:v1.35.0@sha256:…` → `v1.35.0` */
export function imageTag(image: string): string {
  return /:(v[^@/]+)/.exec(image)?.[1] ?? '';
}

/** What the API server's pod is made from: another text is another pod. */
export function apiServerPod(
  cluster: unknown,
  documents: readonly { kind: string; body: unknown }[],
): string {
  const parts = documents.filter(({ kind }) => API_SERVER_KINDS.has(kind));
  const secrets = API_SERVER_SECRETS.map((field) => at(cluster, field));
  const given = [at(cluster, 'apiServer'), at(cluster, 'externalCloudProvider'), ...secrets];
  return JSON.stringify([given, parts.map(({ kind, body }) => [kind, body])], inOrder);
}

/** Certificates and keys: another one adds to `talos.dev/secrets-version`, an annotation of the pod (seen on 1.14.1). */
const API_SERVER_SECRETS = [
  'ca',
  'acceptedCAs',
  'aggregatorCA',
  'serviceAccount',
  'secretboxEncryptionSecret',
  'aescbcEncryptionSecret',
];

/** What the kubelet is started from, labels and taints of its node apart: Talos sets those through the API. */
export function kubeletSpec(
  machine: unknown,
  cluster: unknown,
  documents: readonly { kind: string; body: unknown }[],
): string {
  const parts = documents.filter(({ kind }) => KUBELET_KINDS.has(kind));
  // `--hostname-override` and `--cloud-provider`; the kubelet restarts with another CA (seen on 1.14.1).
  const given = [
    at(machine, 'kubelet'),
    at(machine, 'network', 'hostname'),
    ...['externalCloudProvider', 'ca', 'acceptedCAs'].map((field) => at(cluster, field)),
  ];
  return JSON.stringify([given, parts.map(({ kind, body }) => [kind, body])], inOrder);
}

/** What containerd reads when it starts: logins, and parts of its config. 1.14 restarts cri for them by itself. */
export function criSpec(machine: unknown, documents: readonly { kind: string; body: unknown }[]): string {
  const parts = documents.filter(({ kind }) => CRI_KINDS.has(kind));
  const files = list(at(machine, 'files')).filter((file) =>
    String(at(file, 'path') ?? '').startsWith('/etc/cri/conf.d/'),
  );
  const given = [at(machine, 'registries', 'config'), files];
  return JSON.stringify([given, parts.map(({ kind, body }) => [kind, body])], inOrder);
}

const CRI_KINDS = new Set(['RegistryAuthConfig', 'CRICustomizationConfig']);

/** Talos writes the pod from its own structures: the order of keys in a config is not in it. */
function inOrder(_: string, value: unknown): unknown {
  const isList = Array.isArray(value) || typeof value !== 'object' || value === null;
  return isList ? value : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const KUBELET_KINDS = new Set(['KubeletConfig', 'KubeCredentialProviderConfig', 'HostnameConfig']);

const API_SERVER_KINDS = new Set([
  'KubeAPIServerConfig',
  'KubeAdmissionControlConfig',
  'KubeAuthenticationConfig',
  'KubeAuthorizerConfig',
  'KubeEtcdEncryptionConfig',
]);
