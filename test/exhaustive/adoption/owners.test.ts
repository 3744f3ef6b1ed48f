/** Whoever else manages the machines is told, with the command that releases them there, and nothing is written. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NODES } from '../../../src/clients/kubernetes/resources.js';
import { RESOURCES } from '../../../src/clients/talos/resources.js';
import { type CliFolder, ended } from '../../support/cli.js';
import { type ClusterAccess, withCluster } from '../../support/cluster.js';
import { recordsOf } from '../../support/cluster-records.js';
import { type ForeignCluster, foreignCluster } from '../../support/foreign-cluster.js';
import { vmConfigs } from '../../support/vm-configs.js';

const WORK = 'work-01.example.com';
/** As Kubernetes has it. */
const NODE = 'work-01';
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

describe('Cluster API in the cluster itself', () => {
  const DEFINITION = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'machines.cluster.x-k8s.io' },
    spec: {
      group: 'cluster.x-k8s.io',
      names: { kind: 'Machine', listKind: 'MachineList', plural: 'machines', singular: 'machine' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1beta1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
  /** As a cluster that manages itself has it. */
  const machine = (node: string) => ({
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'Machine',
    metadata: { name: 'theirs-abcde', namespace: 'default' },
    status: { nodeRef: { apiVersion: 'v1', kind: 'Node', name: node } },
  });

  const planted = async (work: (access: ClusterAccess) => Promise<unknown>): Promise<CliFolder> => {
    const folder = described();
    await withCluster(folder, '10.7.8.100:6443', work);
    return folder;
  };

  it('by its Machine object, until that names another node', async () => {
    const make = (node: string) =>
      planted(async ({ kubernetes, pass }) => {
        await kubernetes.apply(DEFINITION);
        await pass(30);
        await kubernetes.apply(machine(node));
      });
    const folder = await make(NODE);
    await refused(folder, `${WORK} is managed by Cluster API (Machine theirs-abcde)`);
    await refused(folder, 'kubectl patch cluster NAME --type merge');
    ended(await (await make('a-node-of-another-cluster')).lab('adopt', '--yes'));
  });

  it('by its annotation on the node', async () => {
    const folder = await planted(async ({ kubernetes }) => {
      const node = await kubernetes.get(NODES, NODE);
      expect(node).toBeDefined();
      await kubernetes.patch(
        NODES,
        NODE,
        { metadata: { annotations: { 'cluster.x-k8s.io/machine': 'theirs-md-0' } } },
        { kind: 'merge' },
      );
    });
    await refused(folder, `${WORK} is managed by Cluster API (Machine theirs-md-0)`);
  });
});

describe('Omni', () => {
  const LINK = {
    apiVersion: 'v1alpha1',
    kind: 'SideroLinkConfig',
    apiUrl: 'https://omni.example.com?jointoken=x',
  };

  it('by the machine config, before anything is described', { timeout: 120_000 }, async () => {
    const { folder } = await foreignCluster('module', { document: LINK });
    onTestFinished(() => folder.remove());
    const init = await folder.lab(...INIT);
    expect([init.exit, init.stderr]).toEqual([1, expect.stringContaining('omnictl cluster delete NAME')]);
  });

  it('by the machine config of one machine that joined it after the cluster was described', async () => {
    const folder = described();
    await withCluster(folder, '10.7.8.100:6443', async ({ talos }) => {
      const admin = talos.admin('10.7.8.21');
      const now = await admin?.get(RESOURCES.machineConfig, 'v1alpha1');
      await admin?.applyConfiguration(`${String(now?.spec)}---\n${JSON.stringify(LINK)}\n`, {
        mode: 'no-reboot',
      });
    });
    await refused(folder, `${WORK} is managed by Omni (SideroLinkConfig in its machine config)`);
    await refused(folder, 'omnictl cluster delete NAME');
  });

  it('by a tag of a VM', async () => {
    const folder = described();
    await addTag(folder, 'omni');
    await refused(folder, `${WORK} is managed by Omni (tag omni)`);
  });
});
