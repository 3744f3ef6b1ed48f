/** Every command of docs/coming-from.md, tried on the lab in the order in which a person would need it. */
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { diskDrives } from '../../src/formats/proxmox/vm-config.js';
import { encryptSops } from '../../src/secrets/sops/file.js';
import { CliFolder, ended } from '../support/cli.js';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const PAGE = read('docs/coming-from.md');
const MODULE = read('test/fixtures/config/from-tfvars/base.tfvars')
  .replace('v1.36.0', 'v1.35.0')
  .replace('v1.14.1', 'v1.13.9');
const SCRATCH = '\nvolumes = { scratch = { type = "disk", size = "1G" } }\n';
const TOKEN = { TF_VAR_proxmox_api_token: 'a@pve!b=01234567-89ab-cdef-0123-456789abcdef' };

/** As the page has them: blocks, and commands in sentences and tables. */
function commandsOf(page: string): string[] {
  const found = [...page.matchAll(/^ {4}(oxherd .*)$|`(oxherd [^`]+)`/gm)];
  return [...new Set(found.map(([, block, inline]) => block ?? inline ?? ''))];
}

const tried = new Set<string>();

/** Runs what the page says, with names of this cluster in place of its words; `lab`, unless it says so itself. */
async function says(folder: CliFolder, text: string, args = text.split(' ').slice(1), env = TOKEN) {
  tried.add(text);
  const lab = args.includes('--lab') ? [] : ['--lab'];
  return ended(await folder.run([...lab, ...args], { env }));
}

function newFolder(): CliFolder {
  const folder = CliFolder.make();
  onTestFinished(() => folder.remove());
  return folder;
}

describe('from the Terraform module', () => {
  let folder: CliFolder;
  beforeAll(() => {
    folder = CliFolder.make();
    folder.write('terraform.tfvars', `${MODULE}${SCRATCH}`);
    folder.write(
      'schematic.yaml',
      'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n',
    );
  });
  afterAll(() => folder.remove());

  const config = () => readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8');
  const edit = (from: string | RegExp, to: string) => {
    expect(config()).toMatch(from);
    folder.config = config().replace(from, to);
  };

  it('its files are taken as they are', async () => {
    expect(await says(folder, 'oxherd -c terraform.tfvars validate')).toContain('1 control plane, 1 worker');
    expect(await says(folder, 'oxherd -c terraform.tfvars --lab plan')).toContain('create 4 VMs');
    expect(await says(folder, 'oxherd -c terraform.tfvars convert')).toContain('wrote oxherd.yaml');
    // With one control plane the API is away while it restarts.
    folder.config = `${config()}\npolicy: { outage: allow }\n`;
  });

  it('the old secrets are imported, and the cluster is built', async () => {
    folder.write('output.yaml', read('test/fixtures/secrets/talos-v1.13/secrets.yaml'));
    await says(folder, 'oxherd secrets import', ['secrets', 'import', 'output.yaml']);
    expect(await says(folder, 'oxherd doctor')).toMatch(/ 0 failures/);
    await says(folder, 'oxherd apply', ['apply', '--yes']);
    expect(await says(folder, 'oxherd status')).toContain('Healthy');
    expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
  });

  it('files, exports and backups', async () => {
    await says(folder, 'oxherd kubeconfig');
    await says(folder, 'oxherd talosconfig');
    const exports: readonly (readonly [string, string])[] = [
      ['qm', 'wwn='],
      ['manifests', 'kind:'],
      ['machineconfig', 'machine:'],
    ];
    for (const [name, words] of exports) {
      await says(folder, `oxherd export ${name}`, ['export', name, '--out', name]);
      const files = readdirSync(join(folder.path, name));
      expect(files.map((file) => readFileSync(join(folder.path, name, file), 'utf8')).join()).toContain(
        words,
      );
    }
    await says(folder, 'oxherd export tofu', ['export', 'tofu', '--out', 'plain']);
    await says(folder, 'oxherd export tofu --out DIR [--live]', [
      'export',
      'tofu',
      '--out',
      'tofu',
      '--live',
    ]);
    expect(existsSync(join(folder.path, 'tofu/imports.tf'))).toBe(true);
    for (const name of ['plain', 'tofu']) {
      const again = ['-c', `${name}/terraform.tfvars`, 'validate'];
      expect(await says(folder, 'oxherd -c DIR/terraform.tfvars', again)).toContain(
        '1 control plane, 1 worker',
      );
    }
    await says(folder, 'oxherd etcd backup');
    expect(await says(folder, 'oxherd volumes list')).toContain('worker1/scratch');
  });

  it('nodes change one by one, are replaced and upgraded', async () => {
    edit(/memory: 16GiB/, 'memory: 8GiB');
    await says(folder, 'oxherd apply --only NODE', ['apply', '--only', 'worker1', '--yes']);
    await says(folder, 'oxherd replace NODE', ['replace', 'worker1', '--yes']);
    await says(folder, 'oxherd upgrade --talos VERSION', [
      'upgrade',
      '--talos',
      'v1.14.1',
      '--yes',
      '--write',
    ]);
    await says(folder, 'oxherd upgrade --kubernetes VERSION', [
      'upgrade',
      '--kubernetes',
      'v1.36.0',
      '--yes',
      '--write',
    ]);
    expect(config()).toContain('v1.14.1');
    expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
  });

  it('volumes come back, are taken over and are deleted by name', async () => {
    // A disk that a restore has left beside its slot.
    const volid = await folder.withLab(async ({ hand, lab }) => {
      const drives = diskDrives(lab.proxmox.pve.db.vms.get('1420')?.config ?? {});
      const drive = drives.find(({ slot }) => slot === 'scsi2') ?? drives.at(-1);
      await hand.runTask(() => hand.stopVm('pve1', 142));
      await hand.updateVm('pve1', 1420, { set: { protection: '0' } });
      await hand.updateVm('pve1', 1420, { delete: [drive?.slot ?? ''] });
      await hand.allocVolume('pve1', 'local-zfs', {
        vmid: 9999,
        filename: 'vm-9999-pv-data',
        size: 1024 ** 3,
      });
      return drive?.file ?? '';
    });
    await says(folder, 'oxherd volumes adopt', ['volumes', 'adopt', 'worker1/scratch', volid]);
    await says(folder, 'oxherd apply', ['apply', '--yes']);

    edit(
      /^volumes:\n/m,
      'volumes:\n  pv-data: { type: proxmox-csi, size: 1GiB, host: pve1, storage: local-zfs }\n',
    );
    await says(folder, 'oxherd volumes adopt NAME VOLUME --confirm NAME', [
      'volumes',
      'adopt',
      'pv-data',
      'local-zfs:vm-9999-pv-data',
      '--confirm',
      'pv-data',
    ]);
    await says(folder, 'oxherd apply', ['apply', '--yes']);
    expect(ended(await folder.lab('volumes', 'list'))).toContain('pv-data');

    edit(/^ {2}scratch:(?: .*\n|\n(?: {4}.*\n)+)/m, '');
    await says(folder, 'oxherd apply', ['apply', '--yes']);
    await says(folder, 'oxherd volumes delete', [
      'volumes',
      'delete',
      'worker1/scratch',
      '--confirm',
      'worker1/scratch',
    ]);
    expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
    await says(folder, 'oxherd destroy', ['destroy', '--yes']);
  });
});

it('from nothing', async () => {
  const folder = newFolder();
  await says(folder, 'oxherd init');
  expect(ended(await folder.lab('validate'))).toContain('control plane');
});

it('from the cluster template', async () => {
  const folder = newFolder();
  const at = join(folder.path, 'path/to/folder');
  mkdirSync(at, { recursive: true });
  cpSync(fileURLToPath(new URL('../fixtures/config/from-template/reference', import.meta.url)), at, {
    recursive: true,
  });
  await says(folder, 'oxherd -c path/to/folder validate');
  await says(folder, 'oxherd -c path/to/folder convert');
  expect(ended(await folder.lab('-c', 'path/to/folder/oxherd.yaml', 'validate'))).toContain('control plane');
});

it('from talhelper and topf, with their secrets', async () => {
  const [talhelper, topf] = [newFolder(), newFolder()];
  talhelper.write(
    'talconfig.yaml',
    `clusterName: home
endpoint: https://10.0.30.30:6443
talosVersion: v1.13.2
kubernetesVersion: v1.35.2
nodes:
  - hostname: one
    ipAddress: 10.0.30.11
    controlPlane: true
    installDisk: /dev/sda
`,
  );
  await says(talhelper, 'oxherd convert talconfig.yaml');
  topf.write(
    'topf.yaml',
    `clusterName: home
clusterEndpoint: https://10.0.30.30:6443
kubernetesVersion: 1.35.2
nodes:
  - { host: one, ip: 10.0.30.11, role: control-plane }
`,
  );
  await says(topf, 'oxherd convert topf.yaml');
  for (const folder of [talhelper, topf])
    expect(readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8')).toContain('one');

  const identity = await generateX25519Identity();
  const secrets = await encryptSops(parse(read('test/fixtures/secrets/talos-v1.13/secrets.yaml')), {
    recipients: [await identityToRecipient(identity)],
    now: new Date(),
    random: (length) => randomBytes(length),
  });
  talhelper.write('talsecret.sops.yaml', secrets);
  const text = 'oxherd secrets import talsecret.sops.yaml';
  await says(talhelper, text, text.split(' ').slice(1), { ...TOKEN, ...{ SOPS_AGE_KEY: identity } });
});

it('every command of the page was tried', () => {
  expect([...tried].sort()).toEqual(commandsOf(PAGE).sort());
});
