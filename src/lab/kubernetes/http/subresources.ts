import { randomUUID } from 'node:crypto';
import { bindPod } from '../api/binding.js';
import { evict } from '../api/eviction.js';
import type { KubeApi, Target } from '../api/kube-api.js';
import type { WriteOptions } from '../api/options.js';
import { applyScale, scaleOf, writeScale } from '../api/scale.js';
import { textOf } from '../json.js';
import { ApiError, methodNotAllowed } from '../status.js';
import { type Answer, ok, successStatus, textAnswer } from './answer.js';
import { APPLY, checkMediaType, patchedScale, readPatch } from './patch.js';
import { parseYaml, type RequestBody } from './read-body.js';
import type { RequestInfo } from './request-info.js';
import { tokenRequest } from './reviews.js';
import type { Server } from './server.js';

/** What needs a container that runs. */
const STREAMS = new Set(['exec', 'attach', 'portforward', 'proxy', 'ephemeralcontainers']);

/** Subresources that are more than a part of their object. */
export function subresourceAnswer(
  server: Server,
  info: RequestInfo,
  target: Target,
  body: RequestBody,
  options: WriteOptions,
): Answer | undefined {
  const { api, faults, logs } = server;
  const kind = target.subresource;
  if (kind === 'eviction' && info.method === 'POST') {
    const strict = { ...options, duplicates: body.duplicates };
    evict(api, target, body.object('Eviction'), info.query, faults, strict);
    return { status: 201, body: successStatus(201) };
  }
  if (kind === 'token' && info.method === 'POST') {
    const asked = body.object('TokenRequest');
    const answer = tokenRequest(server, target.namespace ?? '', target.name, asked, randomUUID(), options);
    return { status: 201, body: answer };
  }
  if (kind === 'binding' && info.method === 'POST') {
    bindPod(api, target, body.object('Binding'), options.dryRun);
    return { status: 201, body: successStatus(201) };
  }
  if (kind === 'log') {
    const pod = api.get(target);
    return textAnswer(200, tail(logs.get(textOf(pod.metadata.uid)) ?? '', info.query));
  }
  if (kind === 'finalize' && info.method === 'PUT') {
    return ok(api.finalizeNamespace(target, body.object('Namespace'), options));
  }
  if (kind === 'scale') {
    if (info.method === 'GET') return ok(scaleOf(target.type, api.get(target)));
    if (info.method === 'PUT') return ok(writeScale(api, target, body.object('Scale'), options));
    if (info.method === 'PATCH') return ok(patchScale(api, target, body, options));
  }
  if (STREAMS.has(kind) && target.type.kind === 'Pod') {
    const { metadata } = api.get(target);
    throw new ApiError(
      501,
      'NotImplemented',
      `the lab runs no containers: ${kind} of pod ${metadata.name} is not possible`,
    );
  }
  const declared = target.type.subresources.find((sub) => sub.name === kind);
  const verb = { GET: 'get', PUT: 'update', PATCH: 'patch', POST: 'create' }[info.method];
  if (declared && !declared.verbs.includes(verb ?? '')) throw methodNotAllowed();
  return undefined;
}

function patchScale(api: KubeApi, target: Target, body: RequestBody, options: WriteOptions): object {
  checkMediaType(body.mediaType, target.type.custom !== undefined);
  if (body.mediaType === APPLY) return applyScale(api, target, parseYaml(body.text), options);
  const scale = scaleOf(target.type, api.get(target));
  const change = readPatch(body.text, body.mediaType);
  return writeScale(api, target, patchedScale(scale, change, body.mediaType), options);
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
