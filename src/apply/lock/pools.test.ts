import { describe, expect, it } from 'vitest';
import type { VmResource } from '../../clients/proxmox/index.js';
import { claimedToken, claimPool, lockPools, poolsToHold } from './pools.js';

const CLUSTER = { name: 'home', env: 'dev' };
const vm = (tags: readonly string[]): VmResource => ({
  type: 'qemu',
  vmid: 151,
  node: 'pve1',
  name: undefined,
  status: 'running',
  tags,
  template: false,
  lock: undefined,
  pool: undefined,
  haState: undefined,
  cpus: undefined,
  memory: undefined,
  disk: undefined,
});

describe('the pools of a lock', () => {
  it('include that of version 0.1.0 while a VM has a tag of that version', async () => {
    const hold = (tags: readonly string[]) => poolsToHold({ vms: async () => [vm(tags)] }, CLUSTER);
    expect(await hold(['oxherd_home_dev'])).toEqual(['oxherd_home_dev.lock']);
    expect(await hold(['oxherd-home-dev'])).toEqual(['oxherd_home_dev.lock', 'oxherd-home-dev-lock']);
    expect(await hold([])).toEqual(lockPools(CLUSTER));
  });

  it('are told apart from claims to their holders, and from those of other locks', () => {
    const [pool] = lockPools(CLUSTER);
    expect(claimedToken(pool, claimPool(pool, '0123456789abcdef'))).toBe('0123456789abcdef');
    for (const other of [pool, `${pool}_`, `${pool}_x`, `${pool}_A123456789`, 'oxherd_home.lock_0123456789'])
      expect(claimedToken(pool, other)).toBeUndefined();
  });
});
