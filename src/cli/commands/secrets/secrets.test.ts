import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { testContext } from '../../../../test/support/cli/context.js';
import { parseTalosDocuments } from '../../../formats/talos/talos-documents.js';
import { type CommandModule, EXIT, type GlobalOptions } from '../../context.js';
import * as exportMachineConfig from '../export/machineconfig.js';
import * as secretsExport from './export.js';
import * as secretsImport from './import.js';
import * as secretsInit from './init.js';
import * as rotateAdmin from './rotate-admin.js';

const FIXTURE = new URL('../../../../test/fixtures/secrets/talos-v1.13/secrets.yaml', import.meta.url);
const FILE = `
cluster: { name: homelab, env: dev, vip: 10.20.30.40, kubernetes: v1.36.0 }
talos:
  version: v1.14.1
  patches:
    all: ["apiVersion: v1alpha1\\nkind: VolumeConfig\\nname: EPHEMERAL\\nprovisioning:\\n  maxSize: 9GiB\\n"]
proxmox: { endpoint: "https://pve1.lan:8006", cluster: homelab, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp:   { role: controlplane, count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.30.41, vmid: 141 }
  work: { role: worker, count: 1, hosts: [pve1], ip: 10.20.30.51, vmid: 151 }
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-secrets-cli-'));
  writeFileSync(join(folder, 'oxherd.yaml'), FILE);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function call(
  command: CommandModule,
  {
    args = [],
    options = {},
    globals = {},
  }: { args?: string[]; options?: object; globals?: Partial<GlobalOptions> } = {},
): Promise<{ code: number; out: string; err: string }> {
  const { context, stdout, stderr } = testContext(folder, globals);
  const code = await command.run(context, { args, options: { ...options } });
  return { code, out: stdout(), err: stderr() };
}

const mode = (path: string): number => statSync(join(folder, path)).mode & 0o777;

describe('oxherd secrets', () => {
  it('init makes an encrypted file and an age key, once', async () => {
    const made = await call(secretsInit, { globals: { json: true } });
    expect(JSON.parse(made.out)).toMatchObject({
      path: join(folder, 'secrets.sops.yaml'),
      encrypted: true,
      newAgeKeyFile: join(folder, '.config/sops/age/keys.txt'),
    });
    expect([mode('secrets.sops.yaml'), mode('.config/sops/age/keys.txt')]).toEqual([0o600, 0o600]);
    await expect(call(secretsInit)).rejects.toMatchObject({ code: 'secrets.exists' });
  });

  it('import and export give back the same file', async () => {
    const imported = await call(secretsImport, { args: [FIXTURE.pathname] });
    expect(imported.out).toMatch(/^took in .*secrets\.sops\.yaml \(encrypted, cluster [0-9a-f]{8}\)$/m);
    await call(secretsExport, { options: { out: 'plain.yaml' } });
    expect(readFileSync(join(folder, 'plain.yaml'), 'utf8')).toBe(readFileSync(FIXTURE, 'utf8'));
    expect(mode('plain.yaml')).toBe(0o600);
    await expect(call(secretsExport, { options: { out: 'plain.yaml' } })).rejects.toMatchObject({
      code: 'file.exists',
    });
  });

  it('import takes the plain file that lies beside the config', async () => {
    writeFileSync(join(folder, 'secrets.yaml'), readFileSync(FIXTURE));
    expect((await call(secretsImport, { args: ['secrets.yaml'] })).code).toBe(EXIT.done);
  });

  it('import says what is wrong with a file', async () => {
    await expect(call(secretsImport, { args: ['nothing.yaml'] })).rejects.toMatchObject({
      code: 'secrets.none',
    });
    await expect(call(secretsImport, { args: ['oxherd.yaml'] })).rejects.toMatchObject({
      code: 'secrets.invalid',
    });
    expect(readdirSync(folder)).toEqual(['oxherd.yaml']);
  });

  it('rotate-admin writes both client files with new certificates', async () => {
    await call(secretsImport, { args: [FIXTURE.pathname] });
    const files = async (): Promise<[string, string]> => {
      const { out } = await call(rotateAdmin, { globals: { json: true } });
      const { talosconfig, kubeconfig } = JSON.parse(out);
      return [readFileSync(talosconfig, 'utf8'), readFileSync(kubeconfig, 'utf8')];
    };
    const [talosconfig, kubeconfig] = await files();
    expect(parse(talosconfig).contexts.homelab.endpoints).toEqual([
      '10.20.30.41',
      '10.20.30.42',
      '10.20.30.43',
    ]);
    expect(parse(kubeconfig)).toMatchObject({
      'current-context': 'admin@homelab',
      clusters: [{ cluster: { server: 'https://10.20.30.40:6443' } }],
    });
    expect(mode('.oxherd/homelab_dev/talosconfig')).toBe(0o600);
    expect((await files())[0]).not.toBe(talosconfig);
  });
});

describe('oxherd export machineconfig', () => {
  it('asks for secrets outside of the lab', async () => {
    await expect(call(exportMachineConfig, { options: { out: 'out' } })).rejects.toMatchObject({
      code: 'secrets.none',
    });
  });

  it('writes one private file per node and nothing else, and warns of patches that erase', async () => {
    const { code, out, err } = await call(exportMachineConfig, {
      options: { out: 'out' },
      globals: { lab: true },
    });
    expect(code).toBe(EXIT.done);
    expect(out).toBe('wrote 4 files to out\n');
    expect(err).toContain('cp-1, talos.patches.all');
    expect(err).toContain('erases provisioning.diskSelector.match');
    expect(readdirSync(join(folder, 'out')).sort()).toEqual([
      'cp-1.yaml',
      'cp-2.yaml',
      'cp-3.yaml',
      'work-1.yaml',
    ]);
    expect(mode('out/cp-1.yaml')).toBe(0o600);
    expect(mode('.oxherd/lab/homelab_dev/secrets.yaml')).toBe(0o600);
    const text = readFileSync(join(folder, 'out/work-1.yaml'), 'utf8');
    expect(parseTalosDocuments(text).map(({ kind }) => kind)).toContain('HostnameConfig');
    // The same again: the lab's secrets were kept.
    await call(exportMachineConfig, { options: { out: 'out' }, globals: { lab: true } });
    expect(readFileSync(join(folder, 'out/work-1.yaml'), 'utf8')).toBe(text);
  });
});
