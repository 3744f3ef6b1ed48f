import { describe, expect, it } from 'vitest';
import { partOf } from '../../test/support/part-of.js';
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { readContainer, readVm } from './read-vm.js';

describe('a guest without a parent', () => {
  it('is read with its snapshots: Proxmox removes the parent when the snapshot that was rolled back to is deleted', async () => {
    const client = partOf<ProxmoxReads>({
      vmPending: async () => ({ digest: '', entries: {} }),
      snapshots: async () => [{ name: 'b' }],
      vmConfig: async (_host, _vmid, options) => ({
        values: { name: `at ${options?.snapshot}` },
        digest: '',
      }),
    });
    expect((await readVm(client, 'pve1', 151)).snapshots).toEqual({ b: { name: 'at b' } });
  });

  it('is read with its snapshots, if it is a container', async () => {
    const client = partOf<ProxmoxReads>({
      containerPending: async () => ({ digest: '', entries: {} }),
      containerSnapshots: async () => ['b'],
      containerSnapshot: async () => ({ rootfs: 'local:subvol-7-disk-0' }),
    });
    expect((await readContainer(client, 'pve1', 7)).snapshots).toEqual({
      b: { rootfs: 'local:subvol-7-disk-0' },
    });
  });
});
