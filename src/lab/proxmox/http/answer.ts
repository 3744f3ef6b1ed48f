/** What goes back over the wire. */
import type { PveError } from '../api.js';

export interface Answer {
  readonly status: number;
  /** The first line of Proxmox's message; empty: the status' own phrase. */
  readonly reason: string;
  readonly body: string;
  readonly contentType?: string;
}

const JSON_TYPE = 'application/json;charset=UTF-8';

/** What is downloaded as it is. */
export class TextFile {
  constructor(readonly text: string) {}
}

export function dataAnswer(data: unknown, beside: Readonly<Record<string, unknown>> = {}): Answer {
  if (data instanceof TextFile) {
    return { status: 200, reason: 'OK', body: data.text, contentType: 'text/plain' };
  }
  return {
    status: 200,
    reason: 'OK',
    body: JSON.stringify({ data: data ?? null, ...beside }),
    contentType: JSON_TYPE,
  };
}

export function errorAnswer(error: PveError): Answer {
  // Messages end with a line break, except where there was nothing that could die.
  const bare = error.status === 404 || error.status === 501 || error.message.endsWith('\n');
  const message = bare ? error.message : `${error.message}\n`;
  return {
    status: error.status,
    reason: firstLine(message),
    body: JSON.stringify({ data: null, ...(error.errors && { errors: error.errors }), message }),
    contentType: JSON_TYPE,
  };
}

/** Errors below the API: the text is reason and body. */
export function plainAnswer(status: number, text: string): Answer {
  return { status, reason: firstLine(text), body: text };
}

/** 401 has no body. */
export function emptyAnswer(status: number, reason: string): Answer {
  return { status, reason, body: '' };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** The status line is Latin-1; what does not fit, and what would end the line, is a question mark. */
export function reasonPhrase(reason: string): string {
  return reason.replace(/[^\x20-\x7e\xa0-\xff\t]/g, '?');
}
