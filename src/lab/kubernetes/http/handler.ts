import type { IncomingMessage, ServerResponse } from 'node:http';
import { BINDINGS } from '../admission/policies.js';
import { bindPod } from '../api/binding.js';
import { checkName } from '../api/identity.js';
import type { KubeApi, Target } from '../api/kube-api.js';
import { deleteOptions, type WriteOptions, writeOptions } from '../api/options.js';
import { prepareRules } from '../cel/engine.js';
import { at, listOf, type Obj, objOf, textOf } from '../json.js';
import type { ResourceType } from '../kinds/resource-type.js';
import { type KubeObject, metadataOnly } from '../object.js';
import { ApiError, methodNotAllowed, notFound, resourceUnknown } from '../status.js';
import { tableOf } from '../tables/table.js';
import { type Answer, errorAnswer, ok, send, successStatus, textAnswer } from './answer.js';
import { authenticate, impersonated, type User } from './authenticate.js';
import { authorize, authorizeImpersonation } from './authorize.js';
import { checkVersion, listBody, listPage } from './list.js';
import { checkMetadataForm, errorFormat, type Negotiated, negotiate } from './negotiate.js';
import { APPLY, patch } from './patch.js';
import { PAGE_NOT_FOUND, pathAnswer } from './paths.js';
import { prepareProtobuf } from './protobuf-codec.js';
import { type RequestBody, readBody } from './read-body.js';
import { type RequestInfo, type ResourcePath, requestInfo } from './request-info.js';
import { reviewAnswer } from './reviews.js';
import type { Server } from './server.js';
import { subresourceAnswer } from './subresources.js';
import { watch } from './watch.js';

/** One request, from credentials to answer. */
export async function handle(
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const warnings: string[] = [];
  try {
    await prepareProtobuf(request);
    const info = requestInfo(request.method ?? 'GET', request.url ?? '/', warnings);
    const user = userOf(server, request, info);
    authorize(user, info, server.api.objects);
    const path = (request.url ?? '/').split('?', 1)[0];
    if (server.faults.strikes('kube-error', `${info.method} ${path}`, path ?? ''))
      throw new ApiError(500, 'InternalError', 'etcdserver: leader changed');
    const answer = info.resource
      ? await resourceAnswer(server, info, info.resource, user, request, response)
      : { format: errorFormat(request.headers.accept), ...pathAnswer(server, info, request) };
    if (answer) send(response, { ...answer, warnings });
  } catch (error) {
    if (response.headersSent) response.destroy();
    else {
      const format = errorFormat(request.headers.accept);
      send(response, { ...errorAnswer(asApiError(error)), format, warnings });
    }
  }
}

/** Whether any policy judges what clients write. */
function hasPolicies({ objects }: KubeApi): boolean {
  return objects.list(BINDINGS).length > 0;
}

/** Who asks, or whom they may ask for. */
function userOf(server: Server, request: IncomingMessage, info: RequestInfo): User {
  const user = authenticate(request, server);
  const other = impersonated(request);
  if (other) authorizeImpersonation(user, other, info, server.api.objects);
  return other ?? user;
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`);
}

async function resourceAnswer(
  server: Server,
  info: RequestInfo,
  path: ResourcePath,
  user: User,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  const { api } = server;
  if (!api.registry.versions(path.group).includes(path.version)) return textAnswer(404, PAGE_NOT_FOUND);
  const type = api.registry.find(path.group, path.version, path.plural);
  if (type?.custom && !isPlaced(type, path)) return textAnswer(404, PAGE_NOT_FOUND);
  // The server of custom kinds knows no path but theirs.
  const foreign = !type && api.registry.in(path.group, path.version).some((other) => other.custom);
  if (foreign) return textAnswer(404, PAGE_NOT_FOUND);
  if (!type || !isPlaced(type, path)) throw resourceUnknown();
  if (path.subresource !== '' && !type.subresources.some((sub) => sub.name === path.subresource)) {
    if (type.custom && path.name !== undefined) throw notFound(type, path.name);
    throw resourceUnknown();
  }
  if (type.rules.deprecated !== undefined) info.warnings.push(type.rules.deprecated);
  if (!server.quorum()) throw new ApiError(500, 'InternalError', 'etcdserver: request timed out');
  const form = negotiate(request.headers.accept, { custom: type.custom !== undefined, verb: path.verb });
  if (path.verb === 'watch') {
    if (!type.verbs.includes('watch')) throw methodNotAllowed();
    watch(api, type, path.namespace, info.query, form, response);
    return undefined;
  }
  if (type.rules.expressions || hasPolicies(api)) await prepareRules();
  const body = await readBody(request);
  if (path.name === undefined) return collection(server, info, path, type, form, body, user, request);
  const target: Target = { type, namespace: path.namespace, name: path.name, subresource: path.subresource };
  return object(server, info, target, form, body, user, request);
}

/** Objects of a namespace are read by name in it alone; what is not of one has none. */
function isPlaced(type: ResourceType, { namespace, name }: ResourcePath): boolean {
  if (name?.includes('/')) return false;
  return type.namespaced ? namespace !== undefined || name === undefined : namespace === undefined;
}

function collection(
  server: Server,
  info: RequestInfo,
  path: ResourcePath,
  type: ResourceType,
  form: Negotiated,
  body: RequestBody,
  user: User,
  request: IncomingMessage,
): Answer {
  const { api } = server;
  if (!type.verbs.includes(path.verb)) throw methodNotAllowed();
  switch (info.method) {
    case 'GET': {
      const page = listPage(api, type, path.namespace, info.query);
      checkMetadataForm(form, type, true);
      const { format } = form;
      if (form.as === 'table') {
        const include = info.query.get('includeObject') ?? 'Metadata';
        return ok(inFormVersion(tableOf(type, page.items, page.metadata, include, api.now), form), {
          format,
        });
      }
      if (form.as === 'metadata') {
        const items = page.items.map(metadataOnly);
        const kind = 'PartialObjectMetadataList';
        const list = { kind, apiVersion: 'meta.k8s.io/v1', metadata: page.metadata, items };
        return ok(inFormVersion(list, form), { format });
      }
      return ok(listBody(type, page), { format });
    }
    case 'POST': {
      if (type.namespaced && path.namespace === undefined) {
        if (type.custom) return textAnswer(404, PAGE_NOT_FOUND);
        throw methodNotAllowed();
      }
      const plain = optionsOf(info, user, request, false);
      const given = body.object(type.kind, type.custom !== undefined);
      const options = { ...plain, duplicates: body.duplicates };
      if (type.kind === 'Binding' && type.group === '')
        return bindingAnswer(api, path, given, options.dryRun);
      const review = reviewAnswer(server, type, path.namespace, objOf(given), user, options);
      if (review) return ok(review, { format: form.format, status: 201 });
      const created = api.create(type, path.namespace, given, options);
      return shown(created, type, form, info, api, 201);
    }
    case 'DELETE': {
      const options = deleteOptions(body.options('DeleteOptions'), info.query);
      const by = optionsOf(info, user, request, false);
      const page = listPage(api, type, path.namespace, info.query);
      for (const { metadata } of page.items) {
        const target = { type, namespace: metadata.namespace, name: metadata.name, subresource: '' };
        api.delete(target, options, by);
      }
      return ok(listBody(type, page), { format: form.format });
    }
    default:
      throw methodNotAllowed();
  }
}

/** The older way to bind a pod: its name is in the body. */
function bindingAnswer(api: KubeApi, { namespace }: ResourcePath, body: unknown, dryRun: boolean): Answer {
  const name = textOf(at(body, 'metadata', 'name'));
  bindPod(api, { type: api.type('pods'), namespace, name, subresource: 'binding' }, body, dryRun);
  return { status: 201, body: successStatus(201) };
}

function optionsOf(
  { method, query, warnings }: RequestInfo,
  user: User,
  request: IncomingMessage,
  apply: boolean,
): WriteOptions {
  return writeOptions({
    method,
    query,
    userAgent: request.headers['user-agent'] ?? '',
    user,
    warnings,
    apply,
  });
}

function object(
  server: Server,
  info: RequestInfo,
  target: Target,
  form: Negotiated,
  body: RequestBody,
  user: User,
  request: IncomingMessage,
): Answer {
  const { api } = server;
  const { type } = target;
  const options = optionsOf(info, user, request, body.mediaType === APPLY);
  const special = subresourceAnswer(server, info, target, body, options);
  if (special) return { ...special, format: form.format };
  switch (info.method) {
    case 'GET':
      checkVersion(info.query);
      return shown(api.get(target), type, form, info, api, 200);
    case 'PUT': {
      const given = body.object(type.kind, type.custom !== undefined);
      const strict = { ...options, duplicates: body.duplicates };
      if (type.rules.createOnUpdate && !api.has(target)) {
        checkName(objOf(at(given, 'metadata')), target.name, target.namespace);
        return shown(api.create(type, target.namespace, given, strict), type, form, info, api, 201);
      }
      return shown(api.update(target, given, strict), type, form, info, api, 200);
    }
    case 'PATCH': {
      const { object: patched, created } = patch(api, target, body.mediaType, body.text, options);
      return shown(patched, type, form, info, api, created ? 201 : 200);
    }
    case 'DELETE': {
      const how = deleteOptions(body.options('DeleteOptions'), info.query);
      const { object: last, gone } = api.delete(target, how, options);
      if (!gone || type.rules.returnsDeleted) return shown(last, type, form, info, api, 200);
      const group = type.group === '' ? {} : { group: type.group };
      const uid = textOf(last.metadata.uid);
      const { format } = form;
      return ok(successStatus(undefined, { name: target.name, ...group, kind: type.plural, uid }), {
        format,
      });
    }
    default:
      throw methodNotAllowed();
  }
}

/** Tables and metadata in the version that was asked for. */
function inFormVersion(body: Obj, { version = 'v1' }: Negotiated): Obj {
  if (version === 'v1') return body;
  const apiVersion = `meta.k8s.io/${version}`;
  const rows = listOf(body.rows).map(objOf);
  const shown = (object: unknown) =>
    objOf(object).kind === 'PartialObjectMetadata' ? { ...objOf(object), apiVersion } : object;
  const inRows = rows.length > 0 ? { rows: rows.map((row) => ({ ...row, object: shown(row.object) })) } : {};
  return { ...body, apiVersion, ...inRows };
}

function shown(
  object: KubeObject,
  type: ResourceType,
  form: Negotiated,
  info: RequestInfo,
  api: KubeApi,
  status: number,
): Answer {
  const { format } = form;
  checkMetadataForm(form, type, false);
  if (form.as === 'metadata') return { status, body: inFormVersion(metadataOnly(object), form), format };
  if (form.as === 'object') return { status, body: object, format };
  const { resourceVersion = '' } = object.metadata;
  const include = info.query.get('includeObject') ?? 'Metadata';
  const table = tableOf(type, [object], { resourceVersion }, include, api.now);
  return { status, body: inFormVersion(table, form), format };
}
