import type { IncomingMessage } from 'node:http';
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
import { openApiDocument } from './open-api-document.js';
import type { RequestInfo } from './request-info.js';
import type { Server } from './server.js';
import { versionInfo } from './version.js';

export const PAGE_NOT_FOUND = '404 page not found\n';

/** Health, version, discovery and OpenAPI. */
export function pathAnswer(server: Server, info: RequestInfo, request: IncomingMessage): Answer {
  const { registry } = server.api;
  const parts = info.path.split('/').filter(Boolean);
  const [first, second, third] = parts;
  switch (first) {
    case 'livez':
      return textAnswer(200, 'ok');
    case 'readyz':
    case 'healthz':
      return server.quorum() ? textAnswer(200, 'ok') : textAnswer(500, '[-]etcd failed: reason withheld\n');
    case 'version':
      return ok(versionInfo(server.version()));
    case 'openapi':
      return openApiAnswer(server, parts.slice(1));
    case 'api':
    case 'apis': {
      const contentType = parts.length === 1 ? aggregatedType(request.headers.accept) : undefined;
      if (contentType) {
        return ok(aggregatedDiscovery(registry, first === 'api' ? [''] : registry.groups()), { contentType });
      }
      if (first === 'api') {
        if (second === undefined) return ok(apiVersions(request.headers.host ?? ''));
        return second === 'v1' ? ok(apiResourceList(registry, '', 'v1')) : textAnswer(404, PAGE_NOT_FOUND);
      }
      if (second === undefined) return ok(apiGroupList(registry));
      const versions = registry.versions(second);
      if (third === undefined && versions.length > 0) return ok(apiGroup(registry, second));
      if (third !== undefined && versions.includes(third))
        return ok(apiResourceList(registry, second, third));
      return textAnswer(404, PAGE_NOT_FOUND);
    }
    default:
      return textAnswer(404, PAGE_NOT_FOUND);
  }
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
