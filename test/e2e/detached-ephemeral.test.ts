/** A data disk that a person detached from a running VM: it is attached again, and the node comes back. */
import { expect, it } from 'vitest';
import { ended, type LabAccess } from '../support/cli.js';
import { drivesOf, smallClusterForTests } from '../support/small-cluster.js';

const small = smallClusterForTests();

async function detach(access: LabAccess, vmid: number, host: string): Promise<void> {
  const drive = drivesOf(access, vmid).find(({ file }) => file.includes(`:vm-${vmid}0-disk-0`));
  await access.hand.updateVm(host, vmid, { delete: [drive?.slot ?? ''] });
  await access.lab.clock.sleep(120_000);
}

it('a worker is restarted, since Talos mounts the disk at a boot only', async () => {
  const made = await small.folder((access) => detach(access, 151, 'pve2'));
  expect((await made.lab('plan')).stdout).toMatch(/restart VM 151[\s\S]*ephemeral was detached/);
  // A run that ended right after the disk was attached: the node is still down.
  await made.withLab(async ({ hand, lab }) => {
    const { scsi0 = '' } = (await hand.vmConfig('pve2', 1510)).values;
    await hand.updateVm('pve2', 151, { set: { scsi30: scsi0 } });
    await lab.clock.sleep(60_000);
  });
  expect((await made.lab('plan', '--exit-code')).exit).toBe(2);
  ended(await made.lab('apply', '--yes'));
  expect(ended(await made.lab('plan', '--exit-code'))).toMatch(/No changes/);
  ended(await made.lab('status'));
  await small.nothingIsLost(made);
});

it('the only control plane is started again after the command that the plan names', async () => {
  const made = await small.folder((access) => detach(access, 141, 'pve1'));
  const refused = await made.lab('apply', '--yes');
  expect(refused.exit).toBe(1);
  expect(refused.stdout).toMatch(/ephemeral was detached[\s\S]*qm stop 141; then oxherd/);
  await made.withLab(({ hand }) => hand.runTask(() => hand.stopVm('pve1', 141)));
  ended(await made.lab('apply', '--yes'));
  ended(await made.lab('status'));
  await small.nothingIsLost(made);
});
