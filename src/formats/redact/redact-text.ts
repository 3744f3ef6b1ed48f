/**
 * Texts of people and of other programs, without the secrets in them. Each expression is tried at the beginning of a word
 * only: from every letter of a long one it would take the square of its length.
 */

export const REDACTED = '(redacted)';

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g;
/** `user@realm!name=uuid`, wherever it stands. */
const API_TOKEN = /(?<![\w.-])([\w.-]+@[\w.-]+![\w.-]+[=:])(?!\(redacted\))\S{8,}/g;
const LOGIN_IN_URL = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)[^\s/@:"']+:[^\s/@"']+@/gi;
/** An age identity, as SOPS is given it. */
const AGE_KEY = /\bAGE-SECRET-KEY-1[0-9A-Z]+/gi;
const BEARER = /\b(bearer|basic)\s+(?!\(redacted\))[\w.~+/=-]{16,}/gi;

/** Shorter ones are words of every language: `true`, `info`. */
const MIN_LENGTH = 5;

/**
 * For what leaves the program: errors, journal, JSON, progress. `values` are the texts that were sent and must not come
 * back in an answer; what looks like a key or a token goes without being named.
 */
export function redactText(text: string, values: Iterable<string> = []): string {
  const redacted = text
    .replace(PRIVATE_KEY, REDACTED)
    .replace(AGE_KEY, REDACTED)
    .replace(API_TOKEN, `$1${REDACTED}`)
    .replace(LOGIN_IN_URL, `$1${REDACTED}@`)
    .replace(BEARER, `$1 ${REDACTED}`);
  return redactValues(redacted, values);
}

/** These values alone, in JSON too: what looks like a token would take the quotes behind it along. */
export function redactValues(text: string, values: Iterable<string>): string {
  let redacted = text;
  // The longest first: a value may be part of another one.
  for (const value of [...new Set(formsOf(values))].sort((a, b) => b.length - a.length)) {
    redacted = redacted.replaceAll(value, REDACTED);
  }
  return redacted;
}

/** Every string in a value that becomes JSON. */
export function redactStrings<T>(value: T): T;
export function redactStrings(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map((item: unknown) => redactStrings(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactStrings(item)]));
}

/** As it may come back: line by line, quoted. */
function* formsOf(values: Iterable<string>): Generator<string> {
  for (const value of values) {
    for (const form of [value, value.trim(), JSON.stringify(value).slice(1, -1), ...value.split('\n')]) {
      const text = form.trim();
      if (text.length >= MIN_LENGTH) yield text;
    }
  }
}

/** The same length, so that lines and columns of a code frame stay true. */
function blotOut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, '*') + text.slice(end);
}

/** Ranges may overlap, in any order. */
export function blotOutAll(text: string, ranges: readonly (readonly [start: number, end: number])[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (end <= at) continue;
    const from = Math.max(at, start);
    parts.push(text.slice(at, from), text.slice(from, end).replaceAll(/[^\n]/g, '*'));
    at = end;
  }
  return parts.join('') + text.slice(at);
}

/** A longer line with a secret in it is blotted out as a whole. */
const LONGEST_LINE = 2_000;

const SENSITIVE_KEY = /token|passw|passphrase|secret|private|credential/i;
/** A key and the rest of its line; behind a key in quotes a value may stand without a space, as in JSON. */
const KEY_AND_REST =
  /(?<=[\s{,[]|^)(?:["'](?<quoted>[\w.-]+)["'][ \t]*:[ \t]*|(?<key>[\w.-]+)[ \t]*:[ \t]+)(?<rest>[^\n]*)/gm;
const QUOTED = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/;

export function isSensitiveKey(key: string): boolean {
  return SENSITIVE_KEY.test(key);
}

/** Lines of a config as people wrote it; needs no parsed file: it must also work on lines that are not YAML. */
export function redactSource(text: string, isReference: (value: string) => boolean): string {
  return text
    .replaceAll(API_TOKEN, (match) => '*'.repeat(match.length))
    .replaceAll(LOGIN_IN_URL, (match, scheme: string) => scheme + '*'.repeat(match.length - scheme.length))
    .split('\n')
    .map((line) => (SENSITIVE_KEY.test(line) ? redactLine(line, isReference) : line))
    .join('\n');
}

function redactLine(line: string, isReference: (value: string) => boolean): string {
  if (line.length > LONGEST_LINE) return '*'.repeat(line.length);
  let redacted = line;
  let from = 0;
  for (;;) {
    KEY_AND_REST.lastIndex = from;
    const match = KEY_AND_REST.exec(redacted);
    if (!match?.groups) return redacted;
    const { rest = '', quoted = '' } = match.groups;
    const key = match.groups.key ?? quoted;
    const start = match.index + match[0].length - rest.length;
    from = start;
    if (!SENSITIVE_KEY.test(key)) continue;
    const value = valueIn(rest, redacted.slice(0, match.index).includes('{'));
    if (!isSecret(value) || isReference(value.replaceAll(/^["']|["']$/g, ''))) continue;
    redacted = blotOut(redacted, start, start + value.length);
    from = start + value.length;
  }
}

/** The value at the beginning of the rest of a line; inside braces it ends at a comma. */
function valueIn(rest: string, inFlow: boolean): string {
  const quoted = QUOTED.exec(rest)?.[0];
  if (quoted !== undefined) return quoted;
  const upToComment = rest.replace(/\s+#.*$/, '');
  return (inFlow ? upToComment.replace(/[,}].*$/, '') : upToComment).trimEnd();
}

/** A mapping, a list, an alias or a block scalar: the parsed file knows what is in it. */
function isSecret(value: string): boolean {
  return !/^(true|false|null|~|[{[*&|>].*)?$/.test(value);
}
