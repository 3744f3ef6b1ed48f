/** What `plan` says for each kind of change, as its reader sees it. `vitest run -u` writes the texts anew. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterSite } from '../support/cluster-site.js';
import type { Herd } from '../support/herd.js';
import { RunningHerd } from '../support/rolling.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
let site: ClusterSite;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2 });
  site = await herd.copy();
}, HOOK_MS);
afterAll(async () => {
  await herd.removeCopies();
  herd.remove();
});

const CHANGES: Record<string, Herd> = {
  memory: { memory: '6GiB' },
  talos: { talos: 'v1.14.1' },
  'talos-too-far': { talos: 'v1.15.0' },
  kubernetes: { kubernetes: 'v1.36.0' },
  'kubernetes-and-memory': { kubernetes: 'v1.35.0', memory: '6GiB' },
  extensions: {
    schematic:
      '  schematic: { customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent, siderolabs/iscsi-tools] } } }',
  },
  'config-live': {
    schematic: '  patches: { all: [{ machine: { sysctls: { vm.max_map_count: "262144" } } }] }',
  },
  'config-reboot': { schematic: '  patches: { all: [{ machine: { env: { LANG: C } } }] }' },
  'node-added': { workers: 3 },
  'worker-removed': { workers: 1 },
  'control-plane-removed': { controlPlanes: 2 },
  'volume-grown': { volumes: { scratch: '2GiB' } },
  'disks-grown': { disk: '8GiB', volumes: { scratch: '2GiB' } },
  'disks-grown-and-memory': { disk: '8GiB', memory: '6GiB' },
  'volume-added': { volumes: { scratch: '1GiB', cache: '1GiB' } },
  'volume-removed': { volumes: {} },
};

describe('the plan', () => {
  it.each(Object.entries(CHANGES))('for %s', async (name, change) => {
    site.config = herd.with(change);
    const { stdout, stderr } = await site.run('plan');
    await expect(`${stdout}${stderr}`).toMatchFileSnapshot(`fixtures/plans/${name}.txt`);
  });

  it.each([
    ['restart', ['restart', 'work-1']],
    ['replace', ['replace', 'work-1']],
  ])('of %s', async (name, args) => {
    site.config = herd.with({});
    const { stdout } = await site.run(...args);
    await expect(stdout).toMatchFileSnapshot(`fixtures/plans/${name}.txt`);
  });
});
