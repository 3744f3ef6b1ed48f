/**
 * Reads the HCL of variable files. Terraform evaluates nothing in them; we take `locals` blocks too, because
 * examples and Terragrunt files have them. What would need Terraform to evaluate is refused where it stands,
 * with what to write instead, and reading goes on behind it.
 */
import { Cursor } from './cursor.js';
import { ExpressionReader } from './hcl-expressions.js';
import { type Attribute, type HclFile, type HclProblem, HclSyntaxError, type Span } from './hcl-syntax.js';
import { skipValue } from './skip-value.js';

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
  readonly #values: ExpressionReader;

  constructor(text: string, json: boolean) {
    this.#cursor = new Cursor(text);
    this.#values = new ExpressionReader(this.#cursor, json, this.#problems);
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
      const name = cursor.looksAt('"') ? this.#values.key() : cursor.takeName();
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
    const root = this.#values.object();
    cursor.skipSpace({ newlines: true });
    if (!cursor.atEnd) cursor.fail('hcl.syntax', `expected the end of the file, found ${cursor.found}`);
    if (root.kind === 'object') for (const entry of root.entries) this.#attributes.push(entry);
  }

  /** `name {` or `name "label" {` */
  #opensBlock(): boolean {
    const { text, offset } = this.#cursor;
    return /^(?:"[^"\n]*"[ \t]*)*\{/.test(text.slice(offset, offset + 200));
  }

  #block(name: string, nameSpan: Span): void {
    const cursor: Cursor = this.#cursor;
    if (name === 'locals' && cursor.looksAt('{')) {
      const block = this.#values.object();
      if (block.kind === 'object') for (const entry of block.entries) this.#locals.push(entry);
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
    const value = this.#values.expression();
    cursor.skipSpace({ newlines: false });
    if (!cursor.atEnd && !cursor.looksAt('\n')) {
      cursor.fail('hcl.syntax', `expected a new line, found ${cursor.found}`);
    }
    return { name, nameSpan, value };
  }
}
