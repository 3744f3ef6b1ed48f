/**
 * A cluster that oxherd made, handed to Terraform: the real provider imports everything, changes nothing, and oxherd has
 * nothing to do afterwards. Needs `terraform` and the provider bpg/proxmox, from a registry or, with
 * OXHERD_TERRAFORM_MIRROR, from a folder laid out as `terraform providers mirror` does it; skipped without them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { CliFolder, type CliResult, ended } from '../support/cli.js';
import { type SmallFile, smallFile } from '../support/small-file.js';

const MIRROR = process.env.OXHERD_TERRAFORM_MIRROR;

function environment(folder: CliFolder, more: Readonly<Record<string, string>> = {}) {
  if (MIRROR !== undefined) {
    folder.write(
      'mirror.tfrc',
      `provider_installation {\n  filesystem_mirror {\n    path = "${MIRROR}"\n  }\n}\n`,
    );
    more = { TF_CLI_CONFIG_FILE: join(folder.path, 'mirror.tfrc'), ...more };
  }
  return { PATH: process.env.PATH, HOME: folder.path, CHECKPOINT_DISABLE: '1', ...more };
}

/** The lab is in this process, so it must go on meanwhile. */
function terraform(folder: CliFolder, args: readonly string[], env: NodeJS.ProcessEnv): Promise<CliResult> {
  const child = spawn('terraform', args, { cwd: join(folder.path, 'tofu'), env });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ exit: code ?? -1, ...output }));
  });
}

/** What registers schematics is another provider; there is nothing to register here. */
function withoutTalosProvider(folder: CliFolder): void {
  const path = join(folder.path, 'tofu', 'main.tf');
  const text = readFileSync(path, 'utf8')
    .replace(/\n {4}talos = \{[\s\S]*?\n {4}\}/, '')
    .replace(/provider "talos" \{[\s\S]*?\n\}\n/, '')
    .replace(/resource "talos_image_factory_schematic"[\s\S]*?\n\}\n/, '')
    .replace(/ {2}depends_on = \[talos_image_factory_schematic.schematic\]\n/, '');
  expect(text).not.toContain('talos_image');
  writeFileSync(path, text);
}

const CASES: readonly (readonly [string, SmallFile])[] = [
  ['with a data VM', {}],
  [
    'with one disk',
    { cp: ', layout: single, disk: 12GiB', worker: ', layout: single, disk: 12GiB', volumes: [] },
  ],
  [
    'with more of everything',
    {
      worker:
        ', cores: 3, numa: true, tags: [a, b], vlan: 7, mtu: 1400, startup: { order: 3, up: 5 }, nics: [{ bridge: vmbr0, dhcp: true }]',
      volumes: ['data: { type: disk, size: 2GiB }', 'aaa: { type: disk, size: 3GiB }'],
    },
  ],
];

/** Why it cannot be tried here; absent: it can. */
let missing: string | undefined;
beforeAll(async () => {
  if (spawnSync('terraform', ['version']).status !== 0) missing = 'there is no terraform here';
  else {
    const folder = CliFolder.make();
    mkdirSync(join(folder.path, 'tofu'));
    folder.write(
      'tofu/main.tf',
      'terraform {\n  required_providers {\n    proxmox = {\n      source = "bpg/proxmox"\n    }\n  }\n}\n',
    );
    const { exit } = await terraform(folder, ['init', '-input=false'], environment(folder));
    if (exit !== 0) missing = 'the provider bpg/proxmox cannot be had here';
    folder.remove();
  }
  if (missing !== undefined) console.warn(`skipped: ${missing}`);
}, 120_000);

it.for(CASES)('a cluster %s', { timeout: 300_000 }, async ([, file], context) => {
  context.skip(missing !== undefined, missing);
  const folder = CliFolder.make(smallFile(file));
  onTestFinished(() => folder.remove());
  ended(await folder.lab('apply', '--yes'));
  ended(await folder.lab('export', 'tofu', '--live', '--out', 'tofu'));
  withoutTalosProvider(folder);
  ended(await terraform(folder, ['init', '-input=false', '-no-color'], environment(folder)));
  await folder.withLab(async ({ lab }) => {
    const env = environment(folder, {
      PROXMOX_VE_API_TOKEN: lab.token,
      TF_VAR_proxmox_api_url: lab.endpoint,
      TF_VAR_proxmox_insecure: 'true',
    });
    const vars = ['-var', `proxmox_api_url=${lab.endpoint}`, '-var', 'proxmox_insecure=true'];
    const before = JSON.stringify([...lab.proxmox.pve.db.vms.entries()]);
    const plan = await terraform(folder, ['plan', '-input=false', '-no-color', ...vars], env);
    expect([plan.exit, plan.stdout + plan.stderr]).toEqual([
      0,
      expect.stringMatching(/Plan: \d+ to import, 0 to add, 0 to change, 0 to destroy/),
    ]);
    ended(await terraform(folder, ['apply', '-input=false', '-auto-approve', '-no-color', ...vars], env));
    const again = await terraform(
      folder,
      ['plan', '-input=false', '-no-color', '-detailed-exitcode', ...vars],
      env,
    );
    expect([again.exit, again.stdout]).toEqual([0, expect.stringContaining('No changes')]);
    expect(JSON.stringify([...lab.proxmox.pve.db.vms.entries()])).toBe(before);
  });
  expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
  const read = await folder.lab('-c', 'tofu/terraform.tfvars', 'plan', '--exit-code');
  expect([read.exit, read.stdout]).toEqual([0, expect.stringContaining('No changes')]);
});
