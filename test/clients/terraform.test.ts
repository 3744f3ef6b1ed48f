/** Terraform with the bpg provider on a served lab, where both are there (a plugin mirror in the CLI configuration). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missing, type ServedCluster, serveCluster } from './served-cluster.js';

const noTerraform = await missing('terraform', 'version');

describe.skipIf(noTerraform !== '')(`terraform${noTerraform}`, () => {
  let cluster: ServedCluster;
  let provider = false;
  const terraform = (...args: string[]) => cluster.run('terraform', [...args, '-no-color']);

  beforeAll(async () => {
    cluster = await serveCluster();
    const { endpoint, token } = cluster.ready();
    const write = (name: string, text: string) =>
      writeFileSync(join(cluster.path, name), text, { mode: 0o600 });
    write('main.tf', configuration(endpoint, token));
    write('vm.tf', VM);
    provider = (await terraform('init')).exit === 0;
  }, 240_000);
  afterAll(() => cluster?.close());

  it('builds a pool, an image and a VM, changes the VM, and takes all of it down', async (context) => {
    if (!provider) context.skip('the provider bpg/proxmox cannot be installed here');
    const apply = async (memory: number) => {
      const applied = await terraform('apply', '-auto-approve', `-var=memory=${memory}`);
      expect({ exit: applied.exit, stderr: applied.stderr }).toEqual({ exit: 0, stderr: '' });
      const again = await terraform('plan', '-detailed-exitcode', `-var=memory=${memory}`);
      expect(again.exit, again.stdout).toBe(0);
      return applied.stdout;
    };
    expect(await apply(2048)).toContain('Apply complete! Resources: 3 added, 0 changed, 0 destroyed.');
    expect(await apply(3072)).toContain('Apply complete! Resources: 0 added, 1 changed, 0 destroyed.');
    const destroyed = await terraform('destroy', '-auto-approve', '-var=memory=3072');
    expect(destroyed.exit, destroyed.stderr).toBe(0);
    expect(destroyed.stdout).toContain('Destroy complete! Resources: 3 destroyed.');
  }, 120_000);
});

function configuration(endpoint: string, token: string): string {
  return `terraform {
  required_providers {
    proxmox = { source = "bpg/proxmox" }
  }
}
provider "proxmox" {
  endpoint  = "${endpoint}"
  api_token = "${token}"
  insecure  = true
}
data "proxmox_virtual_environment_version" "now" {}
resource "proxmox_virtual_environment_pool" "one" {
  pool_id = "clients"
  comment = data.proxmox_virtual_environment_version.now.version
}
`;
}

/** As modules for Talos have it: a downloaded image, a disk imported from it, cloud-init. */
const VM = `variable "memory" { type = number }
resource "proxmox_virtual_environment_download_file" "talos" {
  node_name = "pve"
  datastore_id = "local"
  content_type = "import"
  url = "https://factory.talos.dev/image/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba/v1.14.1/nocloud-amd64.qcow2"
  file_name = "clients.qcow2"
}
resource "proxmox_virtual_environment_vm" "one" {
  name      = "clients"
  node_name = "pve"
  vm_id     = 4711
  pool_id   = proxmox_virtual_environment_pool.one.pool_id
  started   = false
  cpu { cores = 2 }
  memory { dedicated = var.memory }
  disk {
    datastore_id = "local-zfs"
    import_from  = proxmox_virtual_environment_download_file.talos.id
    interface    = "scsi0"
    size         = 20
  }
  network_device { bridge = "vmbr0" }
  initialization {
    datastore_id = "local-zfs"
    ip_config {
      ipv4 {
        address = "192.168.1.90/24"
        gateway = "192.168.1.1"
      }
    }
  }
}
`;
