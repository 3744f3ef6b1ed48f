/** A living cluster handed to Terraform and read back: nothing is to be done. */
import { expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { smallClusterForTests } from '../support/small-cluster.js';

const cluster = smallClusterForTests();

it('plans nothing from the export of a cluster, with a disk that came later', async () => {
  const made = await cluster.folder(undefined, {
    volumes: ['data: { type: disk, size: 2GiB }', 'aaa: { type: disk, size: 3GiB }'],
    worker: ', patches: [{ machine: { sysctls: { vm.swappiness: "1" } } }], labels: { rack: a }',
  });
  ended(await made.lab('apply', '--yes'));
  ended(await made.lab('export', 'tofu', '--live', '--out', 'tofu'));
  const plan = await made.lab('-c', 'tofu/terraform.tfvars', 'plan', '--exit-code');
  expect([plan.exit, plan.stdout]).toEqual([0, expect.stringContaining('No changes')]);
});
