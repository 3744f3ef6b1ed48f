import type { IncomingMessage } from 'node:http';
import { methodNotAllowed, resourceUnknown } from '../status.js';
import { type Answer, ok, textAnswer } from './answer.js';
import {
  aggregatedDiscovery,
  aggregatedType,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  openApiIndex,
} from './discovery.js';
import { negotiatePath } from './negotiate.js';
import { openApiDocument } from './open-api-document.js';
import type { RequestInfo } from './request-info.js';
import type { Server } from './server.js';
import { versionInfo } from './version.js';

export const PAGE_NOT_FOUND = '404 page not found\n';

/** Checks of the server by name; each is as well as the whole is. */
const CHECKS =
  /^(ping|log|etcd|etcd-readiness|informer-sync|shutdown|autoregister-completion|poststarthook\/[\w/-]+)$/;

/** Health, version, discovery and OpenAPI. */
export function pathAnswer(server: Server, info: RequestInfo, request: IncomingMessage): Answer {
  const { path, method } = info;
  const parts = path.split('/').filter(Boolean);
  const [first = ''] = parts;
  if (['livez', 'readyz', 'healthz'].includes(first)) return healthAnswer(server, path.slice(1));
  if (!['version', 'openapi', 'api', 'apis'].includes(first)) return textAnswer(404, PAGE_NOT_FOUND);
  if (first !== 'openapi' && method !== 'GET') throw methodNotAllowed();
  if (first === 'version') return ok(versionInfo(server.version()));
  if (first === 'openapi') return openApiAnswer(server, parts.slice(1));
  return discoveryAnswer(server, parts, request);
}

function healthAnswer(server: Server, path: string): Answer {
  const [of = '', ...rest] = path.split('/');
  if (rest.length > 0 && !CHECKS.test(rest.join('/'))) return textAnswer(404, PAGE_NOT_FOUND);
  if (of === 'livez' || server.quorum()) return textAnswer(200, 'ok');
  return textAnswer(500, '[-]etcd failed: reason withheld\n');
}

function discoveryAnswer(
  { api: { registry } }: Server,
  [first, second, third]: readonly string[],
  { headers }: IncomingMessage,
): Answer {
  if (second === undefined) {
    const contentType = aggregatedType(headers.accept);
    if (contentType) {
      const body = aggregatedDiscovery(registry, first === 'api' ? [''] : registry.groups());
      return ok(body, { contentType, cacheControl: 'public', vary: 'Accept' });
    }
    negotiatePath(headers.accept);
    const body = first === 'api' ? apiVersions(headers.host ?? '') : apiGroupList(registry);
    return ok(body);
  }
  negotiatePath(headers.accept);
  const [group, version] = first === 'api' ? ['', second] : [second, third];
  const versions = registry.versions(group);
  if (versions.length === 0) return textAnswer(404, PAGE_NOT_FOUND);
  if (version === undefined) return ok(apiGroup(registry, group));
  if (versions.includes(version)) return ok(apiResourceList(registry, group, version));
  // Of a group of the server's own it knows that there is no such version.
  if (registry.in(group, versions[0] ?? '').some((type) => type.custom))
    return textAnswer(404, PAGE_NOT_FOUND);
  throw resourceUnknown();
}

function openApiAnswer({ api }: Server, parts: readonly string[]): Answer {
  const [v3, root, ...rest] = parts;
  if (v3 !== 'v3') return textAnswer(404, PAGE_NOT_FOUND);
  if (root === undefined) {
    return textAnswer(200, JSON.stringify(openApiIndex(api.registry)));
  }
  const [group, version] = root === 'api' ? ['', rest[0]] : [rest[0] ?? '', rest[1]];
  if (version === undefined || !api.registry.versions(group).includes(version)) {
    return textAnswer(404, PAGE_NOT_FOUND);
  }
  return ok(openApiDocument(api.registry, group, version));
}
