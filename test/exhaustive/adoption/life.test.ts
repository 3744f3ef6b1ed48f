/** Clusters of the Terraform module, from their description to the end of their adoption. */
import { it, onTestFinished } from 'vitest';
import { INIT, lives } from '../../support/adopted-life.js';
import { ended } from '../../support/cli.js';
import { foreignCluster } from '../../support/foreign-cluster.js';
import { MODULE_SCHEMATIC, MODULE_TFVARS } from '../../support/module-cluster.js';

it('a cluster of the module, as it is found', { timeout: 300_000 }, async () => {
  const { folder } = await foreignCluster('module');
  onTestFinished(() => folder.remove());
  ended(await folder.lab(...INIT));
  await lives(folder, 'v1.12.6');
});

it('a cluster of the module, described by its own variables', { timeout: 300_000 }, async () => {
  const { folder } = await foreignCluster('module');
  onTestFinished(() => folder.remove());
  folder.write('schematic.yaml', MODULE_SCHEMATIC);
  folder.write('terraform.tfvars', MODULE_TFVARS);
  ended(await folder.lab('-c', 'terraform.tfvars', 'convert', '--live', '--talosconfig', 'talosconfig'));
  await lives(folder, 'v1.12.6');
});
