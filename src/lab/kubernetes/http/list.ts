import { inVersion, type KubeApi } from '../api/kube-api.js';
import { isObj } from '../json.js';
import { apiVersionOf, type ResourceType, resourceKey } from '../kinds/resource-type.js';
import { type KubeObject, ref } from '../object.js';
import { parseFieldSelector } from '../selectors/field-selector.js';
import { parseLabelSelector } from '../selectors/label-selector.js';
import { ApiError, badRequest } from '../status.js';
import { jsonFault } from './go-json.js';
import { checkListOptions } from './list-options.js';

interface ListPage {
  readonly items: KubeObject[];
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

export type Matcher = (object: KubeObject) => boolean;

export function matcherOf(type: ResourceType, query: URLSearchParams): Matcher {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', type);
  return (object) => labels(object.metadata.labels ?? {}) && fields(object);
}

function isSelective(query: URLSearchParams): boolean {
  return Boolean(query.get('labelSelector') || query.get('fieldSelector'));
}

/** A list, whole or by pages; a page continues in the state the first one showed. */
export function listPage(
  api: KubeApi,
  type: ResourceType,
  namespace: string | undefined,
  query: URLSearchParams,
): ListPage {
  checkListOptions(query, false);
  const matches = matcherOf(type, query);
  const { objects } = api;
  const from = query.get('continue') ? parseContinue(query.get('continue') ?? '') : undefined;
  const revision = from?.rv ?? revisionOf(query, objects.revision);
  const found = objects.listAt(resourceKey(type), revision, namespace);
  if (!found) throw expired(from !== undefined);
  const all = found
    .map((object) => inVersion(object, type))
    .filter(matches)
    .filter((object) => from === undefined || ref(object) > from.start);
  // What may come from the watch cache is not cut into pages.
  const cached = query.get('resourceVersion') === '0';
  const limit = cached ? 0 : Number(query.get('limit') ?? 0);
  const page = limit > 0 ? all.slice(0, limit) : all;
  const last = page.at(-1);
  const rest = all.length - page.length;
  return {
    items: page,
    metadata: {
      resourceVersion: String(revision),
      ...(rest > 0 && last ? { continue: continueToken(revision, ref(last)) } : {}),
      ...(rest > 0 && !isSelective(query) ? { remainingItemCount: rest } : {}),
    },
  };
}

/** Which state to show: an exact one, or one not older than asked for. */
function revisionOf(query: URLSearchParams, current: number): number {
  const text = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  if (text === '' || text === '0') return current;
  if (!/^\d+$/.test(text)) throw badRequest(`invalid resource version: ${badVersion(text)}`);
  const asked = Number(text);
  if (asked > current) {
    throw new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    });
  }
  return match === 'Exact' ? asked : current;
}

/** One object is shown as it is now; the version that is asked for must only be one. */
export function checkVersion(query: URLSearchParams): void {
  const text = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(text)) throw new ApiError(500, undefined, badVersion(text));
}

export function badVersion(text: string): string {
  return `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`;
}

function expired(continuing: boolean): ApiError {
  const message = continuing
    ? 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.'
    : 'The resourceVersion for the provided list is too old.';
  return new ApiError(410, 'Expired', message);
}

function continueToken(rv: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');
}

function parseContinue(token: string): { rv: number; start: string } {
  const text = Buffer.from(token, 'base64url').toString('latin1');
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
    if (isObj(value) && typeof value.rv === 'number' && typeof value.start === 'string') {
      return { rv: value.rv, start: value.start };
    }
  } catch {
    throw badRequest(`invalid continue token: continue key is not valid: ${jsonFault(text)}`);
  }
  throw badRequest('invalid continue token: continue key is not valid');
}

/** A list as JSON: items of built-in kinds go without kind and version, custom ones keep theirs. */
export function listBody(type: ResourceType, page: ListPage): Record<string, unknown> {
  const items = type.custom
    ? page.items
    : page.items.map((item) => {
        const { kind: _k, apiVersion: _a, ...rest } = item;
        return rest;
      });
  const metadata = type.custom ? { continue: '', ...page.metadata } : page.metadata;
  return { kind: type.listKind, apiVersion: apiVersionOf(type), metadata, items };
}
