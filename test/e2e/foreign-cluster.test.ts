/** Clusters that something else made, described without touching them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { machineConfigMeaning } from '../../src/design/machine-config/meaning.js';
import { ended } from '../support/cli.js';
import { recordsOf } from '../support/cluster-records.js';
import { type ForeignCluster, foreignCluster } from '../support/foreign-cluster.js';
import { MODULE_SCHEMATIC, MODULE_TFVARS, recordedOfModule, SECRET } from '../support/module-cluster.js';
import { vmConfigs } from '../support/vm-configs.js';

/** All that Proxmox knows of the VMs. */
const stateOf = ({ folder }: ForeignCluster) =>
  folder.withLab(async ({ lab }) => JSON.stringify([...lab.proxmox.pve.db.vms.entries()]));

const NODES = ['ctrl-01.example.com', 'work-01.example.com'];

let built: ForeignCluster;
beforeAll(async () => {
  built = await foreignCluster('module');
});
afterAll(() => built.folder.remove());

/** What Proxmox or the provider makes up by itself; the recording leaves out that a VM is no template. */
function withoutOwn(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const { digest, meta, vmgenid, template, ...rest } = values;
  const random: Record<string, RegExp> = {
    smbios1: /uuid=[0-9a-f-]{36}/,
    net0: /BC:24:11:(?!00:00:01)[0-9A-F:]{8}/,
  };
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => {
      const made = random[key];
      return [key, made ? String(value).replace(made, 'RANDOM') : String(value)];
    }),
  );
}

function made(): ForeignCluster {
  const folder = built.folder.copy();
  onTestFinished(() => folder.remove());
  return { ...built, folder };
}

describe("the lab's cluster of the module", () => {
  it('has the VMs that were recorded of the module, key by key', async () => {
    const recorded: Record<string, Record<string, unknown>> = JSON.parse(recordedOfModule('vm-configs.json'));
    const there = await vmConfigs(built.folder);
    expect(Object.keys(there).sort()).toEqual(Object.keys(recorded).sort());
    for (const [vmid, values] of Object.entries(recorded)) {
      expect([vmid, withoutOwn(there[vmid] ?? {})]).toEqual([vmid, withoutOwn(values)]);
    }
    expect(new Set(Object.values(there).map(({ smbios1 }) => smbios1)).size).toBe(4);
  });

  it('has machines with the recorded configs, apart from the secrets', async () => {
    const { configs } = await recordsOf(built.folder);
    for (const { vmid, role } of built.config.nodes) {
      const meaning = machineConfigMeaning(recordedOfModule(`machineconfig-${role}.yaml`)).redacted;
      expect(machineConfigMeaning(configs[vmid] ?? '').redacted).toBe(meaning);
      expect(configs[vmid]).not.toContain(SECRET);
    }
  });
});

describe('init --from-cluster', () => {
  it('describes a cluster of the Terraform module, and changes nothing', async () => {
    const cluster = made();
    const { folder } = cluster;
    const before = await stateOf(cluster);
    const told = JSON.parse(
      ended(await folder.lab('--json', 'init', '--from-cluster', '--talosconfig', 'talosconfig')),
    );
    // The designed config of each machine is the one it has.
    expect(told).toMatchObject({ nodes: NODES, different: [] });
    const text = readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8');
    expect(text).not.toMatch(/BEGIN|LS0t/);
    expect(text.match(/uuid: [0-9a-f-]{36}/g)).toHaveLength(2);
    ended(await folder.lab('validate'));
    expect(await stateOf(cluster)).toBe(before);
    expect(text).toMatch(/data: \{ type: disk, size: 7GiB, on: all \}/);
    // Nothing is taken over by describing it.
    const plan = await folder.lab('plan');
    expect(plan.exit).toBe(1);
    expect(plan.stdout).toMatch(/VM id 1001 is taken/);
    expect(plan.stdout).not.toContain('--delete');
    expect(await stateOf(cluster)).toBe(before);
  });

  it('refuses to overwrite, and names a talosconfig that is not there', async () => {
    const { folder } = made();
    const none = await folder.lab('init', '--from-cluster', '--talosconfig', 'nothing');
    expect([none.exit, none.stderr]).toEqual([1, expect.stringContaining('nothing')]);
    folder.config = 'cluster: {}\n';
    const there = await folder.lab('init', '--from-cluster', '--talosconfig', 'talosconfig');
    expect([there.exit, there.stderr]).toEqual([1, expect.stringContaining('--force')]);
  });
});

describe('convert --live', () => {
  it("fits the module's variables to the machines, and names what is not the same cluster", async () => {
    const cluster = made();
    const { folder } = cluster;
    const before = await stateOf(cluster);
    folder.write('schematic.yaml', MODULE_SCHEMATIC);
    folder.write('terraform.tfvars', MODULE_TFVARS);
    const convert = ['--json', '-c', 'terraform.tfvars', 'convert', '--live', '--talosconfig', 'talosconfig'];
    const told = JSON.parse(ended(await folder.lab(...convert)));
    expect(told).toMatchObject({ nodes: NODES, different: [] });
    expect(readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8')).toMatch(/mac: BC:24:11/);
    folder.write('terraform.tfvars', MODULE_TFVARS.replace('vm_id = 1021', 'vm_id = 1022'));
    const other = await folder.lab(...convert, '--force');
    expect(other.exit).toBe(1);
    expect(other.stdout).toContain('work-01.example.com is VM 1021');
    expect(await stateOf(cluster)).toBe(before);
  });
});
