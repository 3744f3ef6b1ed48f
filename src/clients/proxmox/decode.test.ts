import { describe, expect, it } from 'vitest';
import {
  asList,
  asNumber,
  asRecord,
  commaList,
  flag,
  number,
  optionalText,
  text,
  textValues,
} from './decode.js';

describe('answers', () => {
  it('give numbers as text and text as numbers', () => {
    const record = { memory: '2048', cores: 2, agent: 1, name: 'a', none: null };
    expect(number(record, 'memory')).toBe(2048);
    expect(text(record, 'cores')).toBe('2');
    expect(optionalText(record, 'none')).toBeUndefined();
    expect(asNumber('100', 'nextid')).toBe(100);
    expect(textValues(record)).toEqual({ memory: '2048', cores: '2', agent: '1', name: 'a' });
  });

  it('have 0 and 1 for booleans', () => {
    expect([1, '1', true, 0, '0', undefined].map((value) => flag({ value }, 'value'))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('leave out what is empty', () => {
    expect(asList(null, 'list', () => 1)).toEqual([]);
    expect(commaList({}, 'content')).toEqual([]);
    expect(commaList({ content: 'iso,images,' }, 'content')).toEqual(['images', 'iso']);
  });

  it('of another shape say which part', () => {
    expect(() => asRecord([], 'VM config')).toThrow('an object was expected (VM config)');
    expect(() => asList({}, 'nodes', () => 1)).toThrow('a list was expected (nodes)');
    expect(() => number({ size: 'big' }, 'size')).toThrow('a number was expected (size)');
    expect(() => text({}, 'node')).toThrow('text was expected (node)');
  });
});
