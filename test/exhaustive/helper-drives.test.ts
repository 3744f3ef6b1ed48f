/** Helper drives that went while a VM was off, and a firmware that changes there and back. */
import { expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { converges, smallClusterForTests } from '../support/small-cluster.js';
import { smallFile } from '../support/small-file.js';

const small = smallClusterForTests();
const WORKER = 151;
const OUTAGE = 'policy: { outage: allow }\n';

it('a cloud-init drive that is gone comes back, and the system disk is replaced after that', async () => {
  const folder = await small.folder(async ({ hand, lab }) => {
    await hand.runTask(() => hand.stopVm('pve2', WORKER));
    await hand.updateVm('pve2', WORKER, { delete: ['ide2'] });
    await hand.runTask(() => hand.startVm('pve2', WORKER));
    await lab.clock.sleep(180_000);
    expect(lab.proxmox.pve.db.vms.get(String(WORKER))?.config.ide2).toBeUndefined();
  });
  ended(await folder.lab('replace', 'work-1', '--yes'));
  await converges(folder);
  expect(ended(await folder.lab('status'))).toMatch(/Healthy/);
  await small.nothingIsLost(folder, [await small.wwnAt(WORKER, 'scsi0')]);
});

it('slots that are all taken hold up a new system disk', async () => {
  const folder = await small.folder(async ({ hand }) => {
    await hand.runTask(() => hand.stopVm('pve2', WORKER));
    await hand.updateVm('pve2', WORKER, { delete: ['ide2'] });
    await hand.runTask(() =>
      hand.updateVmTask('pve2', WORKER, { set: { ide0: 'local-zfs:1', ide2: 'local-zfs:1' } }),
    );
  });
  const before = await folder.withLab(async ({ lab }) => lab.proxmox.pve.db.vms.get(String(WORKER))?.config);
  const refused = await folder.lab('replace', 'work-1', '--yes');
  expect(refused.exit).not.toBe(0);
  const after = await folder.withLab(async ({ lab }) => lab.proxmox.pve.db.vms.get(String(WORKER))?.config);
  expect(after?.scsi0).toBe(before?.scsi0);
});

it('another firmware and the former one each come with a new system disk; nothing of the other one stays', async () => {
  const folder = await small.folder(undefined, {
    worker: ', bios: ovmf',
    cp: ', bios: ovmf',
    more: OUTAGE,
  });
  await converges(folder);
  expect(ended(await folder.lab('status'))).toMatch(/Healthy/);
  folder.config = smallFile({ more: OUTAGE });
  await converges(folder);
  await folder.withLab(async ({ lab }) => {
    for (const vmid of ['141', '151']) {
      const config = lab.proxmox.pve.db.vms.get(vmid)?.config ?? {};
      expect(config.bios).toBe('seabios');
      expect(Object.keys(config).filter((key) => /^(efidisk|unused)\d/.test(key))).toEqual([]);
    }
  });
  await small.nothingIsLost(folder, [await small.wwnAt(141, 'scsi0'), await small.wwnAt(WORKER, 'scsi0')]);
});
