/** A cluster that something else made: described, taken over without a restart, upgraded, after which every disk has its identity. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type CliFolder, ended } from '../../support/cli.js';
import { foreignCluster } from '../../support/foreign-cluster.js';
import { startsOf, vmConfigs } from '../../support/vm-configs.js';

async function withoutIdentity(folder: CliFolder): Promise<unknown[]> {
  const { conditions } = JSON.parse(ended(await folder.lab('--json', 'status')));
  return conditions.filter(({ name }: { name: string }) => name === 'disk-identity');
}

it.each(['module'] as const)('a cluster of %s', { timeout: 300_000 }, async (origin) => {
  const { folder } = await foreignCluster(origin);
  onTestFinished(() => folder.remove());
  ended(await folder.lab('init', '--from-cluster', '--talosconfig', 'talosconfig'));
  const [before, starts] = [await vmConfigs(folder), await startsOf(folder)];
  ended(await folder.lab('adopt', '--out', 'plan.json'));
  expect(await vmConfigs(folder)).toEqual(before);
  const events = ended(await folder.lab('--json', 'adopt', 'plan.json', '--yes'));
  expect(events).toContain('adopt-vm:1001');
  expect(await startsOf(folder)).toEqual(starts);
  expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(/disks get their identity[\s\S]*No changes/);
  expect(await withoutIdentity(folder)).toHaveLength(2);
  appendFileSync(join(folder.path, 'oxherd.yaml'), 'policy: { outage: allow }\n');
  ended(await folder.lab('upgrade', '--talos', 'v1.14.2', '--write', '--yes'));
  expect(await withoutIdentity(folder)).toEqual([]);
  expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
});
