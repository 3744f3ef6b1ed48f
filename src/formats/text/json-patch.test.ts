import { describe, expect, it } from 'vitest';
import { applyJsonPatch, JsonPatchError, jsonPatchFrom } from './json-patch.js';

/** `undefined`: refused. */
function patched(document: unknown, operations: unknown): unknown {
  try {
    return applyJsonPatch(document, jsonPatchFrom(operations) ?? expect.fail('no JSON patch'));
  } catch (error) {
    if (error instanceof JsonPatchError) return undefined;
    throw error;
  }
}

/** JSON.parse makes a key of `__proto__`; a literal would set the prototype. */
const json = (text: string): unknown => JSON.parse(text);

describe('a JSON patch', () => {
  it('adds, replaces, removes, moves, copies and tests', () => {
    const before = { a: { 'x/y': 1, 'm~n': 8 }, list: [1, 2] };
    const done = patched(before, [
      { op: 'test', path: '/a/x~1y', value: 1 },
      { op: 'test', path: '/a/m~0n', value: 8 },
      { op: 'add', path: '/list/1', value: 9 },
      { op: 'add', path: '/list/-', value: 3 },
      { op: 'replace', path: '/a/x~1y', value: 2 },
      { op: 'move', from: '/a', path: '/b' },
      { op: 'copy', from: '/b', path: '/c' },
      { op: 'remove', path: '/b/m~0n' },
      { op: 'remove', path: '/list/0' },
    ]);
    expect(done).toEqual({ b: { 'x/y': 2 }, c: { 'x/y': 2, 'm~n': 8 }, list: [9, 2, 3] });
    expect(before).toEqual({ a: { 'x/y': 1, 'm~n': 8 }, list: [1, 2] });
  });

  it('takes the empty path for the document', () => {
    expect(patched({ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }])).toEqual({ b: 2 });
    expect(patched({ a: { b: 2 } }, [{ op: 'move', from: '/a', path: '' }])).toEqual({ b: 2 });
    expect(patched({ a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }])).toEqual({ a: 1 });
  });

  it('is as lenient as the library: replace adds a key, a missing key is null', () => {
    expect(patched({}, [{ op: 'replace', path: '/a', value: 1 }])).toEqual({ a: 1 });
    expect(patched({}, [{ op: 'test', path: '/a', value: null }])).toEqual({});
    expect(patched({}, [{ op: 'add', path: '/a' }])).toEqual({ a: null });
  });

  it.each([
    { op: 'test', path: '/a', value: 2 },
    { op: 'remove', path: '/nope' },
    { op: 'replace', path: '/nope/deep', value: 1 },
    { op: 'replace', path: '/list/1', value: 1 },
    { op: 'replace', path: '/list/-', value: 1 },
    { op: 'add', path: '/a/b/c', value: 1 },
    { op: 'add', path: '/list/2', value: 1 },
    { op: 'add', path: '/list/x', value: 1 },
    { op: 'add', path: '/list/x/y', value: 1 },
    { op: 'add', path: 'a', value: 1 },
    { op: 'move', from: '/nope', path: '/b' },
    { op: 'move', path: '/b' },
    { op: 'copy', from: '/list/7', path: '/b' },
    { op: 'move', from: '/object', path: '/object/inside' },
  ])('refuses %j', (operation) => {
    expect(patched({ a: 1, list: [0], object: {} }, [operation])).toBeUndefined();
  });

  it.each(['{"op":"add"}', '[{"op":"jump","path":"/a"}]', '[{"op":"add"}]', '[1]', '[{"path":"/a"}]'])(
    'is not %s',
    (text) => expect(jsonPatchFrom(json(text))).toBeUndefined(),
  );
});

describe('a JSON patch with names that all objects inherit', () => {
  it.each([
    { op: 'add', path: '/__proto__/polluted', value: 1 },
    { op: 'replace', path: '/__proto__/polluted', value: 1 },
    { op: 'add', path: '/constructor/prototype/polluted', value: 1 },
    { op: 'copy', from: '/a', path: '/__proto__/polluted' },
    { op: 'move', from: '/a', path: '/constructor/polluted' },
    { op: 'add', path: '/list/__proto__/polluted', value: 1 },
    { op: 'add', path: '/list/length', value: 9 },
    { op: 'remove', path: '/__proto__' },
    { op: 'remove', path: '/constructor' },
    { op: 'move', from: '/toString', path: '/b' },
    { op: 'test', path: '/__proto__/toString', value: null },
  ])('refuses %j, as the document has no such key', (operation) => {
    expect(patched({ a: 1, list: [0] }, [operation])).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(Object.hasOwn(Object, 'polluted')).toBe(false);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])('takes %s as an ordinary key', (key) => {
    const written = patched({}, [
      { op: 'test', path: `/${key}`, value: null },
      { op: 'add', path: `/${key}`, value: {} },
      { op: 'add', path: `/${key}/polluted`, value: 1 },
      { op: 'copy', from: `/${key}`, path: '/copy' },
    ]);
    expect(JSON.stringify(written)).toBe(`{"${key}":{"polluted":1},"copy":{"polluted":1}}`);
    expect(Object.getPrototypeOf(written)).toBe(Object.prototype);
    expect(patched(written, [{ op: 'remove', path: `/${key}` }])).toEqual({ copy: { polluted: 1 } });
    expect('polluted' in {}).toBe(false);
  });
});
