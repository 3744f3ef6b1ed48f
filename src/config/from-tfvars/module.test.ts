/** Variable files of the module as a whole: volumes, other variables, JSON, the documented examples. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BASE, config, FILES, load } from '../../../test/support/config/from-tfvars/module-file.js';
import { design } from '../../design/design-cluster.js';
import { formatSize } from '../../model/size.js';
import { loadTfvars } from './load.js';
import { readVariables } from './read-variables.js';

const HERE = dirname(fileURLToPath(import.meta.url));

describe('the module’s volumes', () => {
  it.each([
    ['1Gi', '1GiB'],
    ['7GB', '7GiB'],
    ['7GiB', '7GiB'],
    ['50G', '50GiB'],
    ['2T', '2TiB'],
  ])('size %s is %s', (size, meant) => {
    const volume = config({ rest: `volumes = { a = { type = "disk", size = "${size}" } }` }).volumes[0];
    expect(volume?.type === 'disk' && formatSize(volume.size)).toBe(meant);
  });

  it('say where a partition is', () => {
    const placed = (place: string) =>
      config({ rest: `volumes = { a = { type = "partition", size = "5G", place = "${place}" } }` })
        .volumes[0];
    expect(placed('ephemeral')).toMatchObject({ type: 'partition', place: 'ephemeral' });
    expect(placed('disk')).toMatchObject({ type: 'partition', place: 'disk' });
  });

  it('a partition, which the module refuses, is one here', () => {
    expect(
      config({ rest: 'volumes = { a = { type = "partition", size = "5G" } }' }).volumes[0],
    ).toMatchObject({ type: 'partition', place: 'ephemeral' });
  });

  it('says what a type does not use', () => {
    const { diagnostics } = load({
      rest: 'volumes = { a = { type = "directory", size = "5G", datastore = "nfs" } }',
    });
    expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'tfvars.unused' }]);
  });
});

describe('what surrounds the variables', () => {
  it('is the same in JSON', () => {
    const { document } = readVariables([{ path: 'base.tfvars', name: 'base.tfvars', text: BASE }]);
    const text = JSON.stringify(document?.raw, null, 2);
    const { config: loaded, diagnostics } = loadTfvars({
      files: [{ path: 'terraform.tfvars.json', name: 'terraform.tfvars.json', text }],
      readText: (path) => FILES[path],
    });
    expect(diagnostics).toEqual([]);
    expect(loaded).toEqual(config());
  });

  it('takes the sealed-secrets key pair from its default place where it is there', () => {
    const place = 'assets/sealed-secrets/certificate/sealed-secrets';
    const { config: loaded } = load(
      {},
      { ...FILES, [`${place}.cert`]: 'certificate', [`${place}.key`]: 'key' },
    );
    expect(loaded?.kubernetes.sealedSecrets).toEqual({
      certificate: { path: `${place}.cert`, text: 'certificate' },
      key: { kind: 'file', path: `${place}.key` },
      generate: false,
    });
  });

  it('leaves variables of other modules alone, with a word about each', () => {
    const { config: loaded, diagnostics } = load({ rest: 'aws_region = "eu-central-1"' });
    expect(loaded).toBeDefined();
    expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'tfvars.variable', line: 40 }]);
  });

  it('says that a node is to be updated to nothing', () => {
    const { diagnostics } = load({ worker: '    update = true' });
    expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'tfvars.update' }]);
  });

  it('makes Cilium, the Gateway API and the access of the CSI driver, as the module always does', () => {
    const { kubernetes } = config();
    expect(kubernetes.cilium).toBeDefined();
    expect(kubernetes.gatewayApi?.channel).toBe('standard');
    expect(kubernetes.csi).toBeDefined();
  });
});

describe('the documented examples in one file', () => {
  const folder = join(HERE, '../../../test/fixtures/config/from-tfvars/documented');
  const readText = (path: string) => {
    try {
      return readFileSync(join(folder, path), 'utf8');
    } catch {
      return undefined;
    }
  };
  const text = readFileSync(join(folder, 'terraform.tfvars'), 'utf8');
  const { config: loaded, diagnostics } = loadTfvars({
    files: [{ path: 'terraform.tfvars', name: 'terraform.tfvars', text }],
    readText,
  });

  it('load, and say each thing once', () => {
    expect(diagnostics.map((each) => [each.severity, each.code])).toEqual([
      ['warning', 'tfvars.place'],
      ['warning', 'tfvars.place'],
      ['warning', 'tfvars.platform'],
      ['warning', 'tfvars.update'],
      ['warning', 'tfvars.update'],
      ['warning', 'tfvars.region'],
      ['warning', 'tfvars.ssh'],
    ]);
    expect(loaded?.cluster.extraManifests[1]?.url).toContain('/gateway-api/v1.3.0/config/');
    expect(loaded?.cluster.apiServer).toMatchObject({ extraArgs: { 'oidc-username-prefix': 'authelia:' } });
  });

  it('hold no secret once they are loaded', () => {
    expect(text).toContain('01234567-89ab');
    expect(JSON.stringify(loaded)).not.toContain('01234567-89ab');
  });

  it('lead to the module’s VMs', () => {
    if (!loaded) throw new Error('it did not load');
    const { nodes, csiVolumes } = design(loaded);
    expect(nodes.map((node) => [node.talosVm.vmid, node.dataVm?.vmid])).toEqual([
      [141, 1410],
      [142, 1420],
    ]);
    expect(nodes[1]?.drives.map((drive) => drive.name)).toEqual([
      'os',
      'ephemeral',
      'atest-disk2',
      'example',
      'longhorn',
      'test-disk1',
    ]);
    expect(nodes[1]?.talosVm.options).toMatchObject({
      cores: 4,
      cpu: 'custom-x86-64-v2-AES-AVX',
      hostpci0: 'mapping=iGPU,pcie=1,rombar=1,x-vga=0',
      net0: 'virtio=BC:24:11:2E:C8:02,bridge=mybridge,firewall=0,tag=123',
    });
    expect(csiVolumes.map((volume) => volume.volumeName)).toEqual([
      'vm-9876-_369e2201e3-bar',
      'vm-9999-_2b438672a8-foo',
    ]);
  });
});
