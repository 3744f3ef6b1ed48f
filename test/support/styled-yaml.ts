/** YAML as people write it: flow and block, quotes, comments, odd indentation and trailing spaces, with the lines of each key. */
import fc from 'fast-check';
import { stringify } from 'yaml';

type Tree = string | number | boolean | null | readonly Styled[] | ReadonlyMap<string, Styled>;

interface Styled {
  readonly tree: Tree;
  readonly style: Style;
}

interface Style {
  readonly flow: boolean;
  readonly indent: number;
  readonly quote: 'none' | 'single' | 'double' | 'literal';
  readonly gap: number;
  readonly above: string;
  readonly behind: string;
  readonly blank: boolean;
}

export interface StyledText {
  readonly text: string;
  /** Each key and item with its path and the lines it stands on, first and last, from 0. */
  readonly places: readonly {
    readonly path: readonly (string | number)[];
    readonly lines: readonly [number, number];
    readonly tree: Tree;
    readonly inFlow: boolean;
  }[];
}

const style: fc.Arbitrary<Style> = fc.record({
  flow: fc.boolean(),
  indent: fc.integer({ min: 1, max: 5 }),
  quote: fc.constantFrom('none', 'single', 'double', 'literal'),
  gap: fc.integer({ min: 1, max: 4 }),
  above: fc.constantFrom('', '', '# renovate: x', '#tight, [a, b]', '# key: value'),
  behind: fc.constantFrom('', '', ' ', '   ', ' # why', '  #: x '),
  blank: fc.boolean(),
});

const KEYS = ['name', 'cp', 'work-1', 'a b', 'x.y', 'null', '007', 'yes', 'ä', '__proto__', 'hosts'];
const WORDS = [
  'pve1',
  'v1.36.0',
  'yes',
  '1.10',
  'a, b',
  '{x}',
  '# c',
  "it's",
  'two\nlines\n',
  ' lead',
  '"',
  'ä',
];

const scalar = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ maxLength: 8 }),
  fc.integer({ min: -9, max: 9999 }),
  fc.boolean(),
  fc.constant(null),
);

const { mapping } = fc.letrec<{ node: Styled; mapping: Styled }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ tree: scalar, style }),
    fc.record({ tree: fc.array(tie('node'), { maxLength: 3 }), style }),
    tie('mapping'),
  ),
  mapping: fc.record({
    tree: fc
      .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), tie('node')), {
        selector: ([key]) => key,
        minLength: 1,
        maxLength: 4,
      })
      .map((pairs): Tree => new Map(pairs)),
    style,
  }),
}));

export const styledYaml: fc.Arbitrary<StyledText> = fc
  .record({
    root: mapping,
    crlf: fc.boolean(),
    ends: fc.boolean(),
    head: fc.constantFrom('', '---', '# our cluster\n'),
  })
  .map(({ root, crlf, ends, head }) => {
    const writer = new Writer();
    if (head !== '') writer.lines.push(...head.split('\n'));
    writer.block({ tree: root.tree, style: { ...root.style, flow: false } }, 0, []);
    const lines = ends ? [...writer.lines, ''] : writer.lines;
    return { text: lines.join(crlf ? '\r\n' : '\n'), places: writer.places };
  });

class Writer {
  readonly lines: string[] = [];
  readonly places: StyledText['places'][number][] = [];

  /** A collection with its parts on lines of their own. */
  block({ tree, style }: Styled, column: number, path: readonly (string | number)[]): void {
    const pad = ' '.repeat(column);
    const parts: [string | number, Styled][] =
      tree instanceof Map ? [...tree] : (tree as readonly Styled[]).map((item, i) => [i, item]);
    for (const [key, part] of parts) {
      if (part.style.blank) this.lines.push(part.style.gap > 2 ? '  ' : '');
      if (part.style.above !== '') this.lines.push(`${pad}${part.style.above}`);
      const begin = this.lines.length;
      const at = this.places.length;
      const lead = typeof key === 'number' ? `${pad}-` : `${pad}${keyOf(key)}:`;
      this.#value(lead, part, column, [...path, key], style.indent);
      this.places.splice(at, 0, {
        path: [...path, key],
        lines: [begin, this.lines.length - 1],
        tree: part.tree,
        inFlow: false,
      });
    }
  }

  #value(
    lead: string,
    part: Styled,
    column: number,
    path: readonly (string | number)[],
    indent: number,
  ): void {
    const { tree, style } = part;
    const gap = ' '.repeat(style.gap);
    const behind = style.behind;
    if (isParts(tree) && !style.flow && sizeOf(tree) > 0) {
      this.lines.push(lead + behind);
      this.block(part, column + indent, path);
      return;
    }
    if (
      typeof tree === 'string' &&
      style.quote === 'literal' &&
      /^[^\s#][^\r]*\n$/.test(tree) &&
      !/\n\n/.test(tree)
    ) {
      const pad = ' '.repeat(column + indent);
      this.lines.push(`${lead}${gap}|${behind.startsWith(' ') && behind.includes('#') ? behind : ''}`);
      for (const line of tree.slice(0, -1).split('\n')) this.lines.push(pad + line);
      return;
    }
    if (tree === null && style.quote === 'none') {
      this.lines.push(lead + behind);
      return;
    }
    const begin = this.lines.length;
    this.lines.push(`${lead}${gap}${this.#flow(part, path, begin, false)}${behind}`);
  }

  #flow({ tree, style }: Styled, path: readonly (string | number)[], line: number, inFlow: boolean): string {
    if (!isParts(tree)) return scalarOf(tree, style, inFlow);
    const pad = style.quote === 'none' ? '' : ' ';
    const parts: [string | number, Styled][] =
      tree instanceof Map ? [...tree] : (tree as readonly Styled[]).map((item, i) => [i, item]);
    const texts = parts.map(([key, part]) => {
      this.places.push({ path: [...path, key], lines: [line, line], tree: part.tree, inFlow: true });
      const text = this.#flow(part, [...path, key], line, true);
      return typeof key === 'number' ? text : `${keyOf(key)}: ${text}`;
    });
    const inner = texts.join(style.gap > 2 ? ' ,  ' : ', ');
    const [open, close] = tree instanceof Map ? ['{', '}'] : ['[', ']'];
    return texts.length === 0 ? `${open}${close}` : `${open}${pad}${inner}${pad}${close}`;
  }
}

function isParts(tree: Tree): tree is readonly Styled[] | ReadonlyMap<string, Styled> {
  return tree instanceof Map || Array.isArray(tree);
}

function sizeOf(tree: readonly Styled[] | ReadonlyMap<string, Styled>): number {
  return tree instanceof Map ? tree.size : (tree as readonly Styled[]).length;
}

function keyOf(key: string): string {
  return /^[a-z][\w-]*$/.test(key) && !['null', 'yes'].includes(key) ? key : JSON.stringify(key);
}

function scalarOf(value: string | number | boolean | null, { quote }: Style, inFlow: boolean): string {
  if (typeof value !== 'string') return value === null && inFlow ? 'null' : String(value);
  if (quote === 'single' && !/[\r\n]/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  const plain = stringify([value], { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return quote === 'double' || plain.includes('\n')
    ? JSON.stringify(value)
    : plain.replace(/^\[\s*|\s*\]$/g, '');
}
