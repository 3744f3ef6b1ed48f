/** Clusters on VMs that bpg or a person made, from their description to the end of their adoption. */
import { expect, it, onTestFinished } from 'vitest';
import { INIT, lives, virtioIsRefused } from '../../support/adopted-life.js';
import { ended } from '../../support/cli.js';
import { foreignCluster, ORIGINS } from '../../support/foreign-cluster.js';

const OTHERS = ORIGINS.filter((origin) => origin !== 'module');

it.each(OTHERS)('a cluster of %s', { timeout: 300_000 }, async (origin) => {
  const { folder } = await foreignCluster(origin);
  onTestFinished(() => folder.remove());
  ended(await folder.lab(...INIT));
  if (origin === 'bpg-virtio') await virtioIsRefused(folder);
  await lives(folder, 'v1.14.2');
  expect(ended(await folder.lab('--json', 'status'))).toContain('"healthy": true');
});
