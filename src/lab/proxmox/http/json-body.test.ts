import { expect, it } from 'vitest';
import { jsonProblem } from './json-body.js';

const NO_VALUE = 'malformed JSON string, neither tag, array, object, number, string or atom';

it.each([
  ['', `${NO_VALUE}, at character offset 0 (before "(end of string)")`],
  [
    '{"a":xyz, "and":"a very long thing"}',
    `${NO_VALUE}, at character offset 5 (before "xyz, "and":"a very l...")`,
  ],
  ['{"a":x€y\tz}', `${NO_VALUE}, at character offset 5 (before "x\\x{20ac}y\\tz}")`],
  ["{'a':1}", `'"' expected, at character offset 1 (before "'a':1}")`],
  ['{"a":1,}', `'"' expected, at character offset 7 (before "}")`],
  ['{"a" 1}', `':' expected, at character offset 5 (before "1}")`],
  ['{"a":1 2}', ', or } expected while parsing object/hash, at character offset 7 (before "2}")'],
  ['{"a":"ü"x', ', or } expected while parsing object/hash, at character offset 9 (before "x")'],
  ['[1 2]', ', or ] expected while parsing array, at character offset 3 (before "2]")'],
  ['{} x', 'garbage after JSON object, at character offset 3 (before "x")'],
  ['{"a":nul}', `'null' expected, at character offset 5 (before "nul}")`],
  [
    '{"a":01}',
    'malformed number (leading zero must not be followed by another digit), at character offset 6 (before "1}")',
  ],
  ['{"a":-}', 'malformed number (no digits after initial minus), at character offset 6 (before "}")'],
  ['{"a\\i":1}', 'illegal backslash escape sequence in string, at character offset 3 (before "\\\\i":1}")'],
  [
    '{"a',
    'unexpected end of string while parsing JSON string, at character offset 3 (before "(end of string)")',
  ],
])('says of %s what Perl says', (text, message) => expect(jsonProblem(text)).toBe(message));

it('finds nothing wrong with what JavaScript reads', () => {
  for (const value of [
    null,
    1,
    -1.5e-7,
    'a"\\\n\u0001é',
    [],
    [1, [2]],
    {},
    { a: { b: [true, false, null] } },
  ]) {
    expect(jsonProblem(` ${JSON.stringify(value, null, 1)} `)).toBeUndefined();
  }
});
