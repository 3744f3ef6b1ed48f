import { at, type ConfigDocument, list, string } from '../config/config-document.js';

/** A field of the v1alpha1 document and the document that replaces it exclude each other (V1Alpha1ConflictValidate). */

type Conflict = (main: unknown, document: ConfigDocument) => string | undefined;

const has = (main: unknown, ...path: string[]) => {
  const value = at(main, ...path);
  return (
    value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
  );
};

const CONFLICTS: Readonly<Record<string, Conflict>> = {
  HostnameConfig(main) {
    if (has(main, 'machine', 'network', 'hostname'))
      return 'static hostname is already set in v1alpha1 config';
    if (at(main, 'machine', 'features', 'stableHostname') === true) {
      return 'stable hostname is already set in v1alpha1 config';
    }
    return undefined;
  },
  ResolverConfig(main, { body }) {
    for (const field of ['searchDomains', 'nameservers']) {
      if (has(main, 'machine', 'network', field))
        return `.machine.network.${field} is already set in v1alpha1 config`;
    }
    if (at(main, 'machine', 'network', 'disableSearchDomain') === true) {
      return '.machine.network.disableSearchDomain is already set in v1alpha1 config';
    }
    if (body.hostDNS !== undefined && has(main, 'machine', 'features', 'hostDNS')) {
      return '.machine.features.hostDNS is already set in v1alpha1 config';
    }
    return undefined;
  },
  TimeSyncConfig(main) {
    const time = at(main, 'machine', 'time');
    if (at(time, 'disabled') === true) {
      return 'time sync cannot be disabled in both v1alpha1 and new-style configuration';
    }
    if (list(at(time, 'servers')).length > 0) {
      return 'time servers cannot be specified in both v1alpha1 and new-style configuration';
    }
    return has(time, 'bootTimeout')
      ? 'boot timeout cannot be specified in both v1alpha1 and new-style configuration'
      : undefined;
  },
  KubeSpanConfig: (main) =>
    has(main, 'machine', 'network', 'kubespan')
      ? 'kubespan is already configured in v1alpha1 machine.network.kubespan'
      : undefined,
  KubePrismConfig: (main) =>
    has(main, 'machine', 'features', 'kubePrism')
      ? "KubePrism config in v1alpha1 config (.machine.features.kubePrism) can't be used with KubePrismConfig document, please remove it to avoid conflicts"
      : undefined,
  KubeClusterConfig(main) {
    const advice = 'Please remove it and use only the new KubeClusterConfig document to avoid conflicts';
    if (string(at(main, 'cluster', 'clusterName'))) {
      return `cluster name is already set in the v1alpha1 config (.cluster.clusterName). ${advice}`;
    }
    return has(main, 'cluster', 'controlPlane', 'endpoint')
      ? `cluster endpoint is already set in the v1alpha1 config (.cluster.controlPlane.endpoint). ${advice}`
      : undefined;
  },
};

export function conflictsOf(main: unknown, documents: readonly ConfigDocument[]): string[] {
  return documents.flatMap((document) => CONFLICTS[document.kind]?.(main, document) ?? []);
}
