/** What Go's `encoding/json` says of a text that is no JSON, and which fields a text names twice. */

class Fault extends Error {}

/** The complaint about a text that JSON.parse refused. */
export function jsonFault(text: string): string {
  try {
    new Scanner(text).document();
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return 'unexpected end of JSON input';
}

/** The fields that a text, which is JSON, names twice: `metadata.labels.a`. */
export function duplicateFields(text: string): string[] {
  const twice: string[] = [];
  new Scanner(text, (path) => twice.push(path)).document();
  return twice;
}

const LITERALS = ['true', 'false', 'null'];

class Scanner {
  #at = 0;

  constructor(
    private readonly text: string,
    private readonly twice?: (path: string) => void,
  ) {}

  document(): void {
    this.#value('');
    this.#blank();
    if (this.#at < this.text.length) this.#fail('after top-level value');
  }

  #blank(): void {
    while (/[ \t\r\n]/.test(this.text[this.#at] ?? '')) this.#at += 1;
  }

  #fail(context: string): never {
    const letter = this.text[this.#at];
    if (letter === undefined) throw new Fault('unexpected end of JSON input');
    throw new Fault(`invalid character ${quoted(letter)} ${context}`);
  }

  #value(path: string): void {
    this.#blank();
    const letter = this.text[this.#at];
    const literal = LITERALS.find((word) => word[0] === letter);
    if (letter === '{') this.#object(path);
    else if (letter === '[') this.#array(path);
    else if (letter === '"') this.#string();
    else if (letter !== undefined && /[-0-9]/.test(letter)) this.#number();
    else if (literal) this.#literal(literal);
    else this.#fail('looking for beginning of value');
  }

  #object(path: string): void {
    const seen = new Set<string>();
    this.#at += 1;
    this.#blank();
    if (this.text[this.#at] === '}') {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#blank();
      if (this.text[this.#at] !== '"') this.#fail('looking for beginning of object key string');
      const start = this.#at;
      this.#string();
      const name = this.text.slice(start + 1, this.#at - 1);
      const field = path === '' ? name : `${path}.${name}`;
      if (seen.has(name)) this.twice?.(field);
      seen.add(name);
      this.#blank();
      if (this.text[this.#at] !== ':') this.#fail('after object key');
      this.#at += 1;
      this.#value(field);
      this.#blank();
      const next = this.text[this.#at];
      if (next !== ',' && next !== '}') this.#fail('after object key:value pair');
      this.#at += 1;
      if (next === '}') return;
    }
  }

  #array(path: string): void {
    this.#at += 1;
    this.#blank();
    if (this.text[this.#at] === ']') {
      this.#at += 1;
      return;
    }
    for (let index = 0; ; index += 1) {
      this.#value(`${path}[${index}]`);
      this.#blank();
      const next = this.text[this.#at];
      if (next !== ',' && next !== ']') this.#fail('after array element');
      this.#at += 1;
      if (next === ']') return;
    }
  }

  #string(): void {
    for (this.#at += 1; ; this.#at += 1) {
      const letter = this.text[this.#at];
      if (letter === undefined || letter < ' ') this.#fail('in string literal');
      if (letter === '"') break;
      if (letter !== '\\') continue;
      this.#at += 1;
      const escaped = this.text[this.#at] ?? '';
      if (escaped === 'u') this.#hexadecimal();
      else if (escaped === '' || !'bfnrt\\/"'.includes(escaped)) this.#fail('in string escape code');
    }
    this.#at += 1;
  }

  #hexadecimal(): void {
    for (let count = 0; count < 4; count += 1) {
      this.#at += 1;
      if (!/[0-9a-fA-F]/.test(this.text[this.#at] ?? '')) this.#fail('in \\u hexadecimal character escape');
    }
  }

  #number(): void {
    if (this.text[this.#at] === '-') this.#at += 1;
    if (this.text[this.#at] === '0') this.#at += 1;
    else this.#digits('in numeric literal');
    if (this.text[this.#at] === '.') {
      this.#at += 1;
      this.#digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.text[this.#at] ?? '')) {
      this.#at += 1;
      if (/[-+]/.test(this.text[this.#at] ?? '')) this.#at += 1;
      this.#digits('in exponent of numeric literal');
    }
  }

  #digits(context: string): void {
    if (!/\d/.test(this.text[this.#at] ?? '')) this.#fail(context);
    while (/\d/.test(this.text[this.#at] ?? '')) this.#at += 1;
  }

  #literal(word: string): void {
    for (let index = 1; index < word.length; index += 1) {
      this.#at += 1;
      if (this.text[this.#at] !== word[index]) {
        this.#fail(`in literal ${word} (expecting ${quoted(word[index] ?? '')})`);
      }
    }
    this.#at += 1;
  }
}

/** Go's `quoteChar`. */
function quoted(letter: string): string {
  if (letter === "'") return "'\\''";
  if (letter === '"') return "'\"'";
  const code = letter.charCodeAt(0);
  if (code >= 0x7f && code <= 0xa0) return `'\\u00${code.toString(16)}'`;
  return `'${JSON.stringify(letter).slice(1, -1)}'`;
}
