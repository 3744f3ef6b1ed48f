import { expect, it } from 'vitest';
import { partOf } from '../../test/support/part-of.js';
import { ProxmoxError } from '../clients/proxmox/errors.js';
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { VolumeUsers } from './interlock-users.js';

/** VM 152 is in every list, and its config is not there: it goes at the same moment, or is hidden. */
const users = (isFreeId: () => Promise<boolean>) =>
  new VolumeUsers(
    partOf<ProxmoxReads>({
      vms: async () => [{ type: 'qemu' as const, vmid: 152, node: 'pve2' }],
      resources: async () => ({ storages: [{ node: 'pve1', storage: 'nfs', shared: true }] }),
      snapshots: async () => {
        throw new ProxmoxError('proxmox.not-found', 'Configuration file does not exist');
      },
      isFreeId,
    }),
    undefined,
  );
const unread = (isFreeId: () => Promise<boolean>) =>
  users(isFreeId).unread('pve1', ['nfs:1510/vm-1510-disk-0.raw'], [1510]);

it('a guest that is removed at the same moment uses nothing on a shared storage', async () => {
  expect(await unread(async () => true)).toBeUndefined();
});

it('a guest that cannot be read and whose id is taken may use it, and so may one whose id nothing tells of', async () => {
  expect(await unread(async () => false)).toBe('VM 152 on pve2');
  expect(await unread(() => Promise.reject(new ProxmoxError('proxmox.host-down', 'no answer')))).toBe(
    'VM 152 on pve2',
  );
});
