import { expect, it } from 'vitest';
import { clientOf, failureOf, labForTest } from '../../../../../test/support/clients/proxmox/lab.js';

const REFUSED = 'net0.model: property is missing and it is not optional';

it('refuses an empty network line before anything is made', async () => {
  const client = clientOf(await labForTest());
  const create = () => client.createVm('pve1', 100, { net0: '', scsi0: 'local-zfs:1' });
  const error = await failureOf(client.runTask(create));
  expect(error.code).toBe('proxmox.parameter');
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
