import { modulesOf } from '../kinds/built-in-kinds.js';
import type { ResourceType } from '../kinds/resource-type.js';
import { ApiError } from '../status.js';
import { PROTOBUF } from './protobuf-codec.js';

/** How the client wants to see objects. */
type Representation = 'object' | 'table' | 'metadata';
export type Format = 'json' | 'yaml' | 'protobuf';

export interface Negotiated {
  readonly as: Representation;
  /** `v1beta1` of tables and metadata is still answered. */
  readonly version?: string;
  /** Metadata of a list, not of one object. */
  readonly listed?: boolean;
  readonly format: Format;
}

interface MediaType {
  readonly type: string;
  readonly parameters: Record<string, string>;
}

export function parseAccept(accept: string): MediaType[] {
  return accept
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      const [type = '', ...rest] = item.split(';').map((part) => part.trim());
      return { type, parameters: Object.fromEntries(rest.map((pair) => pair.split('=', 2))) };
    });
}

interface Offer {
  /** A custom kind has no protobuf form. */
  readonly custom: boolean;
  readonly verb: string;
}

const OBJECTS: Readonly<Record<string, Format>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  [PROTOBUF]: 'protobuf',
};
const PLAIN: Offer = { custom: false, verb: 'get' };

/** The first of the accepted types that there is, the preferred ones first (`endpoints/handlers/negotiation`). */
export function negotiate(accept: string | undefined, offer: Offer = PLAIN): Negotiated {
  const wanted = parseAccept(accept || '*/*');
  if (!wanted.some(({ type }) => type === '*/*' || OBJECTS[type] !== undefined)) throw unknownTypes(offer);
  for (const clause of byPreference(wanted)) {
    const found = fitting(clause, offer);
    if (found) return found;
  }
  throw notAcceptable(offer);
}

/** Discovery has one form, in any of the formats. */
export function negotiatePath(accept: string | undefined): void {
  if (!parseAccept(accept || '*/*').some((clause) => fitting(clause, PLAIN))) throw notAcceptable(PLAIN);
}

/** The form of an error's body: JSON where nothing else can be agreed on. */
export function errorFormat(accept: string | undefined): Format {
  for (const { type, parameters } of byPreference(parseAccept(accept || '*/*'))) {
    // A Status is no table: it comes as JSON.
    if (parameters.as !== undefined) continue;
    const format = type === '*/*' ? 'json' : OBJECTS[type];
    if (format) return format;
  }
  return 'json';
}

function byPreference(wanted: readonly MediaType[]): MediaType[] {
  const quality = ({ parameters }: MediaType) => Number(parameters.q ?? 1);
  return [...wanted].sort((a, b) => quality(b) - quality(a));
}

function fitting({ type, parameters }: MediaType, { custom, verb }: Offer): Negotiated | undefined {
  const format = type === '*/*' ? 'json' : OBJECTS[type];
  if (!format || (verb === 'watch' && format === 'yaml')) return undefined;
  if (parameters.as === undefined) {
    return custom && format === 'protobuf' ? undefined : { as: 'object', format };
  }
  const { v: version = '' } = parameters;
  if (parameters.g !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(version)) return undefined;
  switch (parameters.as) {
    case 'Table':
      // The cells of a table can be anything: it has no protobuf form.
      return format === 'protobuf' ? undefined : { as: 'table', format, version };
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return { as: 'metadata', format, version, listed: parameters.as.endsWith('List') };
    default:
      return undefined;
  }
}

/** Metadata of a list was asked for where there is one object, or the other way round. */
export function checkMetadataForm(
  { as, listed }: Negotiated,
  type: Pick<ResourceType, 'group' | 'kind' | 'custom'>,
  isList: boolean,
): void {
  if (as !== 'metadata' || listed === isList) return;
  const go = type.custom ? 'unstructured.Unstructured' : `${modulesOf(type.group)}.${type.kind}`;
  const message = isList
    ? `you requested PartialObjectMetadata, but the requested object is a list (*${go}List)`
    : `you requested PartialObjectMetadataList, but the requested object is not a list (*${go})`;
  throw new ApiError(406, 'NotAcceptable', message);
}

const STREAMS = ['application/json;stream=watch', `${PROTOBUF};stream=watch`];

function unknownTypes({ verb }: Offer): ApiError {
  const all =
    verb === 'list' || verb === 'watch' ? [...Object.keys(OBJECTS), ...STREAMS] : Object.keys(OBJECTS);
  const message = `406: Not Acceptable\n\nAvailable representations: ${all.join(', ')}`;
  return new ApiError(406, 'NotAcceptable', message, {});
}

function notAcceptable({ verb, custom }: Offer): ApiError {
  const types = verb === 'watch' && !custom ? STREAMS : Object.keys(OBJECTS);
  return new ApiError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${types.join(', ')}`,
  );
}
