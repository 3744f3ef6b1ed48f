import { flagOf } from '../api/options.js';

/** What a request is about, read from its method and path (`apiserver/pkg/endpoints/request`). */
export interface RequestInfo {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** `undefined`: not a resource path (`/healthz`, `/apis`). */
  readonly resource: ResourcePath | undefined;
  /** Texts for `Warning:` headers, of a good answer and of a refusal alike. */
  readonly warnings: string[];
}

export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string;
  readonly verb: string;
}

const VERBS: Record<string, string> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

export function requestInfo(method: string, url: string, warnings: string[] = []): RequestInfo {
  const { pathname, search } = new URL(url, 'https://lab');
  const searchParams = new URLSearchParams(search.slice(1).split('&').filter(isEncoded).join('&'));
  return {
    method,
    path: pathname,
    query: searchParams,
    resource: resourcePath(method, pathname, searchParams),
    warnings,
  };
}

/** Go drops pairs of a query that are not encoded well. */
function isEncoded(pair: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(pair);
}

function resourcePath(method: string, path: string, query: URLSearchParams): ResourcePath | undefined {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  if (parts.at(-1) === '') parts.pop();
  const legacy = parts[0] === 'api';
  if (!legacy && parts[0] !== 'apis') return undefined;
  const [group, version] = legacy ? ['', parts[1]] : [parts[1], parts[2]];
  let rest = parts.slice(legacy ? 2 : 3);
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  const watching = rest[0] === 'watch';
  if (watching) {
    rest = rest.slice(1);
    query.set('watch', 'true');
  }
  const { namespace, tail } = split(rest);
  const [plural, name, ...sub] = tail;
  if (plural === undefined) return undefined;
  // The old watch path of one object is a watch of the list with that name.
  if (watching && name !== undefined) query.set('fieldSelector', `metadata.name=${name}`);
  const only = watching ? undefined : name;
  return {
    group,
    version,
    namespace,
    plural,
    name: only,
    subresource: sub.join('/'),
    verb: verbOf(method, only, query),
  };
}

/** `namespaces/x/pods` is about pods, `namespaces/x` and `namespaces/x/status` about the namespace. */
function split(rest: string[]): { namespace: string | undefined; tail: string[] } {
  const [first, namespace, third] = rest;
  const ofNamespace = third === undefined || third === 'status' || third === 'finalize';
  if (first !== 'namespaces' || ofNamespace) return { namespace: undefined, tail: rest };
  return { namespace, tail: rest.slice(2) };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): string {
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete';
  const verb = VERBS[method];
  if (verb) return verb;
  // One object is read, whatever the query says.
  if (name !== undefined) return 'get';
  return flagOf(query, 'watch') ? 'watch' : 'list';
}
