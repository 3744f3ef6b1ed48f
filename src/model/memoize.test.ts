import { describe, expect, it } from 'vitest';
import { memoize } from './memoize.js';

describe('memoize', () => {
  it('works once for each text, and forgets what was asked for longest ago', () => {
    const worked: string[] = [];
    const length = memoize((text) => {
      worked.push(text);
      return text.length;
    }, 2);
    expect(['a', 'bb', 'a', 'ccc', 'a', 'bb'].map(length)).toEqual([1, 2, 1, 3, 1, 2]);
    expect(worked).toEqual(['a', 'bb', 'ccc', 'bb']);
  });

  it('remembers no failure', () => {
    let fails = true;
    const work = memoize((text) => {
      if (fails) throw new Error('not yet');
      return text;
    });
    expect(() => work('a')).toThrow('not yet');
    fails = false;
    expect(work('a')).toBe('a');
  });
});
