import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Registry } from '../kinds/registry.js';
import type { ResourceType } from '../kinds/resource-type.js';
import { parseAccept } from './negotiate.js';
import { contentOf } from './open-api-document.js';

interface GroupVersion {
  readonly groupVersion: string;
  readonly version: string;
}

export function apiVersions(address: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

export function apiGroupList(registry: Registry): object {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: registry.groups().map((group) => groupOf(registry, group)),
  };
}

export function apiGroup(registry: Registry, group: string): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(registry, group) };
}

function groupOf(registry: Registry, group: string): object {
  const versions: GroupVersion[] = registry
    .versions(group)
    .map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

export function apiResourceList(registry: Registry, group: string, version: string): object {
  return {
    kind: 'APIResourceList',
    // The core list is older than the field (golden: discovery).
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: registry.in(group, version).flatMap(entriesOf),
  };
}

function entriesOf(type: ResourceType): object[] {
  return [
    {
      name: type.plural,
      singularName: type.singular,
      namespaced: type.namespaced,
      kind: type.kind,
      verbs: type.custom ? CUSTOM_VERBS : type.verbs,
      ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
      ...(type.categories.length > 0 ? { categories: type.categories } : {}),
      ...(type.verbs.includes('list') ? { storageVersionHash: storageVersionHash(type) } : {}),
    },
    ...type.subresources.map((sub) => ({
      name: `${type.plural}/${sub.name}`,
      singularName: '',
      namespaced: type.namespaced,
      ...(sub.group ? { group: sub.group, version: sub.version } : {}),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ];
}

/** The order in which the extensions API server lists them. */
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** `apiserver/pkg/endpoints/discovery`: the first eight bytes over group, version and kind. */
function storageVersionHash(
  type: Pick<ResourceType, 'group' | 'version' | 'storageVersion' | 'kind' | 'store'>,
): string {
  // What is kept with another group has that one's.
  const group = type.store === undefined ? type.group : '';
  const version = type.storageVersion ?? type.version;
  const digest = sha256(utf8ToBytes(`${group}/${version}/${type.kind}`));
  return Buffer.from(digest.slice(0, 8)).toString('base64');
}

/** The content type of aggregated discovery where the client takes it. */
export function aggregatedType(accept: string | undefined): string | undefined {
  const found = parseAccept(accept ?? '').find(
    ({ type, parameters }) =>
      type === 'application/json' &&
      parameters.as === 'APIGroupDiscoveryList' &&
      parameters.g === 'apidiscovery.k8s.io' &&
      parameters.v === 'v2',
  );
  return found ? 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' : undefined;
}

/** All groups in one document: the core group at `/api`, the others at `/apis`. */
export function aggregatedDiscovery(registry: Registry, groups: readonly string[]): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === '' ? {} : { name: group },
      versions: registry.versions(group).map((version) => ({
        version,
        freshness: 'Current',
        resources: registry.in(group, version).map(aggregatedResource),
      })),
    })),
  };
}

function aggregatedResource(type: ResourceType): object {
  // The group and version that a resource stands in are told for custom kinds alone.
  const kindOf = (group: string, version: string, kind: string) => ({ group, version, kind });
  const [ownGroup, ownVersion] = type.custom ? [type.group, type.version] : ['', ''];
  return {
    resource: type.plural,
    responseKind: kindOf(ownGroup, ownVersion, type.kind),
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: type.verbs,
    ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
    ...(type.categories.length > 0 ? { categories: type.categories } : {}),
    ...(type.subresources.length > 0
      ? {
          subresources: type.subresources.map((sub) => ({
            subresource: sub.name,
            responseKind: kindOf(sub.group ?? ownGroup, sub.version ?? ownVersion, sub.kind),
            verbs: sub.verbs,
          })),
        }
      : {}),
  };
}

/**
 * OpenAPI v3, as far as `kubectl apply` needs it: for each kind a path that takes patches and knows `fieldValidation`.
 * Field schemas are left out: the server itself checks fields.
 */
export function openApiIndex(registry: Registry): object {
  const groups = ['', ...registry.groups()];
  const paths = groups.flatMap((group) =>
    registry.versions(group).map((version) => {
      const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      const hash = storageVersionHash({ group, version, kind: contentOf(registry.in(group, version)) });
      const url = `/openapi/v3/${path}?hash=${Buffer.from(hash).toString('hex').toUpperCase()}`;
      return [path, { serverRelativeURL: url }];
    }),
  );
  return { paths: Object.fromEntries(paths) };
}
