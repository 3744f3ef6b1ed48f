import { describe, expect, it } from 'vitest';
import { IMPACTS, parseImpact } from './impact.js';

describe('the impact of a step', () => {
  it('is read back by its word, whichever version wrote it', () => {
    for (const impact of IMPACTS) expect(parseImpact(impact)).toBe(impact);
    expect(parseImpact('network')).toBe('component');
    expect(parseImpact('anew')).toBe('reset');
    expect(parseImpact('sudden')).toBeUndefined();
  });
});
