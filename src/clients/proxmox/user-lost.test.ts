import { describe, expect, it } from 'vitest';
import { refused } from './classify.js';
import { DEFAULT_RETRY, mayRepeat } from './transport/retry.js';

describe('`500 user name not set` of pveproxy', () => {
  const asked = { method: 'PUT', path: '/pools', endpoint: 'https://pve1:8006', tokenId: 'a@pve!b' };
  const error = refused({ status: 500, message: 'user name not set\n' }, asked);

  it('is a code of its own: nothing was begun', () => {
    expect(error).toMatchObject({ code: 'proxmox.user-lost', mayHaveHappened: false });
  });

  it('is repeated at once for a read; a write is repeated by its step, which looks first', () => {
    expect(mayRepeat(error, 'GET', 1, DEFAULT_RETRY)).toBe(true);
    expect(mayRepeat(error, 'PUT', 1, DEFAULT_RETRY)).toBe(false);
  });
});
