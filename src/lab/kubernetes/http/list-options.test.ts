import { expect, it } from 'vitest';
import { duplicateFields } from './go-json.js';
import { checkListOptions } from './list-options.js';

it.each([
  ['limit=few', false, 'strconv.ParseInt: parsing "few": invalid syntax'],
  ['resourceVersionMatch=Exact', false, 'is forbidden unless resourceVersion is provided'],
  ['resourceVersion=0&resourceVersionMatch=Exact', false, 'is forbidden for resourceVersion "0"'],
  ['resourceVersion=5&continue=x', false, 'specifying resource version is not allowed when using continue'],
  ['sendInitialEvents=true', false, 'sendInitialEvents is forbidden for list'],
  ['sendInitialEvents=true', true, 'requires setting resourceVersionMatch to NotOlderThan'],
  ['resourceVersionMatch=NotOlderThan', true, 'is forbidden for watch unless sendInitialEvents'],
])('%s is refused (watch: %s)', (query, watching, message) => {
  expect(() => checkListOptions(new URLSearchParams(query), watching)).toThrow(message);
});

it.each(['resourceVersion=5&resourceVersionMatch=Exact', 'limit=5', 'continue=x&resourceVersion=0', ''])(
  'a list with %s is fine',
  (query) => expect(() => checkListOptions(new URLSearchParams(query), false)).not.toThrow(),
);

it('fields that a body names twice are found at every depth', () => {
  expect(duplicateFields('{"a":1,"b":[{"c":1,"c":2}],"a":{"d":"{\\"d\\"","d":2}}')).toEqual([
    'b[0].c',
    'a',
    'a.d',
  ]);
});
