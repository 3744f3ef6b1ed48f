import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Faults } from '../../faults.js';
import type { Table } from '../../store.js';
import { evict } from '../api/eviction.js';
import type { KubeApi, Target } from '../api/kube-api.js';
import { deleteOptions, type WriteOptions, writeOptions } from '../api/options.js';
import { patchScale, scaleOf, writeScale } from '../api/scale.js';
import { at, objOf, textOf } from '../json.js';
import type { ResourceType } from '../kinds/resource-type.js';
import { type KubeObject, metadataOnly } from '../object.js';
import { ApiError, badRequest, methodNotAllowed, resourceUnknown } from '../status.js';
import { tableOf } from '../tables/table.js';
import { type Answer, errorAnswer, ok, send, successStatus, textAnswer } from './answer.js';
import { authenticate, type User } from './authenticate.js';
import { authorize } from './authorize.js';
import {
  aggregatedDiscovery,
  aggregatedType,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  openApiDocument,
  openApiIndex,
} from './discovery.js';
import { listBody, listPage } from './list.js';
import { type Negotiated, negotiate } from './negotiate.js';
import { patch } from './patch.js';
import { mediaTypeOf, parseJson, parseObject, readText } from './read-body.js';
import { type RequestInfo, type ResourcePath, requestInfo } from './request-info.js';
import { versionInfo } from './version.js';
import { watch } from './watch.js';

export interface Server {
  readonly api: KubeApi;
  readonly tokens: ReadonlyMap<string, User>;
  readonly faults: Faults;
  /** Pod uid → what its containers printed. */
  readonly logs: Table<string>;
  /** `v1.37.1`. */
  readonly version: () => string;
  /** Whether etcd can be written to: without it only the process itself is alive. */
  readonly quorum: () => boolean;
}

const PAGE_NOT_FOUND = '404 page not found\n';

/** One request, from credentials to answer. */
export async function handle(
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const info = requestInfo(request.method ?? 'GET', request.url ?? '/');
    authorize(authenticate(request, server.tokens), info, server.api.objects);
    const answer = info.resource
      ? await resourceAnswer(server, info, info.resource, request, response)
      : pathAnswer(server, info, request);
    if (answer) send(response, answer);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else send(response, errorAnswer(asApiError(error)));
  }
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`);
}

/** Health, version, discovery and OpenAPI. */
function pathAnswer(server: Server, info: RequestInfo, request: IncomingMessage): Answer {
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

async function resourceAnswer(
  server: Server,
  info: RequestInfo,
  path: ResourcePath,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  const { api } = server;
  if (!api.registry.versions(path.group).includes(path.version)) return textAnswer(404, PAGE_NOT_FOUND);
  const type = api.registry.find(path.group, path.version, path.plural);
  if (!type || (type.namespaced === false && path.namespace !== undefined)) throw resourceUnknown();
  if (path.subresource !== '' && !type.subresources.some((sub) => sub.name === path.subresource)) {
    throw resourceUnknown();
  }
  if (!server.quorum()) throw new ApiError(500, 'InternalError', 'etcdserver: request timed out');
  const form = negotiate(request.headers.accept);
  if (path.verb === 'watch') {
    watch(api, type, path.namespace, info.query, form.as, response);
    return undefined;
  }
  const text = info.method === 'GET' ? '' : await readText(request);
  const mediaType = mediaTypeOf(request);
  if (path.name === undefined) return collection(server, info, path, type, form, text, mediaType, request);
  const target: Target = { type, namespace: path.namespace, name: path.name, subresource: path.subresource };
  return object(server, info, target, form, text, mediaType, request);
}

function collection(
  { api }: Server,
  info: RequestInfo,
  path: ResourcePath,
  type: ResourceType,
  form: Negotiated,
  text: string,
  mediaType: string,
  request: IncomingMessage,
): Answer {
  switch (info.method) {
    case 'GET': {
      const page = listPage(api, type, path.namespace, info.query);
      const { format } = form;
      if (form.as === 'table') {
        const include = info.query.get('includeObject') ?? 'Metadata';
        return ok(tableOf(type, page.items, page.metadata, include, api.now), { format });
      }
      if (form.as === 'metadata') {
        const items = page.items.map(metadataOnly);
        const kind = 'PartialObjectMetadataList';
        return ok({ kind, apiVersion: 'meta.k8s.io/v1', metadata: page.metadata, items }, { format });
      }
      return ok(listBody(type, page), { format });
    }
    case 'POST': {
      if (type.namespaced && path.namespace === undefined) throw methodNotAllowed();
      const options = writeOptions(info.query, request.headers['user-agent'] ?? '');
      const created = api.create(type, path.namespace, parseObject(text, mediaType, type.kind), options);
      return shown(created, type, form, info, api, 201, options);
    }
    case 'DELETE': {
      const options = deleteOptions(text === '' ? undefined : parseJson(text, 'DeleteOptions'), info.query);
      const page = listPage(api, type, path.namespace, info.query);
      for (const { metadata } of page.items) {
        api.delete({ type, namespace: metadata.namespace, name: metadata.name, subresource: '' }, options);
      }
      return ok(listBody(type, page));
    }
    default:
      throw methodNotAllowed();
  }
}

function object(
  server: Server,
  info: RequestInfo,
  target: Target,
  form: Negotiated,
  text: string,
  mediaType: string,
  request: IncomingMessage,
): Answer {
  const { api } = server;
  const { type } = target;
  const options = writeOptions(info.query, request.headers['user-agent'] ?? '');
  const special = subresourceAnswer(server, info, target, text, mediaType, options);
  if (special) return special;
  switch (info.method) {
    case 'GET':
      return shown(api.get(target), type, form, info, api, 200, options);
    case 'PUT': {
      const updated = api.update(target, parseObject(text, mediaType, type.kind), options);
      return shown(updated, type, form, info, api, 200, options);
    }
    case 'PATCH': {
      const { object: patched, created } = patch(api, target, mediaType, text, info.query, options);
      return shown(patched, type, form, info, api, created ? 201 : 200, options);
    }
    case 'DELETE': {
      const how = deleteOptions(text === '' ? undefined : parseJson(text, 'DeleteOptions'), info.query);
      const { object: last, gone } = api.delete(target, how);
      if (!gone || type.rules.returnsDeleted) return shown(last, type, form, info, api, 200, options);
      const group = type.group === '' ? {} : { group: type.group };
      const uid = textOf(last.metadata.uid);
      return ok(successStatus(undefined, { name: target.name, ...group, kind: type.plural, uid }));
    }
    default:
      throw methodNotAllowed();
  }
}

/** Subresources that are more than a part of their object. */
function subresourceAnswer(
  server: Server,
  info: RequestInfo,
  target: Target,
  text: string,
  mediaType: string,
  options: WriteOptions,
): Answer | undefined {
  const { api, faults, logs } = server;
  const kind = target.subresource;
  if (kind === 'eviction' && info.method === 'POST') {
    evict(api, target, parseObject(text, mediaType, 'Eviction'), info.query, faults);
    return { status: 201, body: successStatus(201) };
  }
  if (kind === 'binding' && info.method === 'POST') {
    const node = textOf(at(parseObject(text, mediaType, 'Binding'), 'target', 'name'));
    if (node === '') throw badRequest('target.name of a Binding must be a node');
    const pod = api.get(target);
    api.objects.put('pods', { ...pod, spec: { ...objOf(pod.spec), nodeName: node } });
    return { status: 201, body: successStatus(201) };
  }
  if (kind === 'log') {
    const pod = api.get(target);
    return textAnswer(200, tail(logs.get(textOf(pod.metadata.uid)) ?? '', info.query));
  }
  if (kind === 'finalize' && info.method === 'PUT') {
    return ok(api.finalizeNamespace(target, parseObject(text, mediaType, 'Namespace'), options));
  }
  if (kind === 'scale') {
    if (info.method === 'GET') return ok(scaleOf(api.get(target)));
    if (info.method === 'PUT')
      return ok(writeScale(api, target, parseObject(text, mediaType, 'Scale'), options));
    if (info.method === 'PATCH') return ok(patchScale(api, target, parseJson(text, 'Scale'), options));
  }
  return undefined;
}

function tail(log: string, query: URLSearchParams): string {
  const lines = Number(query.get('tailLines') ?? Number.NaN);
  return Number.isNaN(lines)
    ? log
    : log
        .split('\n')
        .slice(-lines - 1)
        .join('\n');
}

function shown(
  object: KubeObject,
  type: ResourceType,
  form: Negotiated,
  info: RequestInfo,
  api: KubeApi,
  status: number,
  { warnings }: WriteOptions,
): Answer {
  const { format } = form;
  if (form.as === 'metadata') return { status, body: metadataOnly(object), format, warnings };
  if (form.as === 'object') return { status, body: object, format, warnings };
  const { resourceVersion = '' } = object.metadata;
  const include = info.query.get('includeObject') ?? 'Metadata';
  return { status, body: tableOf(type, [object], { resourceVersion }, include, api.now), format, warnings };
}
