import { describe, expect, it } from 'vitest';
import { isMemberOf, isNodeObjectOf, nodeObjectNames, nodeObjectOf } from './node-names.js';

const pick = (node: string, ...objects: [string, boolean][]) =>
  nodeObjectOf(node, objects, { nameOf: ([name]) => name, isReady: ([, ready]) => ready })?.[0];

describe('what a node is called', () => {
  it('is its first label, or the whole name', () => {
    expect(nodeObjectNames('cp-1')).toEqual(['cp-1']);
    expect(nodeObjectNames('CP-1.example.com')).toEqual(['cp-1', 'cp-1.example.com']);
    expect(isNodeObjectOf('cp-1.example.com', 'cp-1')).toBe(true);
    expect(isNodeObjectOf('cp-1.example.com', 'cp-1.example.com')).toBe(true);
    expect(isNodeObjectOf('cp-1.example.com', 'cp-1.example')).toBe(false);
    expect(isNodeObjectOf('cp-1', 'cp-10')).toBe(false);
    expect(isMemberOf('cp-1.example.com', 'cp-1')).toBe(true);
    expect(isMemberOf('cp-1.example.com', 'cp-2')).toBe(false);
  });

  it('is the object that is Ready where there are two', () => {
    expect(pick('a.b', ['a', false], ['a.b', true], ['c', true])).toBe('a.b');
    expect(pick('a.b', ['a', true], ['a.b', false])).toBe('a');
    expect(pick('a.b', ['a', false])).toBe('a');
    expect(pick('a.b', ['c', true])).toBeUndefined();
  });
});
