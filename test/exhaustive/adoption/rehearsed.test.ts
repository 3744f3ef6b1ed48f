/** An adoption is rehearsed like any other plan: with the request, the plan and the refusals that `adopt` itself has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { INIT } from '../../support/adopted-life.js';
import { type CliFolder, ended } from '../../support/cli.js';
import { type ForeignCluster, foreignCluster } from '../../support/foreign-cluster.js';
import { vmConfigs } from '../../support/vm-configs.js';

let built: ForeignCluster;
beforeAll(async () => {
  built = await foreignCluster('module');
  ended(await built.folder.lab(...INIT));
}, 120_000);
afterAll(() => built.folder.remove());

function described(): CliFolder {
  const folder = built.folder.copy();
  onTestFinished(() => folder.remove());
  return folder;
}

it('says what adopt will do, and adopts nothing', async () => {
  const folder = described();
  const before = await vmConfigs(folder);
  const { planId } = JSON.parse(ended(await folder.lab('--json', 'adopt', '--out', 'plan.json')));
  const { rehearsal } = JSON.parse(
    ended(await folder.lab('--json', 'rehearse', 'adopt', '--html', 'a.html')),
  );
  expect(rehearsal).toMatchObject({ planId, valid: true, outcome: 'done', away: [], broken: [], left: [] });
  // It takes no time, and is looked at all the same.
  expect(rehearsal).toMatchObject({ leastMargin: 0, apiAway: { '10.7.8.11': 0 } });
  expect(Object.keys(rehearsal.memory)).toEqual(['pve1', 'pve2']);
  const [writes] = rehearsal.steps.filter(({ kind }: { kind: string }) => kind === 'write-client-files');
  expect(writes.title).toBe(`write kubeconfig and talosconfig to ${join(folder.path, '.oxherd/lab/dev')}`);
  expect(readFileSync(join(folder.path, 'a.html'), 'utf8')).toContain('adopt VM 1001 (ctrl-01.example.com)');
  expect(await vmConfigs(folder)).toEqual(before);
});

it('is refused where adopt is, with the same advice', async () => {
  const folder = described();
  const vms = [{ type: 'proxmox_virtual_environment_vm', name: 'this', mode: 'managed' }];
  const instances = [{ attributes: { vm_id: 1001, node_name: 'pve1' } }];
  folder.write(
    'terraform.tfstate',
    JSON.stringify({ version: 4, resources: vms.map((vm) => ({ ...vm, instances })) }),
  );
  const { exit, stdout } = await folder.lab('rehearse', 'adopt');
  expect([exit, stdout]).toEqual([1, expect.stringContaining('The plan is refused:')]);
  expect(stdout).toContain('terraform state rm');
  const plain = await folder.lab('rehearse');
  expect([plain.exit, plain.stdout]).toEqual([1, expect.stringContaining('oxherd --lab adopt')]);
  expect(plain.stdout).not.toContain('The twin plans');
});
