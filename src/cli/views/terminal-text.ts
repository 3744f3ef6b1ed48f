/**
 * The edge that all output passes: names, descriptions, logs and errors of other systems must not steer the terminal of
 * whoever reads them. Only escapes that were made here get through; they carry a mark that no one else can know.
 */
import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';

const MARK = `\x1b{${randomBytes(8).toString('hex')}}`;

/** An escape of our own: `[31m`, `[2J`. */
export function ownEscape(rest: string): string {
  return MARK + rest;
}

/** Sequences with what they carry: CSI; OSC, DCS, SOS, PM and APC up to their end; two-character ones. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;
/** C0 without tab and line feed, DEL, C1, marks and overrides of direction, separators that are line ends to some. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Text of others: lines and tabs stay, all other control characters go. */
export function withoutControls(text: string): string {
  if (text.search(CONTROLS) < 0) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(SEQUENCES, '')
    .replaceAll(/[\r\u2028\u2029]/g, ' ')
    .replaceAll(CONTROLS, '');
}

function printed(text: string): string {
  return text.split(MARK).map(withoutControls).join('\x1b');
}

/** JSON escapes C0 itself; the others stand in its strings as they are. */
function printedJson(text: string): string {
  if (text.search(CONTROLS) < 0) return text;
  return text
    .split(MARK)
    .join('')
    .replaceAll(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const RAW = new WeakMap<Writable, Writable>();

/** The same stream, with everything that is written to it cleaned. */
export function cleanStream<T extends Writable>(stream: T, json: boolean): T {
  const clean = json ? printedJson : printed;
  const write = (chunk: unknown, ...rest: []): boolean =>
    stream.write(typeof chunk === 'string' ? clean(chunk) : chunk, ...rest);
  const cleaned = new Proxy(stream, {
    get(target, key) {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  RAW.set(cleaned, stream);
  return cleaned;
}

/** For prompts, which draw by themselves: what they show goes through `withoutControls` first. */
export function rawStream<T extends Writable>(stream: T): Writable {
  return RAW.get(stream) ?? stream;
}
