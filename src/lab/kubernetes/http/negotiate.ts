import { ApiError } from '../status.js';

/** How the client wants to see objects. */
export type Representation = 'object' | 'table' | 'metadata';

export interface Negotiated {
  readonly as: Representation;
  readonly format: 'json' | 'yaml';
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

/** The first of the accepted types that there is; protobuf is skipped, which every client allows for. */
export function negotiate(accept: string | undefined): Negotiated {
  for (const { type, parameters } of parseAccept(accept || '*/*')) {
    const format = formatOf(type);
    if (!format) continue;
    if (parameters.as === undefined) return { as: 'object', format };
    if (parameters.g !== 'meta.k8s.io' || parameters.v !== 'v1') continue;
    if (parameters.as === 'Table') return { as: 'table', format };
    if (parameters.as === 'PartialObjectMetadata' || parameters.as === 'PartialObjectMetadataList') {
      return { as: 'metadata', format };
    }
  }
  throw notAcceptable();
}

function formatOf(type: string): 'json' | 'yaml' | undefined {
  if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
}

function notAcceptable(): ApiError {
  const list = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const message = `406: Not Acceptable\n\nAvailable representations: ${list}`;
  return new ApiError(406, 'NotAcceptable', message, {});
}
