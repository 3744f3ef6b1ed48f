import { describe, expect, it } from 'vitest';
import { editDistance, suggest } from './suggest.js';

describe('suggest', () => {
  it.each([
    ['core', 'cores'],
    ['croes', 'cores'],
    ['disk_size', 'diskSize'],
    ['Memory', 'memory'],
    ['gatway', 'gateway'],
  ])('%s means %s', (word, meant) => {
    expect(suggest(word, ['cores', 'memory', 'diskSize', 'gateway', 'vip'])).toBe(meant);
  });

  it('keeps silent when nothing is near', () => {
    expect(suggest('flavour', ['cores', 'memory'])).toBeUndefined();
    expect(suggest('x', ['vip'])).toBeUndefined();
  });

  it('counts a swap as one slip', () => {
    expect(editDistance('croes', 'cores')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
  });
});
