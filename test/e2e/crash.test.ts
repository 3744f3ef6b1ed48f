import { describe, expect, it } from 'vitest';
import { smallCluster } from '../support/configs.js';
import { crashAfter } from '../support/crash.js';

describe('a run that is cut off', () => {
  // Every point is in test/exhaustive; these are spread over making data VMs, VMs, starts and the end.
  it.each([0, 7, 19, 31, 45, 58, 77, 96])(
    'after %i requests is set right by the next one',
    async (requests) => {
      const outcome = await crashAfter(requests, smallCluster());
      expect(outcome).toEqual({ cut: true, problems: [] });
    },
  );
});
