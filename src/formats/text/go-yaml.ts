/**
 * YAML as Go's encoder writes it with an indent of four, byte for byte, for data whose hash is its identity.
 * Follows the scalar analysis and the indents of go.yaml.in/yaml; the recorded schematics are the test.
 */
export type GoYamlValue =
  | string
  | number
  | boolean
  | null
  | readonly GoYamlValue[]
  | { readonly [key: string]: GoYamlValue };

const INDENT = 4;

/** Block style; keys in the order given. Ends with a newline. */
export function printGoYaml(value: { readonly [key: string]: GoYamlValue }): string {
  return `${printMapping(value, 0)}\n`;
}

function printMapping(value: { readonly [key: string]: GoYamlValue }, indent: number): string {
  return Object.entries(value)
    .map(([key, item]) => `${printString(key, indent)}:${printAfterKey(item, indent)}`)
    .join(`\n${' '.repeat(indent)}`);
}

function printAfterKey(value: GoYamlValue, indent: number): string {
  if (!isCollection(value) || isEmpty(value)) return ` ${printInline(value, indent)}`;
  const inner = deeper(indent);
  return `\n${' '.repeat(inner)}${printBlock(value, inner)}`;
}

function printBlock(value: GoYamlValue, indent: number): string {
  if (isList(value)) {
    // What stands behind a dash starts two columns further on.
    return value
      .map((item) => `- ${isCollection(item) ? printBlock(item, indent + 2) : printInline(item, indent)}`)
      .join(`\n${' '.repeat(indent)}`);
  }
  return isCollection(value) && !isEmpty(value) ? printMapping(value, indent) : printInline(value, indent);
}

function printInline(value: GoYamlValue, indent: number): string {
  if (typeof value === 'string') return printString(value, indent);
  if (value === null || typeof value !== 'object') return String(value);
  return isList(value) ? '[]' : '{}';
}

/** Indents are whole multiples of the step, also below a list item. */
function deeper(indent: number): number {
  return INDENT * Math.floor((indent + INDENT) / INDENT);
}

function isList(value: GoYamlValue): value is readonly GoYamlValue[] {
  return Array.isArray(value);
}

function isCollection(
  value: GoYamlValue,
): value is readonly GoYamlValue[] | { readonly [key: string]: GoYamlValue } {
  return typeof value === 'object' && value !== null;
}

function isEmpty(value: readonly GoYamlValue[] | { readonly [key: string]: GoYamlValue }): boolean {
  return Object.keys(value).length === 0;
}

/** Strings that would be read back as something else, in YAML 1.1 or 1.2. */
const NOT_A_STRING = [
  /^(|~|null|Null|NULL|<<)$/,
  /^(true|True|TRUE|false|False|FALSE)$/,
  /^(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  /^[-+]?([0-9][0-9_]*|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+)$/,
  /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/,
  /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/,
  /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/,
  /^\d{4}-\d{1,2}-\d{1,2}([Tt ].*)?$/,
];

function printString(text: string, indent: number): string {
  if (NOT_A_STRING.some((pattern) => pattern.test(text))) return doubleQuoted(text);
  const spaceBeforeBreak = / \n/.test(text);
  const special = /[^\n\t\x20-\x7e\x85\xa0-\ud7ff\ud800-\udfff\ue000-\ufefe\uff00-\ufffd]/.test(text);
  if (text.includes('\n')) {
    const blockAllowed = !spaceBeforeBreak && !special && !text.endsWith(' ');
    return blockAllowed ? literal(text, deeper(indent)) : doubleQuoted(text);
  }
  if (special || text.includes('\t')) return doubleQuoted(text);
  return isPlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

function isPlain(text: string): boolean {
  if (/^ | $/.test(text)) return false;
  if (/^(---|\.\.\.)/.test(text)) return false;
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text)) return false;
  if (/^[-?:]( |$)/.test(text)) return false;
  return !/: |:$| #/.test(text);
}

function literal(text: string, indent: number): string {
  const indentHint = /^[ \n]/.test(text) ? String(INDENT) : '';
  const chomp = !text.endsWith('\n') ? '-' : text.endsWith('\n\n') || text === '\n' ? '+' : '';
  const lines = text.replace(/\n$/, '').split('\n');
  const body = lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`)).join('\n');
  return `|${indentHint}${chomp}\n${body}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
};

function doubleQuoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped here
  const escaped = text.replace(/[\x00-\x1f"\\\x7f\ufeff\ufffe\uffff]/g, (char) => {
    const code = char.charCodeAt(0);
    const hex = code.toString(16).toUpperCase();
    return ESCAPES[char] ?? (code < 256 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`);
  });
  return `"${escaped}"`;
}
