import { expect, it } from 'vitest';
import { clientOf, failureOf, labForTest } from '../../../../../test/support/clients/proxmox/lab.js';

const REFUSED = "unable to parse value of 'net0' - format error";

it('refuses an empty network line when the config is written, and frees the disks made for it', async () => {
  const client = clientOf(await labForTest());
  const create = () => client.createVm('pve1', 100, { net0: '', scsi0: 'local-zfs:1' });
  const error = await failureOf(client.runTask(create));
  expect(error.code).toBe('proxmox.task-failed');
  expect(error.message).toContain(REFUSED);
  expect(await client.storageContent('pve1', 'local-zfs')).toEqual([]);
});

it('leaves the line that was there alone', async () => {
  const client = clientOf(await labForTest());
  await client.runTask(() => client.createVm('pve1', 100, { net0: 'virtio,bridge=vmbr0' }));
  const before = (await client.vmConfig('pve1', 100)).values.net0;
  expect((await failureOf(client.updateVm('pve1', 100, { set: { net0: '' } }))).message).toContain(REFUSED);
  expect((await client.vmConfig('pve1', 100)).values.net0).toBe(before);
});
