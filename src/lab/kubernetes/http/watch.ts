import type { ServerResponse } from 'node:http';
import { inVersion, type KubeApi } from '../api/kube-api.js';
import { flagOf } from '../api/options.js';
import { listOf, objOf } from '../json.js';
import { apiVersionOf, type ResourceType, resourceKey } from '../kinds/resource-type.js';
import { type KubeObject, metadataOnly } from '../object.js';
import { ApiError } from '../status.js';
import type { Change } from '../storage/object-store.js';
import { tableOf } from '../tables/table.js';
import { badVersion, type Matcher, matcherOf } from './list.js';
import { checkListOptions } from './list-options.js';
import type { Negotiated } from './negotiate.js';
import { PROTOBUF, protobufCodec } from './protobuf-codec.js';

const BOOKMARK_EVERY = 60_000;
const DEFAULT_TIMEOUT = 30 * 60;

/** A stream of changes, as JSON lines or as frames of protobuf. It ends by the wall's clock: the client waits there. */
export function watch(
  api: KubeApi,
  type: ResourceType,
  namespace: string | undefined,
  query: URLSearchParams,
  form: Negotiated,
  response: ServerResponse,
): void {
  checkListOptions(query, true);
  const text = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(text)) throw new ApiError(500, undefined, badVersion(text));
  const fits = matcherOf(type, query);
  const matches: Matcher = (object) => fits(inVersion(object, type));
  const stream = new EventStream(api, type, form, query.get('includeObject') ?? 'Metadata', response);
  const inScope = (object: KubeObject) => namespace === undefined || object.metadata.namespace === namespace;
  const relay = (change: Change) => {
    if (change.resource === resourceKey(type) && inScope(change.object)) stream.change(change, matches);
  };

  response.statusCode = 200;
  response.setHeader(
    'content-type',
    form.format === 'protobuf' ? `${PROTOBUF};stream=watch` : 'application/json',
  );
  response.setHeader('cache-control', 'no-cache, private');
  response.flushHeaders();

  const bookmarks = flagOf(query, 'allowWatchBookmarks');
  const initial = flagOf(query, 'sendInitialEvents');
  if (text === '' || text === '0' || initial) {
    for (const object of api.objects.list(resourceKey(type), namespace).filter(matches))
      stream.event('ADDED', object);
    // Whoever starts with what there is learns where that ends.
    if (bookmarks) stream.bookmark({ 'k8s.io/initial-events-end': 'true' });
  } else {
    const missed = api.objects.changesSince(resourceKey(type), Number(text));
    if (!missed) {
      const message = `too old resource version: ${text} (${api.objects.compacted})`;
      stream.error(new ApiError(410, 'Expired', message));
      return;
    }
    for (const change of missed) relay(change);
  }

  const unsubscribe = api.objects.subscribe(relay);
  const timer = bookmarks ? setInterval(() => stream.bookmark(), BOOKMARK_EVERY) : undefined;
  const stop = () => {
    unsubscribe();
    clearInterval(timer);
    clearTimeout(end);
  };
  const seconds = Number(query.get('timeoutSeconds') ?? DEFAULT_TIMEOUT) || DEFAULT_TIMEOUT;
  const end = setTimeout(() => {
    stop();
    response.end();
  }, seconds * 1000);
  response.once('close', stop);
}

class EventStream {
  #described = false;

  constructor(
    private readonly api: KubeApi,
    private readonly type: ResourceType,
    private readonly form: Negotiated,
    private readonly includeObject: string,
    private readonly response: ServerResponse,
  ) {}

  /** A change seen through a selector: an object that leaves it is deleted for this watcher. */
  change(change: Change, matches: Matcher): void {
    const before = change.previous !== undefined && matches(change.previous);
    const after = change.type !== 'DELETED' && matches(change.object);
    if (after) this.event(before ? 'MODIFIED' : 'ADDED', change.object);
    else if (before && change.previous) {
      const { resourceVersion } = change.object.metadata;
      const metadata = { ...change.previous.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
      this.event('DELETED', { ...change.previous, metadata });
    }
  }

  event(kind: string, object: KubeObject): void {
    this.#write(kind, this.#shown(inVersion(object, this.type)));
  }

  bookmark(annotations?: Record<string, string>): void {
    const metadata = {
      resourceVersion: String(this.api.objects.revision),
      ...(annotations ? { annotations } : {}),
    };
    const { kind } = this.type;
    this.#write(
      'BOOKMARK',
      this.#shown({ kind, apiVersion: apiVersionOf(this.type), metadata: { name: '', ...metadata } }),
    );
  }

  error(error: ApiError): void {
    this.#write('ERROR', error.body());
    this.response.end();
  }

  #shown(object: KubeObject): unknown {
    if (object.metadata.name === '') return this.#unnamed(object);
    if (this.form.as === 'metadata') return metadataOnly(object);
    if (this.form.as === 'object') return object;
    const { resourceVersion = '' } = object.metadata;
    const table = tableOf(this.type, [object], { resourceVersion }, this.includeObject, this.api.now);
    // The columns are told once.
    const shown = this.#described ? { ...table, columnDefinitions: null } : table;
    this.#described = true;
    return shown;
  }

  /** A bookmark is an object of the kind with nothing but a version. */
  #unnamed(object: KubeObject): unknown {
    const { name: _, ...metadata } = object.metadata;
    const bare = { ...object, metadata };
    if (this.form.as === 'object') return bare;
    const reduced = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    if (this.form.as === 'metadata') return reduced;
    const { resourceVersion = '' } = metadata;
    const { rows, ...table } = tableOf(this.type, [object], { resourceVersion }, 'Metadata', this.api.now);
    const [row] = listOf(rows);
    return {
      ...table,
      ...(this.#described ? { columnDefinitions: null } : {}),
      rows: [{ ...objOf(row), object: reduced }],
    };
  }

  #write(type: string, object: unknown): void {
    const frame = this.form.format === 'protobuf' ? protobufCodec().encodeEvent(type, object) : undefined;
    this.response.write(frame ?? `${JSON.stringify({ type, object })}\n`);
  }
}
