import type { ServerResponse } from 'node:http';
import { stringify } from 'yaml';
import type { ApiError, StatusBody } from '../status.js';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly warnings?: readonly string[];
  readonly contentType?: string;
  readonly format?: 'json' | 'yaml';
  readonly retryAfter?: number;
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
  const yaml = answer.format === 'yaml';
  const type = answer.contentType ?? (yaml ? 'application/yaml' : 'application/json');
  response.setHeader('content-type', type);
  response.setHeader('cache-control', 'no-cache, private');
  if (answer.retryAfter !== undefined) response.setHeader('retry-after', String(answer.retryAfter));
  const warnings = [...new Set(answer.warnings ?? [])];
  if (warnings.length > 0) response.setHeader('warning', warnings.map(warningText));
  if (typeof answer.body === 'string') response.end(answer.body);
  else if (yaml) response.end(stringify(answer.body, { compat: 'yaml-1.1' }));
  else response.end(`${JSON.stringify(answer.body)}\n`);
}

/** RFC 7234: code, agent, quoted text. */
function warningText(text: string): string {
  return `299 - "${text.replace(/["\\]/g, '\\$&')}"`;
}
