/** Quoted text and heredocs: escapes, `${…}`, and the indentation that `<<-` takes away. */
import type { Cursor } from './cursor.js';
import type { Expression } from './hcl-syntax.js';

type Parts = (string | Expression)[];

/** Parses the expression inside `${` and `}`; the cursor stands after `${`. */
type Interpolate = (opened: number) => Expression;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };
const JSON_ESCAPES: Readonly<Record<string, string>> = { ...ESCAPES, b: '\b', f: '\f', '/': '/' };

/** The cursor stands on the opening quote. */
export function quotedText(cursor: Cursor, interpolate: Interpolate): Expression {
  const start = cursor.offset;
  cursor.take('"');
  const parts: Parts = [];
  while (!cursor.take('"')) {
    requireSameLine(cursor, start);
    if (cursor.looksAt('\\')) append(parts, escapeAt(cursor, ESCAPES));
    else templateStep(cursor, parts, interpolate);
  }
  return templateOf(parts, start, cursor.offset);
}

/** In JSON a `${` is only text: Terraform evaluates nothing in variable files. */
export function jsonText(cursor: Cursor): string {
  const start = cursor.offset;
  cursor.take('"');
  let text = '';
  while (!cursor.take('"')) {
    requireSameLine(cursor, start);
    if (cursor.looksAt('\\')) text += escapeAt(cursor, JSON_ESCAPES);
    else text += cursor.text[cursor.offset++];
  }
  return text;
}

/** The cursor stands on `<<`. */
export function heredoc(cursor: Cursor, interpolate: Interpolate): Expression {
  const start = cursor.offset;
  cursor.take('<<');
  const flush = cursor.take('-');
  const marker = cursor.takeName();
  if (marker === undefined) {
    cursor.fail('hcl.heredoc', 'a heredoc starts with a name', 'write it like `<<-EOT`', start);
  }
  cursor.take('\r');
  if (!cursor.take('\n')) {
    cursor.fail('hcl.heredoc', `\`<<${flush ? '-' : ''}${marker}\` must be the last on its line`);
  }
  const bodyStart = cursor.offset;
  const close = new RegExp(`^[ \\t]*${marker}[ \\t]*\\r?$`, 'm');
  const closing = close.exec(cursor.text.slice(bodyStart));
  if (!closing) {
    cursor.fail(
      'hcl.heredoc',
      `the heredoc is never closed`,
      `end it with a line that says only \`${marker}\``,
      start,
    );
  }
  const bodyEnd = bodyStart + closing.index;
  const indent = flush ? commonIndent(cursor.text.slice(bodyStart, bodyEnd)) : 0;
  const parts: Parts = [];
  let lineStart = true;
  while (cursor.offset < bodyEnd) {
    // Blank lines stay as they are, as in HCL.
    if (lineStart && restOfLine(cursor).trim() !== '') skipIndent(cursor, indent, bodyEnd);
    if (cursor.offset >= bodyEnd) break;
    // Line ends are line feeds, whatever the editor wrote.
    if (cursor.looksAt('\r\n')) cursor.offset++;
    lineStart = cursor.looksAt('\n');
    templateStep(cursor, parts, interpolate);
  }
  cursor.offset = bodyStart + closing.index + closing[0].replace(/\r$/, '').length;
  return templateOf(parts, start, cursor.offset);
}

/** As HCL does: the least indentation of a line that is not blank. */
function commonIndent(body: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (const line of body.split('\n'))
    if (line.trim() !== '') least = Math.min(least, line.length - line.trimStart().length);
  return Number.isFinite(least) ? least : 0;
}

function restOfLine({ text, offset }: Cursor): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset, end < 0 ? text.length : end + 1);
}

function skipIndent(cursor: Cursor, indent: number, end: number): void {
  for (let i = 0; i < indent && cursor.offset < end; i++) {
    if (!cursor.looksAt(' ') && !cursor.looksAt('\t')) return;
    cursor.offset++;
  }
}

function templateStep(cursor: Cursor, parts: Parts, interpolate: Interpolate): void {
  const opened = cursor.offset;
  if (cursor.take('$${')) append(parts, '${');
  else if (cursor.take('%%{')) append(parts, '%{');
  else if (cursor.take('${')) parts.push(interpolate(opened));
  else if (cursor.looksAt('%{')) {
    cursor.fail(
      'hcl.directive',
      'directives such as `%{ if … }` are not evaluated here',
      'write the text that results; for the two characters themselves write `%%{`',
    );
  } else append(parts, cursor.text[cursor.offset++] ?? '');
}

function escapeAt(cursor: Cursor, escapes: Readonly<Record<string, string>>): string {
  const code = cursor.text[cursor.offset + 1] ?? '';
  const unicode = /^\\u([0-9a-fA-F]{4})|^\\U([0-9a-fA-F]{8})/.exec(
    cursor.text.slice(cursor.offset, cursor.offset + 10),
  );
  if (unicode) {
    const point = Number.parseInt(unicode[1] ?? unicode[2] ?? '', 16);
    if (point > 0x10ffff) cursor.fail('hcl.escape', `\`${unicode[0]}\` is no character`);
    cursor.offset += unicode[0].length;
    return String.fromCodePoint(point);
  }
  const meant = escapes[code];
  if (meant === undefined) {
    cursor.fail('hcl.escape', `\`\\${code}\` is no escape`, 'write a backslash as `\\\\`');
  }
  cursor.offset += 2;
  return meant;
}

function requireSameLine(cursor: Cursor, start: number): void {
  if (!cursor.atEnd && !cursor.looksAt('\n')) return;
  cursor.fail(
    'hcl.quote',
    'the text is never closed',
    'end it with `"` on the same line; write longer text as a heredoc, `<<-EOT`',
    start,
  );
}

function append(parts: Parts, text: string): void {
  const last = parts.length - 1;
  if (typeof parts[last] === 'string') parts[last] += text;
  else parts.push(text);
}

function templateOf(parts: Parts, start: number, end: number): Expression {
  const [first = '', ...more] = parts;
  return typeof first === 'string' && more.length === 0
    ? { kind: 'literal', value: first, start, end }
    : { kind: 'template', parts, start, end };
}
