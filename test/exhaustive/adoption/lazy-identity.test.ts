/** Between the adoption and the first stop and start of a VM: what waits for the identities of its disks, and what brings them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type CliFolder, ended } from '../../support/cli.js';
import { recordsOf } from '../../support/cluster-records.js';
import { foreignCluster } from '../../support/foreign-cluster.js';
import { vmConfigs } from '../../support/vm-configs.js';

const [CTRL, WORK] = ['ctrl-01.example.com', 'work-01.example.com'];

let built: CliFolder;
beforeAll(async () => {
  built = (await foreignCluster('module')).folder;
  ended(await built.lab('init', '--from-cluster', '--talosconfig', 'talosconfig'));
  ended(await built.lab('adopt', '--yes'));
}, 120_000);
afterAll(() => built.remove());

function adopted(edit: (config: string) => string = (text) => text): CliFolder {
  const folder = built.copy();
  onTestFinished(() => folder.remove());
  folder.config = `${edit(readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8'))}policy: { outage: allow }\n`;
  return folder;
}

async function waiting(folder: CliFolder): Promise<string[]> {
  const { conditions } = JSON.parse(ended(await folder.lab('--json', 'status')));
  return conditions
    .filter(({ name }: { name: string }) => name === 'disk-identity')
    .map(({ subject, message }: Record<string, string>) => `${subject} ${message?.match(/^\d+/)?.[0]}`);
}

async function refused(folder: CliFolder, ...args: string[]): Promise<void> {
  const [configs, records] = [await vmConfigs(folder), await recordsOf(folder)];
  const { exit, stdout, stderr } = await folder.lab(...args);
  expect([args, exit, stdout + stderr]).toEqual([args, 1, expect.stringMatching(/oxherd --lab restart \S+/)]);
  expect(await vmConfigs(folder)).toEqual(configs);
  expect(await recordsOf(folder)).toEqual(records);
}

it('refuses to replace a node, to move it and to delete data', async () => {
  const folder = adopted();
  expect(await waiting(folder)).toEqual([`${CTRL} 3`, `${WORK} 3`]);
  await refused(folder, 'replace', WORK, '--yes');
  await refused(folder, 'destroy', '--delete-data', '--confirm', 'dev', '--yes');
  await refused(
    adopted((text) => text.replace('host: pve2', 'host: pve3')),
    'apply',
    '--yes',
  );
});

it('makes the reboot of a roll a stop and start of the VM', async () => {
  const folder = adopted((text) =>
    text.replace(/^talos:\n/m, 'talos:\n  patches: { worker: [{ machine: { env: { A: b } } }] }\n'),
  );
  const { starts } = await recordsOf(folder);
  expect(ended(await folder.lab('plan'))).toContain('VM 1021 is stopped and started');
  ended(await folder.lab('apply', '--yes'));
  const after = (await recordsOf(folder)).starts;
  expect([after['1001'], after['1021'] !== starts['1021']]).toEqual([starts['1001'], true]);
  expect(await waiting(folder)).toEqual([`${CTRL} 3`]);
  expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(
    /3 disks get their identity[\s\S]*No changes/,
  );
  // It has what was missing: the node can be replaced now.
  ended(await folder.lab('replace', WORK, '--yes'));
  expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
});

it('is done by a restart, after which nothing is refused', async () => {
  const folder = adopted();
  ended(await folder.lab('restart', CTRL, WORK, '--yes'));
  expect(await waiting(folder)).toEqual([]);
  const undo = await folder.lab('adopt', '--undo');
  expect(undo.stdout).not.toContain('has been changed since');
  folder.config = readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8').replace('host: pve2', 'host: pve3');
  ended(await folder.lab('apply', '--yes'));
  expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
});
