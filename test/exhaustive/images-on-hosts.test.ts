/** A node on a host that oxherd.yaml does not name gets its new system disk from an image on that host. */
import { expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { smallClusterForTests } from '../support/small-cluster.js';

const small = smallClusterForTests();
const WORKER = 151;

it('is downloaded there before the node is drained', async () => {
  const folder = await small.folder();
  ended(await folder.lab('host', 'drain', 'pve2', '--move', 'work-1', '--accept-down', '--yes'));
  const shown = ended(await folder.lab('replace', 'work-1', '--yes'));
  expect(shown).toMatch(/download Talos v1\.14\.1 to local on pve3/);
  expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(/No changes/);
  await folder.withLab(async ({ lab }) => {
    expect(lab.proxmox.pve.db.vms.get(String(WORKER))?.host).toBe('pve3');
  });
});
