/**
 * The one way YAML text is read. The library alone compares every key with every other, follows each alias through
 * the whole document, ends its stack on deep text and quotes source lines in its warnings and errors: here reading takes
 * time in proportion to the text, and an error says a place and nothing of what stands there.
 */
import {
  type Alias,
  Composer,
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParseOptions,
  Parser,
  type SchemaOptions,
} from 'yaml';

export type YamlOptions = Pick<DocumentOptions & SchemaOptions, 'version' | 'schema' | 'merge'> &
  Pick<ParseOptions, 'intAsBigInt'> & {
    /** Words, signs and stretches of white space. */
    readonly maxTokens?: number;
  };

/** For files that people write: three thousand nodes, one by one. It takes under a second. */
export const FEW_TOKENS = 200_000;
const MAX_TOKENS = 2_000_000;
const MAX_ERRORS = 200;

/** Deeper than any config, manifest or machine config. */
const MAX_DEPTH = 200;
/** Aliases of aliases grow without end. */
const MAX_VALUES = 1_000_000;
/** A bundle of custom resource definitions has 2 to 3 MB. */
const MAX_YAML_LENGTH = 16 * 1024 * 1024;

type YamlFault = 'syntax' | 'too-deep' | 'too-large' | 'alias' | 'key' | 'duplicate-key';

/** `message` holds nothing of the text; `detail`, in the library's words, may. */
export class YamlTextError extends Error {
  override readonly name = 'YamlTextError';
  constructor(
    readonly fault: YamlFault,
    readonly line: number,
    readonly column: number,
    problem: string,
    readonly detail: string = problem,
  ) {
    super(`${problem} (line ${line}, column ${column})`);
  }
}

class BoundedParser extends Parser {
  #tokens = 0;
  #errors = 0;

  constructor(
    onNewLine: (offset: number) => void,
    private readonly maxTokens: number,
  ) {
    super(onNewLine);
  }

  override *next(source: string) {
    // The rest of a text that has so many errors is no YAML.
    if (this.#errors >= MAX_ERRORS) return;
    for (const token of super.next(source)) {
      if (token.type === 'error') this.#errors += 1;
      yield token;
    }
    if (this.stack.length > MAX_DEPTH)
      throw new Limit('too-deep', 'the text is nested too deeply', this.offset);
    if (++this.#tokens > this.maxTokens) {
      const limit = `the text has more than ${this.maxTokens.toLocaleString('en')} words and signs`;
      throw new Limit('too-large', limit, this.offset);
    }
  }
}

class Limit extends Error {
  constructor(
    readonly fault: YamlFault,
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

export interface ComposedYaml {
  readonly documents: readonly Document.Parsed[];
  readonly placeOf: (offset: number) => { readonly line: number; readonly column: number };
}

/** A machine config is read as documents and then as values: the text of the last reading is not composed again. */
let last: { readonly text: string; readonly composed: ComposedYaml } | undefined;
/** What is kept has the size of a machine config, not that of a bundle of manifests. */
const MAX_KEPT_LENGTH = 256 * 1024;

/**
 * Documents with their errors, for readers that need places; `YamlTextError` where the text is too deep or too large. They are
 * shared: no one may change them.
 */
export function composeYaml(text: string, options: YamlOptions = {}): ComposedYaml {
  if (Object.keys(options).length > 0 || text.length > MAX_KEPT_LENGTH) return compose(text, options);
  if (last?.text !== text) last = { text, composed: compose(text, options) };
  return last.composed;
}

function compose(text: string, { maxTokens = MAX_TOKENS, ...options }: YamlOptions): ComposedYaml {
  const lines = new LineCounter();
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (text.length > MAX_YAML_LENGTH) {
    const limit = `the text is larger than ${MAX_YAML_LENGTH / 1024 / 1024} MiB`;
    throw new YamlTextError('too-large', 1, 1, limit);
  }
  const composer = new Composer({
    ...options,
    prettyErrors: false,
    logLevel: 'error',
    // Checked in `plainValue`, once per key.
    uniqueKeys: false,
  });
  const { stackTraceLimit } = Error;
  try {
    // Every error of the library would take its stack along, which takes longer than reading.
    Error.stackTraceLimit = 0;
    const parser = new BoundedParser(lines.addNewLine, maxTokens);
    return { documents: [...composer.compose(parser.parse(text), false, text.length)], placeOf };
  } catch (error) {
    if (!(error instanceof Limit)) throw error;
    const { line, column } = placeOf(error.offset);
    throw new YamlTextError(error.fault, line, column, error.message);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Every document as a plain value. */
export function readYamlDocuments(text: string, options: YamlOptions = {}): unknown[] {
  const { documents, placeOf } = composeYaml(text, options);
  return documents.map((document) => {
    const error = document.errors[0];
    if (error) {
      const { line, column } = placeOf(error.pos[0]);
      throw new YamlTextError('syntax', line, column, 'this is not YAML', error.message);
    }
    return plainValue(document, placeOf, options);
  });
}

/** The one document of a text; `null` where it is empty. */
export function readYaml(text: string, options: YamlOptions = {}): unknown {
  const [first = null, ...more] = readYamlDocuments(text, options);
  if (more.length > 0) throw new YamlTextError('syntax', 1, 1, 'there is more than one YAML document');
  return first;
}

/** What an alias of the document stands for: the last anchor of its name before it. */
export function anchorsOf(root: Node | null): (alias: Alias) => Node | undefined {
  const anchors = new Map<string, Node[]>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isPair(node)) waiting.push(node.value, node.key);
    // The last first: what is taken from the end comes in the order of the text.
    else if (isMap(node) || isSeq(node)) for (const item of [...node.items].reverse()) waiting.push(item);
    if (!isNode(node) || isAlias(node) || node.anchor === undefined) continue;
    const same = anchors.get(node.anchor);
    if (same) same.push(node);
    else anchors.set(node.anchor, [node]);
  }
  return ({ source, range }) => {
    const same = anchors.get(source) ?? [];
    let [low, high] = [0, same.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((same[middle]?.range?.[0] ?? 0) < (range?.[0] ?? 0)) low = middle + 1;
      else high = middle;
    }
    return same[low - 1];
  };
}

/** As the library's `toJS`, with limits and without its warnings, which quote keys. */
function plainValue(
  document: Document.Parsed,
  placeOf: ComposedYaml['placeOf'],
  { merge, version }: YamlOptions,
): unknown {
  const follow = anchorsOf(document.contents);
  const open = new Set<Node>();
  const merges = merge ?? version === '1.1';
  let values = 0;
  const refuse = (fault: YamlFault, node: Node | null, problem: string): never => {
    const { line, column } = placeOf(node?.range?.[0] ?? 0);
    throw new YamlTextError(fault, line, column, problem);
  };
  const plain = (node: unknown): unknown => {
    if (!isNode(node)) return null;
    if (++values > MAX_VALUES) refuse('too-large', node, `the text has more than ${MAX_VALUES} values`);
    if (isScalar(node)) return node.value;
    if (isAlias(node)) {
      const target = follow(node);
      return target && !open.has(target)
        ? plain(target)
        : refuse('alias', node, 'the alias has no anchor before it');
    }
    if (open.size > MAX_DEPTH) refuse('too-deep', node, 'the text is nested too deeply');
    open.add(node);
    const value = isSeq(node) ? node.items.map(plain) : isMap(node) ? mapping(node.items) : null;
    open.delete(node);
    return value;
  };
  const mapping = (pairs: readonly { readonly key: unknown; readonly value: unknown }[]): unknown => {
    const own = new Map<string, unknown>();
    const merged = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      if (!isScalar(key)) return refuse('key', isNode(key) ? key : null, 'a key must be plain text');
      const name = key.value === null ? '' : String(key.value);
      if (typeof key.value === 'symbol' || (merges && name === '<<' && key.type === 'PLAIN')) {
        for (const source of [plain(value)].flat(1))
          for (const [inner, given] of Object.entries(source ?? {}))
            if (!merged.has(inner)) merged.set(inner, given);
      } else if (own.has(name)) refuse('duplicate-key', key, 'a key stands twice in one mapping');
      else own.set(name, plain(value));
    }
    return Object.fromEntries([...merged, ...own]);
  };
  return plain(document.contents);
}
