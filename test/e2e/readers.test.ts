/** People come with what they have, and every command works on it: the real command line on the lab. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.js';
import { readConfig } from '../../src/session/config/read-config.js';
import { resolveSecret } from '../../src/session/connect/resolve-secret.js';
import { CliFolder } from '../support/cli.js';
import { VmSite } from '../support/vm-site.js';

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const TOKEN = '01234567-89ab-cdef-0123-456789abcdef';

function folderWith(path: string): CliFolder {
  const folder = CliFolder.make();
  cpSync(fixture(path), folder.path, { recursive: true });
  return folder;
}

/** What `openssl req -x509 -newkey rsa` makes for sealed-secrets; no private key is kept with the tests. */
async function writeKeyPair(folder: CliFolder, path: string): Promise<void> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=sealed-secret',
    signingAlgorithm: algorithm,
    keys,
  });
  folder.write(`${path}.cert`, certificate.toString('pem'));
  folder.write(
    `${path}.key`,
    PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY'),
  );
}

function configIn(folder: CliFolder, config: string): Config {
  const { config: loaded } = readConfig({ cwd: folder.path, configPath: config });
  if (!loaded) throw new Error(`${config} does not load`);
  return loaded;
}

/** Text of every file below, but not of the lab and the source. */
function textBelow(path: string): string {
  return readdirSync(path)
    .map((name) => join(path, name))
    .map((file) => (statSync(file).isDirectory() ? textBelow(file) : readFileSync(file, 'utf8')))
    .join('\n');
}

describe('the documented examples of the Terraform module', () => {
  let folder: CliFolder;
  const source = ['-c', 'terraform.tfvars'];
  beforeAll(async () => {
    folder = folderWith('config/from-tfvars/documented');
    await writeKeyPair(folder, 'another/path/to/sealed-secrets');
  });
  afterAll(() => folder.remove());

  it('are valid, and say once what has no meaning any more', async () => {
    const { exit, stdout, stderr } = await folder.run([...source, 'validate']);
    expect(exit).toBe(0);
    expect(stdout).toContain('1 control plane, 1 worker, 6 volumes');
    expect(stderr.match(/SSH is no longer used/g)).toHaveLength(1);
    expect(stderr).not.toContain(TOKEN);
  });

  it('plan on the lab', async () => {
    const { exit, stdout } = await folder.lab(...source, 'plan', '--exit-code');
    expect(exit).toBe(2);
    for (const step of [
      'create data VM 1410',
      'create VM 141',
      'create data VM 1420',
      'create volume vm-9876-_369e2201e3-bar',
    ]) {
      expect(stdout).toContain(step);
    }
  });

  it('convert to a file that plans the same', async () => {
    const converted = await folder.run([...source, 'convert']);
    expect(converted).toMatchObject({ exit: 0, stdout: 'wrote oxherd.yaml; it loads to the same cluster\n' });
    expect(readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8')).not.toContain(TOKEN);
    expect(configIn(folder, 'oxherd.yaml')).toEqual(configIn(folder, 'terraform.tfvars'));
    const [before, after] = [
      await folder.lab(...source, 'plan', '--json'),
      await folder.lab('plan', '--json'),
    ];
    expect(after.stdout).toBe(before.stdout);
    const again = await folder.run([...source, 'convert']);
    expect(again.exit).toBe(1);
    expect(again.stderr).toContain('--force');
  });

  it('convert to another folder, with paths that still lead to the files', async () => {
    const { exit } = await folder.run([...source, 'convert', '--out', 'another/oxherd.yaml']);
    expect(exit).toBe(0);
    const moved = configIn(folder, 'another/oxherd.yaml');
    expect(moved.talos.schematic).toEqual(configIn(folder, 'terraform.tfvars').talos.schematic);
    expect(moved.proxmox.token).toMatchObject({ kind: 'tfvars', path: '../terraform.tfvars' });
  });

  it('lead to their token at the last moment, and to no other place', async () => {
    const { token } = configIn(folder, 'terraform.tfvars').proxmox;
    expect(await resolveSecret({ env: {} }, folder.path, token)).toBe(`terraform@pve!killertofu=${TOKEN}`);
    await folder.run([...source, 'export', 'tofu', '--out', 'out/tofu']);
    await folder.run([...source, 'export', 'qm', '--out', 'out/qm']);
    expect(textBelow(join(folder.path, 'out'))).not.toContain(TOKEN);
  });
});

describe('a folder of the cluster template', () => {
  let folder: CliFolder;
  beforeAll(() => {
    folder = folderWith('config/from-template/reference');
  });
  afterAll(() => folder.remove());

  it('plans on the lab, from the folder or from one of its files', async () => {
    const { exit, stdout } = await folder.lab('-c', '.', 'plan', '--exit-code');
    expect(exit).toBe(2);
    expect(stdout).toContain('create VM 2001 (talos-cplane-001) on pve');
    expect((await folder.run(['-c', 'cluster.yaml', 'validate'])).exit).toBe(0);
  });

  it('becomes the reference VM in the lab', async () => {
    const site = await VmSite.start(configIn(folder, '.'));
    const client = site.connect();
    try {
      const { result } = await site.apply(client);
      expect(result).toMatchObject({ outcome: 'done' });
      const { values } = await client.vmConfig('pve', 2001);
      const reference = readFileSync(fixture('export/template-2001.conf'), 'utf8');
      const lines = reference
        .split('\n')
        .filter((line) => /^\w+: /.test(line) && !/^(smbios1|vmgenid|meta)/.test(line));
      expect(lines.length).toBeGreaterThan(15);
      // What docs/coming-from.md lists as different: the WWN, our tag, the name and size of the ISO.
      const settled = (value: string) =>
        sortedOptions(
          value
            .replace(/,wwn=0x[0-9a-f]+/, '')
            .replace('oxherd_template;', '')
            .replace(/iso\/[^,]+\.iso/, 'iso/ISO')
            .replace(/(iso\/ISO,media=cdrom),size=\d+[KMG]$/, '$1'),
        );
      for (const line of lines) {
        const [key = '', ...rest] = line.split(': ');
        expect([key, settled(values[key] ?? 'missing')]).toEqual([key, settled(rest.join(': '))]);
      }
    } finally {
      await client.close();
      await site.lab.stop();
    }
  });

  it('converts to a file that loads to the same cluster', async () => {
    expect((await folder.run(['-c', '.', 'convert'])).exit).toBe(0);
    const written = configIn(folder, 'oxherd.yaml');
    expect((await folder.run(['-c', 'cluster.yaml', 'convert', '--out', '-'])).stdout).toContain(
      'profile: template',
    );
    expect(written).toEqual(configIn(folder, 'nodes.yaml'));
  });
});

/** Proxmox sorts the options of a drive; the volume stays in front. */
function sortedOptions(value: string): string {
  const [first = '', ...rest] = value.split(',');
  return [first, ...rest.sort()].join(',');
}

describe('a small cluster of the module, from its file to the way out', () => {
  let folder: CliFolder;
  const source = ['-c', 'base.tfvars,secret.tfvars'];
  beforeAll(async () => {
    folder = CliFolder.make();
    folder.write('base.tfvars', readFileSync(fixture('config/from-tfvars/base.tfvars'), 'utf8'));
    folder.write('secret.tfvars', `proxmox_api_token = "a@pve!b=${TOKEN}"\n`);
    folder.write(
      'schematic.yaml',
      'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n',
    );
    const applied = await folder.lab(...source, 'apply', '--yes');
    expect(applied.exit).toBe(0);
  });
  afterAll(() => folder.remove());

  it('has nothing to do after apply', async () => {
    expect((await folder.lab(...source, 'plan', '--exit-code')).exit).toBe(0);
  });

  it('is counted and drawn as it is', async () => {
    const capacity = JSON.parse((await folder.lab(...source, 'capacity', '--live', '--json')).stdout);
    expect(capacity.problems).toEqual([]);
    expect(capacity.hosts[0]).toMatchObject({
      name: 'pve1',
      cpus: expect.any(Number),
      memory: expect.any(Number),
    });
    expect(capacity.hosts[0].users.map((user: { name: string }) => user.name)).toEqual([
      'controller1',
      'worker1',
    ]);
    const graph = await folder.lab(...source, 'graph', '--live', '--format', 'svg');
    expect(graph.stdout).toContain('✓ controller1');
    expect(graph.stdout).toContain('control plane, VM 141<');
  });

  it('leaves for OpenTofu without a VM made again', async () => {
    expect((await folder.lab(...source, 'export', 'tofu', '--live', '--out', 'tofu')).exit).toBe(0);
    const imports = readFileSync(join(folder.path, 'tofu/imports.tf'), 'utf8');
    for (const id of ['pve1/141', 'pve1/1410', 'pve1/142', 'pve1/1420']) {
      expect(imports).toContain(`id = "${id}`);
    }
    // The provider would download an image again that it is given.
    expect(imports).not.toContain('local:import/');
    expect(existsSync(join(folder.path, 'tofu/modules/talos-vm/main.tf'))).toBe(true);
    expect(textBelow(join(folder.path, 'tofu'))).not.toContain(TOKEN);
  });

  it('reads what was exported as it stands', async () => {
    const { stdout } = await folder.lab('-c', 'tofu/terraform.tfvars', 'validate');
    expect(stdout).toContain('1 control plane, 1 worker');
  });
});

describe('capacity and graph from a file', () => {
  let folder: CliFolder;
  const config = fileURLToPath(new URL('../../examples/hyperconverged/oxherd.yaml', import.meta.url));
  beforeAll(() => {
    folder = CliFolder.make(readFileSync(config, 'utf8'));
  });
  afterAll(() => folder.remove());

  it('prints 36 vCPU and 88 GB, with 18 and 32 GB left', async () => {
    const { exit, stdout } = await folder.run(['capacity']);
    expect(exit).toBe(0);
    expect(stdout).toContain('prod-srv-01 (36 vCPU, 88 GB RAM)');
    expect(stdout).toMatch(/^Reserve +available +18 +32 GB/m);
  });

  it('refuses a fourth node of 40 GB', async () => {
    const text = readFileSync(config, 'utf8');
    folder.write(
      'four.yaml',
      text.replace(
        '\npolicy:',
        '  four: { role: worker, host: prod-srv-01, ip: 192.168.10.54, vmid: 204, memory: 40GiB }\n\npolicy:',
      ),
    );
    const { exit, stdout } = await folder.run(['-c', 'four.yaml', 'capacity']);
    expect(exit).toBe(1);
    expect(stdout).toContain('32 GB of 88 GB are left: 8 GB do not fit');
  });

  it('has nothing to convert in an oxherd.yaml', async () => {
    const { exit, stderr } = await folder.run(['convert']);
    expect(exit).toBe(1);
    expect(stderr).toContain('is an oxherd.yaml already');
  });

  it('draws to a file', async () => {
    expect((await folder.run(['graph', '--format', 'svg', '--theme', 'dark', '--out', 'a.svg'])).exit).toBe(
      0,
    );
    expect(readFileSync(join(folder.path, 'a.svg'), 'utf8')).toMatch(/^<svg xmlns/);
    expect((await folder.run(['graph'])).stdout).toMatch(/^graph TD\n/);
  });
});
