/** What Perl's JSON::XS says of a text that is no JSON: the first thing wrong, and where. */

class JsonProblem extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

const NO_VALUE = 'malformed JSON string, neither tag, array, object, number, string or atom';

/** The whole message; `undefined` where nothing is wrong that JSON::XS would see. It counts bytes. */
export function jsonProblem(body: string): string | undefined {
  const text = Buffer.from(body, 'utf8').toString('latin1');
  try {
    const end = skipBlank(text, skipValue(text, skipBlank(text, 0)));
    if (end < text.length) throw new JsonProblem('garbage after JSON object', end);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return `${error.message}, at character offset ${error.at} (before "${shown(text, error.at)}")`;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\x07': '\\a',
};

/** The next twenty characters, those that cannot be printed as Perl writes them. */
function shown(text: string, at: number): string {
  if (at >= text.length) return '(end of string)';
  const rest = Buffer.from(text.slice(at), 'latin1').toString('utf8');
  const start = [...rest].slice(0, 20);
  const printed = start.map((character) => {
    const code = character.codePointAt(0) ?? 0;
    const printable = code >= 0x20 && code < 0x7f && character !== '\\';
    return printable ? character : (ESCAPES[character] ?? `\\x{${code.toString(16)}}`);
  });
  return `${printed.join('')}${[...rest].length > 20 ? '...' : ''}`;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at += 1;
  return at;
}

/** Where the value ends that starts here. */
function skipValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return skipString(text, at + 1);
  if (first === '[') return skipArray(text, at + 1);
  if (first === '{') return skipObject(text, at + 1);
  if (first !== undefined && /[-0-9]/.test(first)) return skipNumber(text, at);
  for (const atom of ['true', 'false', 'null']) {
    if (first !== atom[0]) continue;
    if (text.startsWith(atom, at)) return at + atom.length;
    throw new JsonProblem(`'${atom}' expected`, at);
  }
  throw new JsonProblem(NO_VALUE, at);
}

function skipArray(text: string, from: number): number {
  let at = skipBlank(text, from);
  if (text[at] === ']') return at + 1;
  for (;;) {
    at = skipBlank(text, skipValue(text, skipBlank(text, at)));
    if (text[at] === ']') return at + 1;
    if (text[at] !== ',') throw new JsonProblem(', or ] expected while parsing array', at);
    at += 1;
  }
}

function skipObject(text: string, from: number): number {
  let at = skipBlank(text, from);
  if (text[at] === '}') return at + 1;
  for (;;) {
    at = skipBlank(text, at);
    if (text[at] !== '"') throw new JsonProblem(`'"' expected`, at);
    at = skipBlank(text, skipString(text, at + 1));
    if (text[at] !== ':') throw new JsonProblem("':' expected", at);
    at = skipBlank(text, skipValue(text, skipBlank(text, at + 1)));
    if (text[at] === '}') return at + 1;
    if (text[at] !== ',') throw new JsonProblem(', or } expected while parsing object/hash', at);
    at += 1;
  }
}

function skipString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') return at + 1;
    if (character < ' ') {
      throw new JsonProblem('invalid character encountered while parsing JSON string', at);
    }
    if (character !== '\\') continue;
    at += 1;
    if (text[at] === 'u') {
      if (!/^[0-9a-fA-F]{4}/.test(text.slice(at + 1))) {
        throw new JsonProblem('exactly four hexadecimal digits expected', at + 1);
      }
      at += 4;
    } else if (!'"\\/bfnrt'.includes(text[at] ?? ' ')) {
      throw new JsonProblem('illegal backslash escape sequence in string', at - 1);
    }
  }
  throw new JsonProblem('unexpected end of string while parsing JSON string', text.length);
}

function skipNumber(text: string, from: number): number {
  let at = from;
  const digits = (missing: string) => {
    const start = at;
    while (/[0-9]/.test(text[at] ?? '')) at += 1;
    if (at === start) throw new JsonProblem(`malformed number (${missing})`, at);
  };
  if (text[at] === '-') at += 1;
  if (text[at] === '0' && /[0-9]/.test(text[at + 1] ?? '')) {
    throw new JsonProblem('malformed number (leading zero must not be followed by another digit)', at + 1);
  }
  digits('no digits after initial minus');
  if (text[at] === '.') {
    at += 1;
    digits('no digits after decimal point');
  }
  if (/[eE]/.test(text[at] ?? '')) {
    at += /[+-]/.test(text[at + 1] ?? '') ? 2 : 1;
    digits('no digits after exp sign');
  }
  return at;
}
