import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanNetwork, fileAddress, fileComment } from './stored.js';

describe('what a firewall file keeps', () => {
  it('is a network without the bits behind its prefix', () => {
    expect(cleanNetwork('10.1.2.3/16')).toBe('10.1.0.0/16');
    expect(cleanNetwork('fd00:0:0:1::7/64')).toBe('fd00:0:0:1::/64');
    expect(cleanNetwork('10.1.2.3')).toBe('10.1.2.3');
  });

  it('is an address where the network has only one', () => {
    expect(fileAddress('10.5.5.5/32')).toBe('10.5.5.5');
    expect(fileAddress('fd00::5/128')).toBe('fd00::5');
    expect(fileAddress('fd00::/32')).toBe('fd00::/32');
  });

  it('is a comment without space around it, and none that is nothing to Perl', () => {
    expect(fileComment('  padded  ')).toEqual({ comment: 'padded' });
    expect(fileComment(' ')).toEqual({});
    expect(fileComment('0')).toEqual({});
  });

  it('does not change when it is written again', () => {
    const quad = fc.integer({ min: 0, max: 255 });
    const network = fc.tuple(quad, quad, quad, quad, fc.integer({ min: 1, max: 32 }));
    fc.assert(
      fc.property(network, ([a, b, c, d, length]) => {
        const kept = cleanNetwork(`${a}.${b}.${c}.${d}/${length}`);
        expect(cleanNetwork(kept)).toBe(kept);
      }),
    );
  });
});
