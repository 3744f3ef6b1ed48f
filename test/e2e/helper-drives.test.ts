/** Cloud-init and EFI drives are part of a VM: one that is missing comes back, and no system disk goes before it is there. */
import { expect, it } from 'vitest';
import { type CliFolder, ended, type LabAccess } from '../support/cli.js';
import { converges, smallClusterForTests } from '../support/small-cluster.js';

const small = smallClusterForTests();
const WORKER = 151;

/** By hand, of a VM that runs: it waits for the next start. */
const removeCloudInit = ({ hand }: LabAccess) => hand.updateVm('pve2', WORKER, { delete: ['ide2'] });

const vmOf = (folder: CliFolder) =>
  folder.withLab(async ({ lab }) => ({ ...lab.proxmox.pve.db.vms.get(String(WORKER))?.config }));

it('a cloud-init drive that was removed by hand is in the plan, and comes back before the system disk is replaced', async () => {
  const folder = await small.folder(removeCloudInit);
  const shown = ended(await folder.lab('plan'));
  expect(shown).toMatch(/add the cloud-init drive to VM 151/);
  expect(shown).not.toMatch(/restart VM|No changes/);
  ended(await folder.lab('replace', 'work-1', '--yes'));
  expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(/No changes/);
  expect((await vmOf(folder)).ide2).toMatch(/vm-151-cloudinit/);
  await small.nothingIsLost(folder, [await small.wwnAt(WORKER, 'scsi0')]);
});

it('another firmware comes with a new system disk and an EFI disk', async () => {
  const folder = await small.folder(undefined, { worker: ', bios: ovmf' });
  const shown = ended(await folder.lab('plan'));
  expect(shown).toMatch(/create a new system disk for work-1/);
  expect(shown).toMatch(/bios seabios → ovmf/);
  await converges(folder);
  expect(await vmOf(folder)).toMatchObject({
    bios: 'ovmf',
    efidisk0: expect.stringMatching(/efitype=4m/),
  });
});
