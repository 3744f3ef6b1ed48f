/** Every origin: the designed config of each machine is the one it has. */
import { expect, it, onTestFinished } from 'vitest';
import { ended } from '../../support/cli.js';
import { foreignCluster, ORIGINS } from '../../support/foreign-cluster.js';

it.each(ORIGINS)('init --from-cluster describes a cluster of %s', { timeout: 120_000 }, async (origin) => {
  const { folder, config } = await foreignCluster(origin);
  onTestFinished(() => folder.remove());
  const told = JSON.parse(
    ended(await folder.lab('--json', 'init', '--from-cluster', '--talosconfig', 'talosconfig')),
  );
  expect(told).toMatchObject({ nodes: config.nodes.map(({ name }) => name), different: [] });
  const virtio = told.notes.filter((note: string) => note.includes('cannot carry a WWN'));
  expect(virtio).toHaveLength(origin === 'bpg-virtio' ? 2 : 0);
});
