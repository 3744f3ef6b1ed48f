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
    writeFileSync(join(cluster.path, 'main.tf'), configuration(endpoint, token), { mode: 0o600 });
    provider = (await terraform('init')).exit === 0;
  }, 240_000);
  afterAll(() => cluster?.close());

  it('reads the version, and plans and applies a pool', async (context) => {
    if (!provider) context.skip('the provider bpg/proxmox cannot be installed here');
    const applied = await terraform('apply', '-auto-approve');
    expect({ exit: applied.exit, stderr: applied.stderr }).toEqual({ exit: 0, stderr: '' });
    expect(applied.stdout).toContain('Apply complete! Resources: 1 added, 0 changed, 0 destroyed.');
    expect((await terraform('plan', '-detailed-exitcode')).exit).toBe(0);
    expect((await terraform('destroy', '-auto-approve')).exit).toBe(0);
  });
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
