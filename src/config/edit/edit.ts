/** Changes to the user's file that leave every other byte as it is. */
import { type Document, isMap, isScalar, isSeq, parseDocument, Scalar, stringify } from 'yaml';
import { OxherdError } from '../../model/error.js';
import { formatPath, type Path } from '../yaml/position.js';

/**
 * Writes another value where a scalar stands, by its place in the text: comments, spaces and line ends
 * outside of it are not touched, which the Document API of `yaml` cannot promise.
 */
export function replaceScalar(text: string, path: Path, value: string | number | boolean): string {
  const document = parse(text);
  const node = document.getIn(path, true);
  if (!isScalar(node) || !node.range) throw notThere(path, 'a single value');
  const [start, end] = node.range;
  if (node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL) {
    throw notThere(path, 'a value on one line');
  }
  const edited = text.slice(0, start) + written(value, node.type, isInFlow(document, path)) + text.slice(end);
  verify(edited, path, value);
  return edited;
}

/** Adds a key to a mapping, or gives it another value. Comments stay; spacing inside that mapping may change. */
export function setKey(text: string, path: Path, value: unknown): string {
  const document = parse(text);
  const existing = document.getIn(path, true);
  if (isScalar(existing) && existing.range && isPlain(value)) return replaceScalar(text, path, value);
  if (path.length > 1 && document.hasIn(path.slice(0, -1)) && !isMap(document.getIn(path.slice(0, -1)))) {
    throw notThere(path.slice(0, -1), 'a mapping');
  }
  document.setIn(path, value);
  return print(document, text);
}

/** Takes a key out; a comment above it goes with it. */
export function removeKey(text: string, path: Path): string {
  const document = parse(text);
  if (!document.deleteIn(path)) throw notThere(path, 'a key');
  return print(document, text);
}

/** Gives each text of these lists to `change`: one that becomes empty is taken out, and a list without any with it. */
export function changeTexts(
  text: string,
  lists: readonly Path[],
  change: (item: string) => string,
): { readonly text: string; readonly changed: readonly Path[] } {
  const document = parse(text);
  const changed: Path[] = [];
  for (const path of lists) {
    const list = document.getIn(path, true);
    if (!isSeq(list)) continue;
    list.items = list.items.filter((item, i) => {
      if (!isScalar(item) || typeof item.value !== 'string') return true;
      const after = change(item.value);
      if (after === item.value) return true;
      changed.push([...path, i]);
      item.value = after;
      return after !== '';
    });
    if (list.items.length === 0) document.deleteIn(path);
  }
  return { text: changed.length === 0 ? text : print(document, text), changed };
}

function parse(text: string): Document.Parsed {
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    throw new OxherdError('config.edit', 'the config is not valid YAML, so it cannot be edited', {
      advice: 'look at it with `oxherd validate`',
    });
  }
  return document;
}

function print(document: Document.Parsed, text: string): string {
  const printed = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  return text.includes('\r\n') ? printed.replaceAll(/\r?\n/g, '\r\n') : printed;
}

function notThere(path: Path, what: string): OxherdError {
  return new OxherdError('config.edit', `\`${formatPath(path)}\` is not ${what} in oxherd.yaml`, {
    advice: 'edit oxherd.yaml yourself',
  });
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The quotes that the user chose stay. */
function written(value: string | number | boolean, type: Scalar.Type | undefined, inFlow: boolean): string {
  if (typeof value === 'string' && type === Scalar.QUOTE_SINGLE) return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'string' && type === Scalar.QUOTE_DOUBLE) return JSON.stringify(value);
  const plain = stringify(
    inFlow ? [value] : value,
    inFlow ? { collectionStyle: 'flow', lineWidth: 0 } : { lineWidth: 0 },
  );
  return inFlow ? plain.trim().replace(/^\[\s*|\s*\]$/g, '') : plain.trim();
}

function isInFlow(document: Document.Parsed, path: Path): boolean {
  return path.some((_, depth) => {
    const parent = document.getIn(path.slice(0, depth), true);
    return (isMap(parent) || isSeq(parent)) && parent.flow === true;
  });
}

/** What was written must read back, or nothing is changed. */
function verify(edited: string, path: Path, value: string | number | boolean): void {
  if (parse(edited).getIn(path) !== value) throw notThere(path, 'a value that can be replaced');
}
