/** Values as HCL, formatted as `terraform fmt` does: `=` aligned over lines that follow each other. */

export type HclValue =
  | string
  | number
  | boolean
  | null
  | readonly HclValue[]
  | { readonly [key: string]: HclValue };

/** The text of one assignment, without a line end. */
interface Assignment {
  readonly name: string;
  readonly value: string;
}

/** `a = 1` lines. Text of several lines becomes a heredoc. */
export function printAttributes(values: Readonly<Record<string, HclValue>>, depth = 0): string {
  const printed = Object.entries(values).map(([key, value]) => ({
    name: isName(key) ? key : quoted(key),
    value: typeof value === 'string' && fitsHeredoc(value) ? heredoc(value, depth) : printValue(value, depth),
  }));
  return printAssignments(printed, depth);
}

/** The same of values that are HCL already. */
export function printAssignments(assignments: readonly Assignment[], depth: number): string {
  const pad = '  '.repeat(depth);
  return chains(assignments)
    .flatMap((chain) => {
      const width = Math.max(...chain.map(({ name }) => name.length));
      return chain.map(({ name, value }) => `${pad}${name.padEnd(width)} = ${value}\n`);
    })
    .join('');
}

/** A value of several lines stands for itself; the others that follow each other are aligned. */
function chains(assignments: readonly Assignment[]): readonly Assignment[][] {
  const result: Assignment[][] = [];
  let open: Assignment[] = [];
  for (const each of assignments) {
    if (!each.value.includes('\n')) {
      open.push(each);
      continue;
    }
    if (open.length > 0) result.push(open);
    result.push([each]);
    open = [];
  }
  return open.length > 0 ? [...result, open] : result;
}

function printValue(value: HclValue, depth: number): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoted(value);
  const pad = '  '.repeat(depth);
  if (isList(value)) {
    if (value.every((item) => item === null || typeof item !== 'object')) {
      return `[${value.map((item) => printValue(item, depth)).join(', ')}]`;
    }
    const items = value.map((item) => `${pad}  ${printValue(item, depth + 1)},\n`).join('');
    return `[\n${items}${pad}]`;
  }
  if (Object.keys(value).length === 0) return '{}';
  return `{\n${printAttributes(value, depth + 1)}${pad}}`;
}

function isList(value: HclValue): value is readonly HclValue[] {
  return Array.isArray(value);
}

function isName(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key);
}

export function quoted(text: string): string {
  const escaped = guarded(text)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${escaped}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** Text of lines whose indentation survives `<<-`: the first has none, and no line is only blanks. */
function fitsHeredoc(text: string): boolean {
  if (!text.endsWith('\n') || !/^\S/.test(text)) return false;
  return !/^[^\S\n]+$/m.test(text) && !CONTROL_BUT_LINE_ENDS.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a heredoc cannot hold
const CONTROL_BUT_LINE_ENDS = /[\u0000-\u0009\u000b-\u001f\u007f]/;

function heredoc(text: string, depth: number): string {
  let marker = 'EOT';
  while (text.includes(marker)) marker += '_';
  const pad = '  '.repeat(depth + 1);
  const lines = guarded(text.slice(0, -1))
    .split('\n')
    .map((line) => (line === '' ? '' : `${pad}${line}`));
  return `<<-${marker}\n${lines.join('\n')}\n${'  '.repeat(depth)}${marker}`;
}

/** `${` and `%{` would be templates. */
function guarded(text: string): string {
  // A function: in a replacement text `$$` would be one `$`.
  return text.replaceAll('${', () => '$${').replaceAll('%{', '%%{');
}
