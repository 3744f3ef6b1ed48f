/** Reads the values of a variable file. What would have to be evaluated is refused, and reading goes on behind it. */
import { MAX_PROBLEMS } from '../report.js';
import type { Cursor } from './cursor.js';
import type { Attribute, Expression, HclProblem } from './hcl-syntax.js';
import { heredoc, jsonText, quotedText } from './hcl-template.js';
import { operatorFollows, skipValue } from './skip-value.js';

/** Deeper than any variable file; text such as `[[[[…` must not end the stack. */
const MAX_DEPTH = 64;
/** No cluster comes near this. */
export const MAX_VALUES = 200_000;

export class ExpressionReader {
  #depth = 0;
  #values = 0;

  constructor(
    private readonly cursor: Cursor,
    private readonly json: boolean,
    private readonly problems: HclProblem[],
  ) {}

  expression(): Expression {
    if (++this.#values > MAX_VALUES) {
      this.cursor.fail('hcl.too-large', `the file has more than ${MAX_VALUES.toLocaleString('en')} values`);
    }
    if (++this.#depth > MAX_DEPTH) {
      this.cursor.fail('hcl.too-deep', `the file is nested more than ${MAX_DEPTH} levels deep`);
    }
    const start = this.cursor.offset;
    const value = this.#primary();
    this.#depth--;
    return value.kind !== 'refused' && this.#goesOn ? this.#refuseOperator(start) : value;
  }

  #primary(): Expression {
    const cursor: Cursor = this.cursor;
    const start = cursor.offset;
    if (cursor.looksAt('"')) {
      if (!this.json) return quotedText(cursor, (opened) => this.#interpolation(opened));
      return { kind: 'literal', value: jsonText(cursor), start, end: cursor.offset };
    }
    if (cursor.looksAt('{')) return this.object();
    if (cursor.looksAt('[')) return this.#list();
    if (cursor.looksAt('<<')) return heredoc(cursor, (opened) => this.#interpolation(opened));
    const number = cursor.takeNumber();
    if (number !== undefined) return { kind: 'literal', value: Number(number), start, end: cursor.offset };
    const word = cursor.takeName();
    if (word === undefined) {
      if (cursor.looksAt('(') || cursor.looksAt('!') || cursor.looksAt('-')) {
        return this.#refuseOperator(start);
      }
      cursor.fail('hcl.syntax', `expected a value, found ${cursor.found}`);
    }
    return this.#word(word, start);
  }

  #word(word: string, start: number): Expression {
    const cursor: Cursor = this.cursor;
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
    const cursor: Cursor = this.cursor;
    cursor.skipSpace({ newlines: true });
    const value = this.expression();
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
    const cursor: Cursor = this.cursor;
    const start = cursor.offset;
    cursor.take('[');
    cursor.skipSpace({ newlines: true });
    if (cursor.peekName() === 'for') return this.#refuseFor(start);
    const items: Expression[] = [];
    while (!cursor.take(']')) {
      this.#requireOpen(start, ']');
      items.push(this.expression());
      cursor.skipSpace({ newlines: true });
      if (!cursor.take(',') && !cursor.looksAt(']')) {
        this.#requireOpen(start, ']');
        cursor.fail('hcl.syntax', `expected \`,\` or \`]\`, found ${cursor.found}`);
      }
      cursor.skipSpace({ newlines: true });
    }
    return { kind: 'list', items, start, end: cursor.offset };
  }

  object(): Expression {
    const cursor: Cursor = this.cursor;
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
    const cursor: Cursor = this.cursor;
    const start = cursor.offset;
    const name = cursor.looksAt('"') ? this.key() : (cursor.takeName() ?? cursor.takeNumber());
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
    return { name, nameSpan, value: this.expression() };
  }

  key(): string {
    const cursor: Cursor = this.cursor;
    const start = cursor.offset;
    if (this.json) return jsonText(cursor);
    const key = quotedText(cursor, (opened) => this.#interpolation(opened));
    if (key.kind === 'literal' && typeof key.value === 'string') return key.value;
    cursor.fail('hcl.key', 'a key must be plain text', 'write the key that results', start);
  }

  #requireOpen(start: number, closing: string): void {
    const cursor: Cursor = this.cursor;
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
    return !this.json && operatorFollows(this.cursor);
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
    this.cursor.offset = start;
    return this.#refuse(
      start,
      'hcl.for',
      '`for` expressions are not evaluated here',
      'write the entries out one by one',
    );
  }

  #refuse(start: number, code: string, message: string, hint: string): Expression {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ code, message, hint, offset: start });
    skipValue(this.cursor);
    return { kind: 'refused', start, end: this.cursor.offset };
  }
}
