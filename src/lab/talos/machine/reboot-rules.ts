import { readDocuments, record } from '../config/config-document.js';

/** Fields of `machine` that Talos 1.12 and 1.13 apply at once (v1alpha1_runtime.go, CanApplyImmediate). */
const IMMEDIATE_MACHINE = [
  'ca',
  'acceptedCAs',
  'time',
  'certSANs',
  'install',
  'network',
  'sysfs',
  'sysctls',
  'logging',
  'controlPlane',
  'kubelet',
  'kernel',
  'registries',
  'pods',
  'seccompProfiles',
  'nodeAnnotations',
  'nodeLabels',
  'nodeTaints',
];

const IMMEDIATE_FEATURES = [
  'kubernetesTalosAPIAccess',
  'kubePrism',
  'hostDNS',
  'imageCache',
  'nodeAddressSortAlgorithm',
];

/** Whether Talos up to 1.13 reboots for this change: it looks at the v1alpha1 document alone. */
export function needsReboot(before: string, after: string): boolean {
  return JSON.stringify(rest(before)) !== JSON.stringify(rest(after));
}

/** What is left of the v1alpha1 document when everything that applies at once is taken away. */
function rest(config: string): unknown {
  const main = readDocuments(config).find((document) => document.kind === 'v1alpha1')?.body;
  const { debug: _debug, cluster: _cluster, machine, ...top } = record(main);
  const { features, ...fields } = without(record(machine), IMMEDIATE_MACHINE);
  return sorted({ ...top, machine: { ...fields, features: without(record(features), IMMEDIATE_FEATURES) } });
}

function without(value: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** The same content gives the same text, whatever the order of its keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
