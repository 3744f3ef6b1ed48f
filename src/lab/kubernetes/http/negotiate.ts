import { ApiError } from '../status.js';
import { PROTOBUF } from './protobuf-codec.js';

/** How the client wants to see objects. */
type Representation = 'object' | 'table' | 'metadata';
export type Format = 'json' | 'yaml' | 'protobuf';

export interface Negotiated {
  readonly as: Representation;
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

/** The form of an error's body: JSON where nothing else can be agreed on. */
export function errorFormat(accept: string | undefined): Format {
  for (const { type } of byPreference(parseAccept(accept || '*/*'))) {
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
  if (parameters.g !== 'meta.k8s.io' || parameters.v !== 'v1') return undefined;
  switch (parameters.as) {
    case 'Table':
      // The cells of a table can be anything: it has no protobuf form.
      return format === 'protobuf' ? undefined : { as: 'table', format };
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return { as: 'metadata', format };
    default:
      return undefined;
  }
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
