/**
 * Reads the HCL of variable files. Terraform evaluates nothing in them; we take `locals` blocks too, because
 * examples and Terragrunt files have them. What would need Terraform to evaluate is refused where it stands,
 * with what to write instead, and reading goes on behind it.
 */
import { Cursor } from './cursor.js';
import {
  type Attribute,
  type Expression,
  type HclFile,
  type HclProblem,
  HclSyntaxError,
  type Span,
} from './hcl-syntax.js';
import { heredoc, jsonText, quotedText } from './hcl-template.js';
import { operatorFollows, skipValue } from './skip-value.js';

/** Deeper than any variable file; text such as `[[[[…` must not end the stack. */
const MAX_DEPTH = 64;

export function parseHcl(text: string): HclFile {
  return new HclParser(text, false).parse((parser) => parser.body());
}

/** `.tfvars.json`: one object. */
export function parseJsonVariables(text: string): HclFile {
  return new HclParser(text, true).parse((parser) => parser.jsonRoot());
}

class HclParser {
  readonly #cursor: Cursor;
  readonly #problems: HclProblem[] = [];
  readonly #attributes: Attribute[] = [];
  readonly #locals: Attribute[] = [];
  #depth = 0;

  constructor(
    text: string,
    private readonly json: boolean,
  ) {
    this.#cursor = new Cursor(text);
  }

  parse(read: (parser: HclParser) => void): HclFile {
    try {
      read(this);
    } catch (error) {
      if (!(error instanceof HclSyntaxError)) throw error;
      this.#problems.push(error.problem);
    }
    return { attributes: this.#attributes, locals: this.#locals, problems: this.#problems };
  }

  body(): void {
    const cursor: Cursor = this.#cursor;
    for (cursor.skipSpace({ newlines: true }); !cursor.atEnd; cursor.skipSpace({ newlines: true })) {
      const start = cursor.offset;
      const name = cursor.looksAt('"') ? this.#key() : cursor.takeName();
      if (name === undefined) cursor.fail('hcl.syntax', `expected a variable, found ${cursor.found}`);
      const nameSpan = { start, end: cursor.offset };
      cursor.skipSpace({ newlines: false });
      if (this.#opensBlock()) this.#block(name, nameSpan);
      else this.#attributes.push(this.#assignment(name, nameSpan));
    }
  }

  jsonRoot(): void {
    const cursor: Cursor = this.#cursor;
    cursor.skipSpace({ newlines: true });
    if (!cursor.looksAt('{')) cursor.fail('hcl.syntax', `expected \`{\`, found ${cursor.found}`);
    const root = this.#object();
    cursor.skipSpace({ newlines: true });
    if (!cursor.atEnd) cursor.fail('hcl.syntax', `expected the end of the file, found ${cursor.found}`);
    if (root.kind === 'object') this.#attributes.push(...root.entries);
  }

  /** `name {` or `name "label" {` */
  #opensBlock(): boolean {
    const { text, offset } = this.#cursor;
    return /^(?:"[^"\n]*"[ \t]*)*\{/.test(text.slice(offset, offset + 200));
  }

  #block(name: string, nameSpan: Span): void {
    const cursor: Cursor = this.#cursor;
    if (name === 'locals' && cursor.looksAt('{')) {
      const block = this.#object();
      if (block.kind === 'object') this.#locals.push(...block.entries);
      return;
    }
    this.#problems.push({
      code: 'hcl.block',
      message: `a \`${name}\` block has no place in a variable file`,
      hint: 'give oxherd the file with the values, such as `terraform.tfvars`; of blocks only `locals` is read',
      offset: nameSpan.start,
    });
    while (!cursor.atEnd && !cursor.looksAt('{') && !cursor.looksAt('\n')) cursor.offset++;
    if (cursor.looksAt('{')) skipValue(this.#cursor);
  }

  #assignment(name: string, nameSpan: Span): Attribute {
    const cursor: Cursor = this.#cursor;
    if (!cursor.take('=')) {
      cursor.fail('hcl.syntax', `expected \`=\` after \`${name}\`, found ${cursor.found}`);
    }
    cursor.skipSpace({ newlines: false });
    const value = this.#expression();
    cursor.skipSpace({ newlines: false });
    if (!cursor.atEnd && !cursor.looksAt('\n')) {
      cursor.fail('hcl.syntax', `expected a new line, found ${cursor.found}`);
    }
    return { name, nameSpan, value };
  }

  #expression(): Expression {
    if (++this.#depth > MAX_DEPTH) {
      this.#cursor.fail('hcl.too-deep', `the file is nested more than ${MAX_DEPTH} levels deep`);
    }
    const start = this.#cursor.offset;
    const value = this.#primary();
    this.#depth--;
    return value.kind !== 'refused' && this.#goesOn ? this.#refuseOperator(start) : value;
  }

  #primary(): Expression {
    const cursor: Cursor = this.#cursor;
    const start = cursor.offset;
    if (cursor.looksAt('"')) {
      if (!this.json) return quotedText(cursor, (opened) => this.#interpolation(opened));
      return { kind: 'literal', value: jsonText(cursor), start, end: cursor.offset };
    }
    if (cursor.looksAt('{')) return this.#object();
    if (cursor.looksAt('[')) return this.#list();
    if (cursor.looksAt('<<')) return heredoc(cursor, (opened) => this.#interpolation(opened));
    const number = cursor.takeNumber();
    if (number !== undefined) return { kind: 'literal', value: Number(number), start, end: cursor.offset };
    const word = cursor.takeName();
    if (word === undefined) {
      if (cursor.looksAt('(') || cursor.looksAt('!') || cursor.looksAt('-')) {
        return this.#refuse(
          start,
          'hcl.operator',
          'this would have to be computed',
          'write the value that results',
        );
      }
      cursor.fail('hcl.syntax', `expected a value, found ${cursor.found}`);
    }
    return this.#word(word, start);
  }

  #word(word: string, start: number): Expression {
    const cursor: Cursor = this.#cursor;
    const literal = { true: true, false: false, null: null }[word];
    if (literal !== undefined) return { kind: 'literal', value: literal, start, end: cursor.offset };
    if (cursor.looksAt('(')) {
      return this.#refuse(
        start,
        'hcl.function',
        `the function \`${word}()\` is not evaluated here`,
        word === 'file' || word === 'templatefile'
          ? 'write the content itself, as a heredoc `<<-EOT`'
          : 'write the value that results',
      );
    }
    const path = [word];
    while (cursor.take('.')) {
      const step = cursor.takeName() ?? cursor.takeNumber();
      if (step === undefined) cursor.fail('hcl.syntax', `expected a name after \`.\`, found ${cursor.found}`);
      path.push(step);
    }
    if (word === 'local' && path.length > 1) {
      return { kind: 'local', path: path.slice(1), start, end: cursor.offset };
    }
    const isReference = path.length > 1 || cursor.looksAt('[');
    return this.#refuse(
      start,
      'hcl.reference',
      isReference
        ? `the reference \`${path.join('.')}\` is not known here`
        : `\`${word}\` is no value; text needs quotes`,
      isReference ? 'write its value itself, or put it into a `locals` block' : `write \`"${word}"\``,
    );
  }

  #interpolation(opened: number): Expression {
    const cursor: Cursor = this.#cursor;
    cursor.skipSpace({ newlines: true });
    const value = this.#expression();
    cursor.skipSpace({ newlines: true });
    if (!cursor.take('}')) {
      cursor.fail(
        'hcl.interpolation',
        '`${` is never closed',
        'close it with `}`; for the two characters themselves write `$${`',
        opened,
      );
    }
    return value;
  }

  #list(): Expression {
    const cursor: Cursor = this.#cursor;
    const start = cursor.offset;
    cursor.take('[');
    cursor.skipSpace({ newlines: true });
    if (cursor.peekName() === 'for') return this.#refuseFor(start);
    const items: Expression[] = [];
    while (!cursor.take(']')) {
      this.#requireOpen(start, ']');
      items.push(this.#expression());
      cursor.skipSpace({ newlines: true });
      if (!cursor.take(',') && !cursor.looksAt(']')) {
        this.#requireOpen(start, ']');
        cursor.fail('hcl.syntax', `expected \`,\` or \`]\`, found ${cursor.found}`);
      }
      cursor.skipSpace({ newlines: true });
    }
    return { kind: 'list', items, start, end: cursor.offset };
  }

  #object(): Expression {
    const cursor: Cursor = this.#cursor;
    const start = cursor.offset;
    cursor.take('{');
    cursor.skipSpace({ newlines: true });
    if (!this.json && cursor.peekName() === 'for') return this.#refuseFor(start);
    const entries: Attribute[] = [];
    while (!cursor.take('}')) {
      this.#requireOpen(start, '}');
      entries.push(this.#entry());
      cursor.skipSpace({ newlines: false });
      const separated = cursor.take(',') || cursor.looksAt('\n') || cursor.looksAt('}');
      if (!separated) {
        this.#requireOpen(start, '}');
        cursor.fail('hcl.syntax', `expected a new line, \`,\` or \`}\`, found ${cursor.found}`);
      }
      cursor.skipSpace({ newlines: true });
    }
    return { kind: 'object', entries, start, end: cursor.offset };
  }

  #entry(): Attribute {
    const cursor: Cursor = this.#cursor;
    const start = cursor.offset;
    const name = cursor.looksAt('"') ? this.#key() : (cursor.takeName() ?? cursor.takeNumber());
    if (name === undefined) {
      cursor.fail(
        'hcl.syntax',
        `expected a key, found ${cursor.found}`,
        'keys are plain names or quoted text',
      );
    }
    const nameSpan = { start, end: cursor.offset };
    cursor.skipSpace({ newlines: this.json });
    if (!cursor.take('=') && !cursor.take(':')) {
      cursor.fail('hcl.syntax', `expected \`=\` after \`${name}\`, found ${cursor.found}`);
    }
    cursor.skipSpace({ newlines: this.json });
    return { name, nameSpan, value: this.#expression() };
  }

  #key(): string {
    const cursor: Cursor = this.#cursor;
    const start = cursor.offset;
    if (this.json) return jsonText(cursor);
    const key = quotedText(cursor, (opened) => this.#interpolation(opened));
    if (key.kind === 'literal' && typeof key.value === 'string') return key.value;
    cursor.fail('hcl.key', 'a key must be plain text', 'write the key that results', start);
  }

  #requireOpen(start: number, closing: string): void {
    const cursor: Cursor = this.#cursor;
    if (!cursor.atEnd) return;
    cursor.fail(
      'hcl.syntax',
      `\`${cursor.text[start]}\` is never closed`,
      `close it with \`${closing}\``,
      start,
    );
  }

  /** JSON has no operators. */
  get #goesOn(): boolean {
    return !this.json && operatorFollows(this.#cursor);
  }

  #refuseOperator(start: number): Expression {
    return this.#refuse(
      start,
      'hcl.operator',
      'this would have to be computed',
      'write the value that results',
    );
  }

  #refuseFor(start: number): Expression {
    this.#cursor.offset = start;
    return this.#refuse(
      start,
      'hcl.for',
      '`for` expressions are not evaluated here',
      'write the entries out one by one',
    );
  }

  #refuse(start: number, code: string, message: string, hint: string): Expression {
    this.#problems.push({ code, message, hint, offset: start });
    skipValue(this.#cursor);
    return { kind: 'refused', start, end: this.#cursor.offset };
  }
}
