/** The YAML parser's errors in words for people who edit a config. */

const HINTS: Readonly<Record<string, readonly [code: string, message: string | undefined, hint?: string]>> = {
  TAB_AS_INDENT: ['yaml.tab', 'a tab is used as indentation', 'indent with spaces'],
  BAD_INDENT: ['yaml.indent', undefined, 'keys of one mapping start in the same column'],
  MULTIPLE_DOCS: [
    'yaml.documents',
    'a second document starts here',
    'a config is one document: remove the `---`',
  ],
  TAG_RESOLVE_FAILED: ['yaml.tag', undefined, 'write the value without a tag'],
  MISSING_CHAR: ['yaml.syntax', undefined, 'look for a missing quote, comma, colon or bracket'],
  BAD_ALIAS: ['yaml.alias', undefined],
  UNEXPECTED_TOKEN: ['yaml.syntax', undefined, 'quote text that holds `: `, `#`, `{`, `[`, `*`, `&` or `!`'],
};

export function yamlProblem(code: string, message: string): { code: string; message: string; hint?: string } {
  // The parser catches the end of its own stack.
  if (/call stack/i.test(message)) return { code: 'yaml.too-deep', message: 'the file is nested too deeply' };
  const unclosed = /end with a ([\]}])/.exec(message)?.[1];
  if (unclosed !== undefined) {
    const opened = unclosed === '}' ? '{' : '[';
    return {
      code: 'yaml.syntax',
      message: `a \`${opened}\` before this is not closed`,
      hint: `add the \`${unclosed}\``,
    };
  }
  const [ours, words, hint] = HINTS[code] ?? ['yaml.syntax', undefined];
  return { code: ours, message: words ?? `this is not YAML: ${lowerFirst(message)}`, ...(hint && { hint }) };
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
