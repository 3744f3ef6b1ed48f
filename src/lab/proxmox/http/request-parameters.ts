/** Parameters of a request as pve-http-server reads them (PVE/APIServer/AnyEvent.pm). */
import type { Fields, Value } from '../validation/check.js';

export class BadBody extends Error {}

export function requestFields(request: {
  method: string;
  query: string;
  contentType: string | undefined;
  body: string;
}): Fields {
  const fields: Fields = Object.create(null);
  if (request.method === 'PUT' || request.method === 'POST') {
    const json = /^application\/json\b/i.test(request.contentType ?? '');
    Object.assign(
      fields,
      json ? jsonFields(request.body) : formFields(request.body),
      formFields(request.query),
    );
    if (!json) emptyBareKeys(fields);
  } else Object.assign(fields, formFields(request.query));
  // What browsers add against their caches.
  delete fields._dc;
  return fields;
}

function jsonFields(body: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    const start = JSON.stringify(body.slice(0, 20)).slice(1, -1);
    throw new BadBody(
      `malformed JSON string, neither tag, array, object, number, string or atom, at character offset 0 (before "${start}${body.length > 20 ? '...' : ''}") at /usr/share/perl5/PVE/APIServer/AnyEvent.pm line 923.\n`,
    );
  }
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new BadBody('Not a HASH reference at /usr/share/perl5/PVE/APIServer/AnyEvent.pm line 932.\n');
  }
  return parsed as Fields;
}

/** pveproxy passes a form on to pvedaemon, and writes `key` as `key=` then. */
function emptyBareKeys(fields: Fields): void {
  for (const [key, value] of Object.entries(fields)) if (value === null) fields[key] = '';
}

/**
 * A key without an equals sign is there but undefined: its value is not checked. An empty value is a text as any other
 * and is checked (recording `tags-and-options`, "empty tags": no tag is wrong). Several values of one key are a list.
 */
function formFields(text: string): Fields {
  const fields: Fields = Object.create(null);
  for (const pair of text.split(/[&;]/)) {
    if (pair === '') continue;
    const [key = '', value] = pair.split('=');
    const name = decode(key);
    const earlier = fields[name];
    const decoded: Value = value === undefined ? null : decode(value);
    if (decoded === null || earlier === undefined || earlier === null) fields[name] = decoded;
    else fields[name] = Array.isArray(earlier) ? [...earlier, decoded] : [earlier, decoded];
  }
  return fields;
}

/** Broken escapes stay as they are; bytes that are no UTF-8 become replacement characters. */
export function decode(text: string): string {
  const plain = text.replaceAll('+', ' ');
  if (!plain.includes('%')) return plain;
  const bytes: Buffer[] = [];
  for (const piece of plain.split(/(%[0-9a-fA-F]{2})/)) {
    if (/^%[0-9a-fA-F]{2}$/.test(piece)) bytes.push(Buffer.from([Number.parseInt(piece.slice(1), 16)]));
    else bytes.push(Buffer.from(piece, 'utf8'));
  }
  return Buffer.concat(bytes).toString('utf8');
}
