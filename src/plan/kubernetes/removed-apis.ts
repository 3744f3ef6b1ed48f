/** Which live objects were last written through an API version that an upgrade of Kubernetes takes away. */
import type { Version } from '../../model/version.js';
import { REMOVED_APIS, type RemovedApi } from './removed-api-table.js';

/** Someone wrote an object with this API version, and may do so again. */
export interface ApiUse {
  readonly apiVersion: string;
  readonly kind: string;
  /** `namespace/name`, or the name alone. */
  readonly object: string;
  /** Field manager, as the object tells. */
  readonly by: string;
}

export interface RemovedApiFinding {
  /** `problem`: the kind itself is gone, and its objects with it. `warning`: they stay, but who writes them so will fail. */
  readonly severity: 'problem' | 'warning';
  readonly apiVersion: string;
  readonly kind: string;
  readonly uses: readonly ApiUse[];
  readonly message: string;
  readonly advice: string;
}

/** Served before the upgrade and not after it. */
export function removedBetween(from: Version, to: Version): readonly RemovedApi[] {
  return REMOVED_APIS.filter(({ removedIn }) => removedIn > from.minor && removedIn <= to.minor);
}

export function apiVersionOf({ group, version }: RemovedApi): string {
  return `${group}/${version}`;
}

export function removedApiFindings(
  uses: readonly ApiUse[],
  from: Version,
  to: Version,
): readonly RemovedApiFinding[] {
  return removedBetween(from, to).flatMap((api) => {
    const apiVersion = apiVersionOf(api);
    return api.kinds.flatMap((kind) => {
      const own = uses.filter((use) => use.apiVersion === apiVersion && use.kind === kind);
      return own.length === 0 ? [] : [finding(api, kind, own)];
    });
  });
}

function finding(api: RemovedApi, kind: string, uses: readonly ApiUse[]): RemovedApiFinding {
  const apiVersion = apiVersionOf(api);
  const objects = [...new Set(uses.map((use) => use.object))].sort();
  const writers = [...new Set(uses.map((use) => use.by))].sort();
  const which = `${some(objects)} (written by ${some(writers)})`;
  const gone = `Kubernetes v1.${api.removedIn} no longer serves ${apiVersion} ${kind}`;
  const common = { apiVersion, kind, uses };
  if (api.use === undefined) {
    return {
      ...common,
      severity: 'problem',
      message: `${gone}, without a replacement: ${which}`,
      advice: `delete these objects, and what creates them, before the upgrade`,
    };
  }
  return {
    ...common,
    severity: 'warning',
    message: `${gone}: ${which}`,
    advice: `the objects stay; change what writes them to ${api.group}/${api.use}`,
  };
}

const SHOWN = 5;

function some(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return more > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${more} more` : names.join(', ');
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The server answers in whatever version it is asked for, so an object's own `apiVersion` says nothing. Its managed
 * fields say who wrote it through which version, and `kubectl apply` leaves what it sent.
 */
export function apiUsesOf(live: unknown): readonly ApiUse[] {
  const kind = text(at(live, 'kind'));
  const metadata = at(live, 'metadata');
  const namespace = text(at(metadata, 'namespace'));
  const name = text(at(metadata, 'name'));
  const object = namespace === '' ? name : `${namespace}/${name}`;
  const managed = at(metadata, 'managedFields');
  const uses = (Array.isArray(managed) ? managed : []).map((entry) => ({
    apiVersion: text(at(entry, 'apiVersion')),
    kind,
    object,
    by: text(at(entry, 'manager')),
  }));
  const applied = parseJson(text(at(at(metadata, 'annotations'), LAST_APPLIED)));
  const sent = text(at(applied, 'apiVersion'));
  if (sent !== '') uses.push({ apiVersion: sent, kind, object, by: 'kubectl apply' });
  return uses.filter((use) => use.apiVersion !== '');
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
