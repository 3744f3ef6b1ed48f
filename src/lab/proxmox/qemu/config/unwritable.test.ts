import { expect, it } from 'vitest';
import { clientOf, failureOf, labForTest } from '../../../../../test/support/clients/proxmox/lab.js';

const REFUSED = "unable to parse value of 'cpulimit' - type check ('number') failed - got '.5'";

it('refuses what the config file cannot hold when it is written, and frees the disks made for it', async () => {
  const client = clientOf(await labForTest());
  const create = () => client.createVm('pve1', 100, { cpulimit: '.5', scsi0: 'local-zfs:1' });
  const error = await failureOf(client.runTask(create));
  expect(error.code).toBe('proxmox.task-failed');
  expect(error.message).toContain(REFUSED);
  expect(await client.storageContent('pve1', 'local-zfs')).toEqual([]);
});

it('leaves what was there alone', async () => {
  const client = clientOf(await labForTest());
  await client.runTask(() => client.createVm('pve1', 100, { cpulimit: '1' }));
  const failure = await failureOf(client.updateVm('pve1', 100, { set: { cpulimit: '.5' } }));
  expect(failure.message).toContain(REFUSED);
  expect((await client.vmConfig('pve1', 100)).values.cpulimit).toBe('1');
});
