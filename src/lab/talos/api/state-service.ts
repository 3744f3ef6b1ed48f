import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import { type Resource, ResourceSchema } from '../../../clients/talos/gen/cosi/resource/resource_pb.js';
import {
  type Event,
  EventSchema,
  EventType,
  type State,
  type WatchRequest,
} from '../../../clients/talos/gen/cosi/resource/state_pb.js';
import { findKind, NAMESPACES } from '../state/kinds.js';
import type { Change } from '../state/resource-state.js';
import { type Endpoint, fail, notAuthorized, rolesKey } from './caller.js';
import { machineChanges } from './changes.js';
import { ADMIN } from './rules.js';

type Target = (context: HandlerContext) => Endpoint;

/** COSI's state API, read only (internal/app/resources/access.go). */
export function stateService(target: Target): ServiceImpl<typeof State> {
  const refuse = () => fail(Code.PermissionDenied, 'write access is not allowed');
  return {
    get(request, context) {
      checkAccess(request, context);
      const { namespace, type, id } = request;
      const resource = target(context).state.get(namespace, type, id);
      if (!resource) {
        fail(Code.NotFound, `resource ${type}(${namespace}/${id}@undefined) doesn't exist`);
      }
      return { resource };
    },
    async *list(request, context) {
      checkAccess(request, context);
      const ids = idFilter(request.options?.idQuery?.regexp);
      for (const resource of target(context).state.list(request.namespace, request.type)) {
        if (ids(resource)) yield { resource };
      }
    },
    async *watch(request, context) {
      checkAccess(request, context);
      yield* watch(target(context), request, context.signal);
    },
    create: refuse,
    update: refuse,
    destroy: refuse,
    teardown: refuse,
    teardownAndDestroy: refuse,
  };
}

function checkAccess(request: { namespace: string; type: string }, context: HandlerContext): void {
  const kind = findKind(request.type);
  if (!kind) fail(Code.PermissionDenied, `resource type ${JSON.stringify(request.type)} is not supported`);
  if (kind.sensitive && !context.values.get(rolesKey).has(ADMIN)) notAuthorized();
  if (!(request.namespace in NAMESPACES)) {
    fail(Code.PermissionDenied, `namespace ${JSON.stringify(request.namespace)} is not supported`);
  }
}

function idFilter(pattern: string | undefined): (resource: Resource) => boolean {
  if (!pattern) return () => true;
  const regexp = new RegExp(pattern);
  return (resource) => regexp.test(resource.metadata?.id ?? '');
}

const TYPES = { created: EventType.CREATED, updated: EventType.UPDATED, destroyed: EventType.DESTROYED };

/** First an empty message, then what is there (if asked for), then changes until the client goes. */
async function* watch(endpoint: Endpoint, request: WatchRequest, signal: AbortSignal) {
  const { namespace, type, id, options } = request;
  const wanted = idFilter(options?.idQuery?.regexp);
  const matches = (resource: Resource) =>
    wanted(resource) && (id === undefined || resource.metadata?.id === id);
  const seen = new Map<string, Resource>();
  const first = endpoint.state.changes(namespace, type, seen).filter(({ resource }) => matches(resource));
  yield { event: [] };

  const events = first.map(toEvent);
  if (id !== undefined) {
    // A missing id is told as destroyed.
    yield { event: events.length > 0 ? events : [missing(endpoint, namespace, type, id)] };
  } else if (options?.bootstrapContents) {
    const end = marker(endpoint, request, EventType.BOOTSTRAPPED);
    const all = request.apiVersion >= 1 ? [...events, end] : events;
    if (options.aggregated) yield { event: all };
    else for (const event of all) yield { event: [event] };
  } else if (options?.bootstrapBookmark) {
    yield { event: [marker(endpoint, request, EventType.NOOP)] };
  }

  for await (const _ of machineChanges(endpoint.machine, signal)) {
    const changes = endpoint.state.changes(namespace, type, seen).filter(({ resource }) => matches(resource));
    if (changes.length === 0) continue;
    if (options?.aggregated) yield { event: changes.map(toEvent) };
    else for (const change of changes) yield { event: [toEvent(change)] };
  }
}

function toEvent(change: Change): Event {
  return create(EventSchema, {
    eventType: TYPES[change.kind],
    resource: change.resource,
    ...(change.old ? { old: change.old } : {}),
  });
}

function bare(endpoint: Endpoint, metadata: { namespace: string; type: string; id?: string }): Resource {
  const now = timestampFromMs(endpoint.machine.room.core.clock.now());
  return create(ResourceSchema, {
    metadata: { ...metadata, version: 'undefined', phase: 'running', created: now, updated: now },
    spec: {},
  });
}

function missing(endpoint: Endpoint, namespace: string, type: string, id: string): Event {
  return create(EventSchema, {
    eventType: EventType.DESTROYED,
    resource: bare(endpoint, { namespace, type, id }),
  });
}

function marker(endpoint: Endpoint, { namespace, type }: WatchRequest, eventType: EventType): Event {
  const bookmark = new TextEncoder().encode(String(endpoint.machine.room.core.clock.now()));
  return create(EventSchema, { eventType, resource: bare(endpoint, { namespace, type }), bookmark });
}
