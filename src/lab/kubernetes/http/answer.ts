import type { ServerResponse } from 'node:http';
import { stringify } from 'yaml';
import type { ApiError, StatusBody } from '../status.js';
import type { Format } from './negotiate.js';
import { PROTOBUF, protobufCodec } from './protobuf-codec.js';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly warnings?: readonly string[];
  readonly contentType?: string;
  readonly format?: Format;
  readonly retryAfter?: number;
  readonly cacheControl?: string;
  readonly vary?: string;
}

export function ok(body: unknown, more: Partial<Answer> = {}): Answer {
  return { status: 200, body, ...more };
}

export function textAnswer(status: number, body: string): Answer {
  return { status, body, contentType: 'text/plain; charset=utf-8' };
}

export function errorAnswer(error: ApiError): Answer {
  const retryAfter = error.details?.retryAfterSeconds;
  return { status: error.code, body: error.body(), ...(retryAfter === undefined ? {} : { retryAfter }) };
}

export function successStatus(code: number | undefined, details?: StatusBody['details']): StatusBody {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details ? { details } : {}),
    ...(code === undefined ? {} : { code }),
  };
}

export function send(response: ServerResponse, answer: Answer): void {
  response.statusCode = answer.status;
  const { type, content } = contentOf(answer);
  response.setHeader('content-type', type);
  response.setHeader('cache-control', answer.cacheControl ?? 'no-cache, private');
  if (answer.vary !== undefined) response.setHeader('vary', answer.vary);
  if (answer.retryAfter !== undefined) response.setHeader('retry-after', String(answer.retryAfter));
  const warnings = [...new Set(answer.warnings ?? [])];
  if (warnings.length > 0) response.setHeader('warning', warnings.map(warningText));
  response.end(content);
}

function contentOf({ body, format, contentType }: Answer): { type: string; content: string | Uint8Array } {
  if (typeof body === 'string') return { type: contentType ?? 'application/json', content: body };
  if (format === 'yaml') {
    return { type: contentType ?? 'application/yaml', content: yamlText(body) };
  }
  const bytes = format === 'protobuf' && !contentType ? protobufCodec().encodeBody(body) : undefined;
  if (bytes) return { type: PROTOBUF, content: bytes };
  return { type: contentType ?? 'application/json', content: `${JSON.stringify(body)}\n` };
}

/** As sigs.k8s.io/yaml writes it: keys in order, lists not indented. */
function yamlText(body: unknown): string {
  return stringify(body, {
    compat: 'yaml-1.1',
    sortMapEntries: true,
    indentSeq: false,
    aliasDuplicateObjects: false,
    singleQuote: true,
  });
}

/** RFC 7234: code, agent, quoted text. */
function warningText(text: string): string {
  return `299 - "${text.replace(/["\\]/g, '\\$&')}"`;
}
