import { builtInSchema } from '../schema/built-in.js';
import { KIND_GROUPS } from './kind-groups.js';
import type { KindRow } from './kind-row.js';
import { ALL_VERBS, type ResourceType } from './resource-type.js';

const READ_WRITE = ['get', 'patch', 'update'];

function typeOf(group: string, module: string, row: KindRow): ResourceType {
  const singular = row.kind.toLowerCase();
  return {
    group,
    version: row.version ?? 'v1',
    ...(row.store ? { store: row.store } : {}),
    ...(row.convert ? { convert: row.convert } : {}),
    ...(row.storageVersion ? { storageVersion: row.storageVersion } : {}),
    kind: row.kind,
    plural: row.plural ?? (singular.endsWith('s') ? `${singular}es` : `${singular}s`),
    singular,
    listKind: `${row.kind}List`,
    namespaced: row.cluster !== true,
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    verbs: row.verbs ?? ALL_VERBS,
    subresources: [
      ...(row.extra ?? []),
      ...(row.scale
        ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: READ_WRITE }]
        : []),
      ...(row.status ? [{ name: 'status', kind: row.kind, verbs: READ_WRITE }] : []),
    ],
    schema: builtInSchema(`${row.module ?? module}.${row.kind}`),
    rules: row.rules,
    custom: undefined,
  };
}

export const BUILT_IN_TYPES: readonly ResourceType[] = Object.entries(KIND_GROUPS).flatMap(
  ([group, { module, kinds }]) => kinds.map((row) => typeOf(group, module, row)),
);

/** Versions that the server's types still have and that it does not serve. */
const OLD_VERSIONS =
  /^(apps\/v1beta[12]|extensions\/v1beta1|batch\/v1beta1|policy\/v1beta1|autoscaling\/v2beta[12])$/;

/** Whether the server has a Go type for it. */
export function isKnownKind(apiVersion: string, kind: string): boolean {
  const inVersion = ({ group, version }: ResourceType) =>
    (group === '' ? version : `${group}/${version}`) === apiVersion;
  if (OLD_VERSIONS.test(apiVersion)) return BUILT_IN_TYPES.some((type) => type.kind === kind);
  return BUILT_IN_TYPES.some((type) => inVersion(type) && (type.kind === kind || type.listKind === kind));
}

/** The Go package of a group's internal types, as conversion errors name it. */
export function modulesOf(group: string): string {
  return KIND_GROUPS[group]?.module ?? group;
}
