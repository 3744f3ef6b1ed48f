import { describe, expect, it } from 'vitest';
import { type GrowingVolume, stillSmall } from './growing-volume.js';

const GIB = 1024 ** 3;
const growing: GrowingVolume = { id: 'u-scratch', name: 'scratch', from: GIB, atLeast: 1.9 * GIB };

describe('a volume that grows', () => {
  it('has grown when it is ready and larger than it was, and large enough', () => {
    expect(stillSmall([growing], [{ id: 'u-scratch', phase: 'ready', size: 2 * GIB }])).toEqual([]);
  });

  it('has not while it keeps its size, is not ready, or is missing', () => {
    const small = ['scratch has not grown'];
    expect(stillSmall([growing], [{ id: 'u-scratch', phase: 'ready', size: GIB }])).toEqual(small);
    expect(stillSmall([growing], [{ id: 'u-scratch', phase: 'ready', size: 1.5 * GIB }])).toEqual(small);
    expect(stillSmall([growing], [{ id: 'u-scratch', phase: 'waiting', size: 2 * GIB }])).toEqual([
      'scratch is waiting',
    ]);
    expect(stillSmall([growing], [])).toEqual(['scratch is missing']);
  });

  it('must be larger than it was, also where little would be enough', () => {
    const onSystemDisk = { ...growing, atLeast: 0.5 * GIB };
    expect(stillSmall([onSystemDisk], [{ id: 'u-scratch', phase: 'ready', size: GIB }])).toEqual([
      'scratch has not grown',
    ]);
  });
});
