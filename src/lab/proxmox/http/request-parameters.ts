/** Parameters of a request as pve-http-server reads them (PVE/APIServer/AnyEvent.pm). */
import type { Fields, Value } from '../validation/check.js';
import { jsonProblem } from './json-body.js';

export class BadBody extends Error {}

export function requestFields(request: {
  method: string;
  query: string;
  contentType: string | undefined;
  body: string;
}): Fields {
  const fields: Fields = Object.create(null);
  if (request.method === 'PUT' || request.method === 'POST') {
    const json = mediaType(request.contentType) === 'application/json';
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

/** Compared as it was sent: other capitals are another type. */
export function mediaType(contentType: string | undefined): string {
  return contentType?.split(/\s*[;,]\s*/, 1)[0] ?? '';
}

const SERVER = 'at /usr/share/perl5/PVE/APIServer/AnyEvent.pm line';

function jsonFields(body: string): Fields {
  const problem = jsonProblem(body);
  if (problem !== undefined) throw new BadBody(`${problem} ${SERVER} 923.\n`);
  const parsed: unknown = JSON.parse(body);
  if (Array.isArray(parsed) || typeof parsed === 'boolean')
    throw new BadBody(`Not a HASH reference ${SERVER} 932.\n`);
  if (parsed === null) return {};
  if (typeof parsed !== 'object') {
    const text = String(parsed);
    const cut = text.length > 32 ? `"${text.slice(0, 32)}"...` : `"${text}"`;
    throw new BadBody(`Can't use string (${cut}) as a HASH ref while "strict refs" in use ${SERVER} 932.\n`);
  }
  return parsed as Fields;
}

/** pveproxy passes a form on to pvedaemon, and writes `key` as `key=` then. */
function emptyBareKeys(fields: Fields): void {
  for (const [key, value] of Object.entries(fields)) if (value === null) fields[key] = '';
}

/**
 * A key without an equals sign is there but undefined: its value is not checked. An empty value is a text as any other
 * and is checked (recording `tags-and-options`, "empty tags": no tag is wrong). What follows a second equals sign is
 * lost. Several values of one key are a list.
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

/** A plus sign in a path is one, unlike in a form; its bytes are characters, whatever they mean together. */
export function pathText(path: string): string {
  return path.replace(/%([0-9a-fA-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
