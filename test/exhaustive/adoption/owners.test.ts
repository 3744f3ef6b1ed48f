/** Whoever else manages the machines is told, with the command that releases them there, and nothing is written. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CliFolder, ended } from '../../support/cli.js';
import { recordsOf } from '../../support/cluster-records.js';
import { type ForeignCluster, foreignCluster } from '../../support/foreign-cluster.js';
import { vmConfigs } from '../../support/vm-configs.js';

const INIT = ['init', '--from-cluster', '--talosconfig', 'talosconfig'];

let built: ForeignCluster;
beforeAll(async () => {
  built = await foreignCluster('module');
  ended(await built.folder.lab(...INIT));
}, 120_000);
afterAll(() => built.folder.remove());

function described(): CliFolder {
  const folder = built.folder.copy();
  onTestFinished(() => folder.remove());
  return folder;
}

async function refused(folder: CliFolder, words: string, args: readonly string[] = []): Promise<void> {
  const [before, records] = [await vmConfigs(folder), await recordsOf(folder)];
  const { exit, stdout, stderr } = await folder.lab('adopt', '--yes', ...args);
  expect([exit, stdout + stderr]).toEqual([1, expect.stringContaining(words)]);
  expect(await vmConfigs(folder)).toEqual(before);
  expect(await recordsOf(folder)).toEqual(records);
}

const addTag = (folder: CliFolder, tag: string) =>
  folder.withLab(async ({ hand }) => {
    const { values } = await hand.vmConfig('pve2', 1021);
    await hand.updateVm('pve2', 1021, { set: { tags: `${values.tags};${tag}` } });
  });

describe('Terraform', () => {
  const instance = (name: string, vmid: number) => ({ index_key: name, attributes: { vm_id: vmid } });
  const resource = (name: string, instances: readonly object[]) => ({
    module: 'module.talos',
    mode: 'managed',
    type: 'proxmox_virtual_environment_vm',
    name,
    instances,
  });
  const STATE = JSON.stringify({
    version: 4,
    resources: [
      resource('this', [instance('ctrl-01.example.com', 1001)]),
      resource('data_vm', [instance('ctrl-01.example.com', 10010)]),
    ],
  });
  const RELEASE = `terraform state rm 'module.talos.proxmox_virtual_environment_vm.this["ctrl-01.example.com"]' 'module.talos.proxmox_virtual_environment_vm.data_vm["ctrl-01.example.com"]'`;

  it('by the state beside oxherd.yaml, or by a named one, until the VMs are out of it', async () => {
    const folder = described();
    folder.write('terraform.tfstate', STATE);
    await refused(folder, RELEASE);
    folder.write('terraform.tfstate', JSON.stringify({ version: 4, resources: [] }));
    folder.write('pulled.json', STATE);
    await refused(folder, RELEASE, ['--state', 'pulled.json']);
    await refused(folder, 'there is no', ['--state', 'missing.json']);
    ended(await folder.lab('adopt', '--yes'));
  });

  it('by a tag, unless a person says that it has released them', async () => {
    const folder = described();
    await addTag(folder, 'terraform');
    await refused(folder, 'oxherd --lab adopt --released');
    ended(await folder.lab('adopt', '--yes', '--released'));
    expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
  });
});

it('Cluster API, by the tag of its VMs', async () => {
  const folder = described();
  await addTag(folder, 'go-proxmox+cluster-uuid');
  await refused(folder, 'kubectl patch cluster NAME --type merge');
  const init = await folder.lab(...INIT, '--force');
  expect([init.exit, init.stderr]).toEqual([1, expect.stringContaining('kubectl patch cluster NAME')]);
});

it('Omni, by the machine config', { timeout: 120_000 }, async () => {
  const { folder } = await foreignCluster('module', {
    document: {
      apiVersion: 'v1alpha1',
      kind: 'SideroLinkConfig',
      apiUrl: 'https://omni.example.com?jointoken=x',
    },
  });
  onTestFinished(() => folder.remove());
  const init = await folder.lab(...INIT);
  expect([init.exit, init.stderr]).toEqual([1, expect.stringContaining('omnictl cluster delete NAME')]);
});
