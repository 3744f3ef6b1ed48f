import { describe, expect, it } from 'vitest';
import { partOf } from '../../../../test/support/part-of.js';
import type { StepOf } from '../../../plan/steps.js';
import type { StepContext } from '../../support/context.js';
import { setAcl } from './set-acl.js';

const STEP = partOf<StepOf<'set-acl'>>({
  path: '/storage/local-zfs',
  role: 'csi',
  subject: { kind: 'user', id: 'csi@pve' },
  propagate: false,
});

async function granted(propagate: boolean): Promise<unknown[]> {
  const grants: unknown[] = [];
  const client = {
    acls: async () => [
      { path: '/storage/local-zfs', roleid: 'csi', ugid: 'csi@pve', type: 'user' as const, propagate },
    ],
    grant: async (change: unknown) => void grants.push(change),
  };
  await setAcl(STEP, partOf<StepContext>({ client }));
  return grants;
}

describe('a grant', () => {
  it('that is there as planned is not written again', async () => {
    expect(await granted(false)).toEqual([]);
  });

  it('that reaches the paths below, and should not, is written again', async () => {
    expect(await granted(true)).toMatchObject([{ path: '/storage/local-zfs', propagate: false }]);
  });
});
