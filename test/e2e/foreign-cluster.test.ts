/** Clusters that something else made, described without touching them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ended } from '../support/cli.js';
import { type ForeignCluster, foreignCluster } from '../support/foreign-cluster.js';

/** All that Proxmox knows of the VMs. */
const stateOf = ({ folder }: ForeignCluster) =>
  folder.withLab(async ({ lab }) => JSON.stringify([...lab.proxmox.pve.db.vms.entries()]));

let built: ForeignCluster;
beforeAll(async () => {
  built = await foreignCluster('module');
});
afterAll(() => built.folder.remove());

function made(): ForeignCluster {
  const folder = built.folder.copy();
  onTestFinished(() => folder.remove());
  return { ...built, folder };
}

describe('init --from-cluster', () => {
  it('describes a cluster of the Terraform module, and changes nothing', async () => {
    const cluster = made();
    const { folder } = cluster;
    const before = await stateOf(cluster);
    const told = JSON.parse(
      ended(await folder.lab('--json', 'init', '--from-cluster', '--talosconfig', 'talosconfig')),
    );
    // The designed config of each machine is the one it has.
    expect(told).toMatchObject({ nodes: ['ctrl-01', 'work-01'], different: [] });
    const text = readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8');
    expect(text).not.toMatch(/BEGIN|LS0t/);
    expect(text.match(/uuid: [0-9a-f-]{36}/g)).toHaveLength(2);
    ended(await folder.lab('validate'));
    expect(await stateOf(cluster)).toBe(before);
    expect(text).toMatch(/data: \{ type: disk, size: 2GiB, on: all \}/);
    // Nothing is taken over by describing it.
    const plan = await folder.lab('plan');
    expect(plan.exit).toBe(1);
    expect(plan.stdout + plan.stderr).toMatch(/1001/);
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
  const TFVARS = `cluster = {
  gateway = "10.20.30.254", gateway_api_version = "v1.6.3", kubernetes_version = "v1.36.0", name = "theirs"
  proxmox_cluster = "rack"
}
image = { schematic_path = "schematic.yaml", version = "v1.14.1" }
proxmox = { cluster_name = "rack", endpoint = "https://pve1.lan:8006", insecure = true }
nodes = {
  ctrl-01 = { cpu = 2, host_node = "pve1", ip = "10.20.30.41", machine_type = "controlplane", ram_dedicated = 4096, vm_id = 1001, disk_size = 6 }
  work-01 = { cpu = 2, host_node = "pve2", ip = "10.20.30.51", machine_type = "worker", ram_dedicated = 4096, vm_id = 1021, disk_size = 6 }
}
volumes = { data = { type = "disk", size = "2G", machine_type = "all" } }
`;

  it("fits the module's variables to the machines, and names what is not the same cluster", async () => {
    const cluster = made();
    const { folder } = cluster;
    const before = await stateOf(cluster);
    folder.write(
      'schematic.yaml',
      'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n',
    );
    folder.write('terraform.tfvars', TFVARS);
    const convert = ['--json', '-c', 'terraform.tfvars', 'convert', '--live', '--talosconfig', 'talosconfig'];
    const told = JSON.parse(ended(await folder.lab(...convert)));
    expect(told).toMatchObject({ nodes: ['ctrl-01', 'work-01'], different: [] });
    expect(readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8')).toMatch(/mac: BC:24:11/);
    folder.write('terraform.tfvars', TFVARS.replace('vm_id = 1021', 'vm_id = 1022'));
    const other = await folder.lab(...convert, '--force');
    expect(other.exit).toBe(1);
    expect(other.stdout).toContain('work-01 is VM 1021');
    expect(await stateOf(cluster)).toBe(before);
  });
});
