/** What Go's `encoding/json` says of a text that is no JSON. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return faultText(text, error instanceof Error ? error.message : '');
  }
}

const LITERALS = ['true', 'false', 'null'];

function faultText(text: string, message: string): string {
  const at = /at position (\d+)/.exec(message);
  const start = text.search(/\S/);
  if (start < 0 || (/end of JSON/i.test(message) && !at)) return 'unexpected end of JSON input';
  const literal = LITERALS.find((word) => word[0] === text[start]);
  if (literal) return literalFault(text.slice(start), literal);
  const index = at ? Number(at[1]) : start;
  const letter = text[index];
  if (letter === undefined) return 'unexpected end of JSON input';
  const before = text.slice(0, index).trimEnd();
  return `invalid character ${shown(letter)} ${placeAfter(before, letter)}`;
}

function shown(letter: string): string {
  return letter === "'" ? `'\\''` : `'${letter}'`;
}

/** `tree`: not what `true` goes on with. */
function literalFault(text: string, literal: string): string {
  const index = [...literal].findIndex((letter, position) => text[position] !== letter);
  const letter = text[index];
  if (index < 0 || letter === undefined) return 'unexpected end of JSON input';
  return `invalid character ${shown(letter)} in literal ${literal} (expecting '${literal[index]}')`;
}

function placeAfter(before: string, letter: string): string {
  const last = before.at(-1);
  if (before === '') return 'looking for beginning of value';
  if (last === '{') return 'looking for beginning of object key string';
  if (last === ',' && isInObject(before)) return 'looking for beginning of object key string';
  if (last === '[' || last === ':' || last === ',') return 'looking for beginning of value';
  if (last === '"' && isInObject(before) && letter !== ':')
    return isKey(before) ? 'after object key' : 'after object key:value pair';
  if (isDone(before)) return 'after top-level value';
  return isInObject(before) ? 'after object key:value pair' : 'after array element';
}

function isInObject(before: string): boolean {
  const open = before.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/[^[\]{}]/g, '');
  const stack: string[] = [];
  for (const letter of open) {
    if (letter === '{' || letter === '[') stack.push(letter);
    else stack.pop();
  }
  return stack.at(-1) === '{';
}

function isKey(before: string): boolean {
  return /[{,]\s*"(?:[^"\\]|\\.)*"$/.test(before);
}

function isDone(before: string): boolean {
  try {
    JSON.parse(before);
    return true;
  } catch {
    return false;
  }
}
