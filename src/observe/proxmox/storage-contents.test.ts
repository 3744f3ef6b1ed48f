import { expect, it } from 'vitest';
import { config, csiVolume, gib } from '../../../test/support/design/config.js';
import { partOf } from '../../../test/support/part-of.js';
import { emptyProxmox, everywhere } from '../../../test/support/plan/observed.js';
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import { design } from '../../design/design-cluster.js';
import type { Permissions } from '../../formats/proxmox/permissions.js';
import { known, unknown } from '../observed.js';
import { findVolume } from '../observed-volumes.js';
import { observeStorages } from './storage-contents.js';

const DESIGN = design(
  config({
    volumes: [csiVolume('pv', { size: gib(1), host: 'pve1', storage: 'local-zfs', format: 'raw' })] as never,
  }),
);
const OURS = [{ node: 'pve1', vmid: 141 }];

/** Whether a volume that the storage does not list is absent, for a token with these rights. */
async function missing(permissions: Permissions | undefined): Promise<string> {
  const client = partOf<ProxmoxClient>({ storageContent: async () => [] });
  const around = {
    storages: emptyProxmox().storages,
    permissions: permissions ? known(permissions) : unknown<Permissions>('500'),
  };
  const { volumes } = await observeStorages(client, DESIGN, OURS, around, () => true);
  return findVolume(volumes, 'pve1', 'local-zfs:vm-9999-pv').state;
}

const DISKS = { 'VM.Config.Disk': true };

it('a volume that is not listed is absent only for a token that would see it', async () => {
  expect(await missing(everywhere(['Datastore.Audit', 'VM.Config.Disk']))).toBe('absent');
  expect(await missing(everywhere(['Datastore.Allocate']))).toBe('absent');
  expect(await missing(everywhere(['Datastore.AllocateSpace', 'VM.Config.Disk']))).toBe('unread');
  expect(await missing(everywhere(['Datastore.Audit']))).toBe('unread');
  expect(await missing(undefined)).toBe('unread');
});

it('rights on single VMs suffice for their volumes, and not for those of other VMs', async () => {
  const audit = everywhere(['Datastore.Audit']);
  expect(await missing({ ...audit, '/vms/141': DISKS, '/vms/9999': DISKS })).toBe('absent');
  expect(await missing({ ...audit, '/vms/141': DISKS })).toBe('unread');
  // A right on /vms that does not propagate reaches no VM.
  expect(await missing({ ...audit, '/vms': { 'VM.Config.Disk': false } })).toBe('unread');
});
