/** A place in HCL text that moves forward: white space, comments, names and what may follow. */
import { HclSyntaxError } from './hcl-syntax.js';

const NAME = /[A-Za-z_][A-Za-z0-9_-]*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

export class Cursor {
  offset = 0;

  constructor(readonly text: string) {}

  get atEnd(): boolean {
    return this.offset >= this.text.length;
  }

  looksAt(token: string): boolean {
    return this.text.startsWith(token, this.offset);
  }

  /** Moves past the token if it stands here. */
  take(token: string): boolean {
    if (!this.looksAt(token)) return false;
    this.offset += token.length;
    return true;
  }

  takeName(): string | undefined {
    return this.#match(NAME);
  }

  takeNumber(): string | undefined {
    return this.#match(NUMBER);
  }

  /** The name that stands here, without moving. */
  peekName(): string | undefined {
    const before = this.offset;
    const name = this.takeName();
    this.offset = before;
    return name;
  }

  skipSpace({ newlines }: { newlines: boolean }): void {
    for (;;) {
      const char = this.text[this.offset];
      if (char === ' ' || char === '\t' || char === '\r' || (newlines && char === '\n')) this.offset++;
      else if (char === '#' || this.looksAt('//')) this.#skipLine();
      else if (this.looksAt('/*')) this.#skipBlockComment();
      else return;
    }
  }

  fail(code: string, message: string, hint?: string, offset = this.offset): never {
    throw new HclSyntaxError({ code, message, ...(hint !== undefined && { hint }), offset });
  }

  /** What stands here, for a message. */
  get found(): string {
    if (this.atEnd) return 'the end of the file';
    if (this.looksAt('\n') || this.looksAt('\r\n')) return 'the end of the line';
    const word = this.peekName();
    return `\`${word ?? this.text[this.offset]}\``;
  }

  #skipLine(): void {
    const end = this.text.indexOf('\n', this.offset);
    this.offset = end < 0 ? this.text.length : end;
  }

  #skipBlockComment(): void {
    const end = this.text.indexOf('*/', this.offset + 2);
    if (end < 0) this.fail('hcl.comment', 'the comment is never closed', 'end it with `*/`');
    this.offset = end + 2;
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.offset;
    const match = expression.exec(this.text)?.[0];
    if (match !== undefined) this.offset += match.length;
    return match;
  }
}
