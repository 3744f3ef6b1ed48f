/** Resources of a node's state as the API sends them. */
import { readYaml } from '../../formats/text/yaml-text.js';
import type { Resource } from './gen/cosi/resource/resource_pb.js';
import { EventType } from './gen/cosi/resource/state_pb.js';
import type { ResourceEvent, TalosResource } from './resources.js';

export function readResource(resource: Resource | undefined): TalosResource {
  const metadata = resource?.metadata;
  return {
    namespace: metadata?.namespace ?? '',
    type: metadata?.type ?? '',
    id: metadata?.id ?? '',
    version: metadata?.version ?? '',
    labels: metadata?.labels ?? {},
    spec: readSpec(resource?.spec?.yamlSpec ?? ''),
  };
}

/** Go wrote it: YAML 1.1, where `off` is a boolean and 64-bit numbers are numbers. */
function readSpec(text: string): unknown {
  if (text === '') return undefined;
  if (text.length > LONG_SPEC) return readYaml(text, { version: '1.1' });
  const known = read.get(text);
  if (known !== undefined) return known.spec;
  const spec = readYaml(text, { version: '1.1' });
  if (read.size >= MOST_READ) read.clear();
  read.set(text, { spec });
  return spec;
}

/** Statuses that are waited for are read every few seconds and seldom change; whoever reads one changes nothing in it. */
const read = new Map<string, { readonly spec: unknown }>();
const MOST_READ = 500;
/** Configs, which hold secrets and are read once. */
const LONG_SPEC = 2_000;

export function readEvent(event: {
  eventType: EventType;
  resource?: Resource | undefined;
  error?: string | undefined;
}): ResourceEvent | undefined {
  switch (event.eventType) {
    case EventType.CREATED:
      return { kind: 'created', resource: readResource(event.resource) };
    case EventType.UPDATED:
      return { kind: 'updated', resource: readResource(event.resource) };
    case EventType.DESTROYED:
      return { kind: 'destroyed', resource: readResource(event.resource) };
    case EventType.BOOTSTRAPPED:
      return { kind: 'bootstrapped' };
    case EventType.ERRORED:
      return { kind: 'errored', message: event.error ?? '' };
    default:
      return undefined;
  }
}
