import { readYamlDocuments, YamlTextError } from '../../formats/text/yaml-text.js';
import { at, isObj, listOf, type Obj, objOf, textOf } from './json.js';

/** One manifest of a machine config: the name of an inline one, the URL of another. */
interface NamedManifest {
  readonly name: string;
  readonly objects: readonly unknown[];
}

/** Inline manifests as they are, manifests by URL through stand-ins, since the lab has no internet. */
export function namedManifests(documents: readonly Obj[], notice?: (text: string) => void): NamedManifest[] {
  const cluster = objOf(documents.find((document) => isObj(document.cluster))?.cluster);
  const inline = listOf(cluster.inlineManifests)
    .map(objOf)
    .map(({ name, contents }) => ({ name: textOf(name), objects: parsed(textOf(contents)) }));
  const urls = [...listOf(cluster.extraManifests), ...listOf(at(cluster, 'network', 'cni', 'urls'))].map(
    textOf,
  );
  return [...inline, ...urls.map((url) => ({ name: url, objects: standIn(url, notice) }))];
}

/** The objects that Talos creates from a machine config. */
export function manifestsOf(documents: readonly Obj[], notice?: (text: string) => void): unknown[] {
  return namedManifests(documents, notice).flatMap(({ objects }) => objects);
}

function parsed(text: string): unknown[] {
  try {
    return readYamlDocuments(text).filter(isObj);
  } catch (error) {
    // Talos reports a manifest that it cannot read and goes on with the others.
    if (error instanceof YamlTextError) return [];
    throw error;
  }
}

const GATEWAY_KINDS: readonly [
  kind: string,
  versions: readonly string[],
  scope: string,
  channel: 'standard' | 'experimental',
][] = [
  ['BackendTLSPolicy', ['v1'], 'Namespaced', 'standard'],
  ['GatewayClass', ['v1', 'v1beta1'], 'Cluster', 'standard'],
  ['Gateway', ['v1', 'v1beta1'], 'Namespaced', 'standard'],
  ['GRPCRoute', ['v1'], 'Namespaced', 'standard'],
  ['HTTPRoute', ['v1', 'v1beta1'], 'Namespaced', 'standard'],
  ['ReferenceGrant', ['v1beta1'], 'Namespaced', 'standard'],
  ['TCPRoute', ['v1alpha2'], 'Namespaced', 'experimental'],
  ['TLSRoute', ['v1alpha2'], 'Namespaced', 'experimental'],
  ['UDPRoute', ['v1alpha2'], 'Namespaced', 'experimental'],
];

/** What a manifest of a known URL would bring; an unknown one brings nothing, and that is said. */
function standIn(url: string, notice?: (text: string) => void): Obj[] {
  // Talos checks a `?checksum=` itself; it is no part of the address.
  const [address = ''] = url.split('?');
  const gateway = /gateway-api\/.*\/(v[\d.]+)[^/]*\/(standard|experimental)-install\.yaml$/.exec(address);
  if (gateway) return gatewayDefinitions(gateway[1] ?? '', gateway[2] === 'experimental');
  notice?.(`the lab has no stand-in for ${url}: nothing of it is created`);
  return [];
}

/** The Gateway API's definitions with schemas that take everything. */
export function gatewayDefinitions(version: string, experimental: boolean): Obj[] {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return GATEWAY_KINDS.filter(([, , , channel]) => channel === 'standard' || experimental).map(
    ([kind, versions, scope]) => {
      const plural = pluralOf(kind);
      return {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: {
          name: `${plural}.gateway.networking.k8s.io`,
          annotations: {
            'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/gateway-api/pull/3328',
            'gateway.networking.k8s.io/bundle-version': version,
            'gateway.networking.k8s.io/channel': experimental ? 'experimental' : 'standard',
          },
        },
        spec: {
          group: 'gateway.networking.k8s.io',
          scope,
          names: {
            plural,
            singular: kind.toLowerCase(),
            kind,
            listKind: `${kind}List`,
            categories: ['gateway-api'],
          },
          versions: versions.map((name, index) => ({
            name,
            served: true,
            storage: index === 0,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
          })),
        },
      };
    },
  );
}

function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return singular.endsWith('s') ? `${singular}es` : `${singular}s`;
}
