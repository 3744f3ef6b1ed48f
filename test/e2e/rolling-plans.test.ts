/** What `plan` says for each kind of change, as its reader sees it. `vitest run -u` writes the texts again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterSite } from '../support/cluster-site.js';
import type { Herd } from '../support/herd.js';
import { withoutPlanId } from '../support/plan-text.js';
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

/** Edits of single lines of the file. */
const EDITS: Record<string, (text: string) => string> = {
  'host-move': (text) =>
    text.replace('work-1: { role: worker, host: pve1', 'work-1: { role: worker, host: pve3'),
  'host-move-and-disk': (text) =>
    text
      .replace('work-1: { role: worker, host: pve1', 'work-1: { role: worker, host: pve3, disk: 8GiB')
      .replace('cp-2: { role: controlplane, host: pve2', 'cp-2: { role: controlplane, host: pve1'),
  'host-move-nowhere': (text) =>
    text.replace('work-1: { role: worker, host: pve1', 'work-1: { role: worker, host: pve9'),
  rename: (text) => text.replace('work-2:', 'anvil:'),
  'rename-swapped': (text) =>
    text.replace('  work-1:', '  other:').replace('  work-2:', '  work-1:').replace('  other:', '  work-2:'),
  'role-change': (text) => text.replace('work-2: { role: worker', 'work-2: { role: controlplane'),
  'role-change-back': (text) => text.replace('cp-3: { role: controlplane', 'cp-3: { role: worker'),
  vlan: (text) => text.replace('ip: 10.20.30.51', 'vlan: 30, ip: 10.20.30.51'),
  firewall: (text) => text.replace('ip: 10.20.30.51', 'firewall: true, ip: 10.20.30.51'),
  'second-nic': (text) =>
    text.replace('ip: 10.20.30.51', 'nics: [{ bridge: vmbr0, vlan: 40, dhcp: true }], ip: 10.20.30.51'),
  'cpu-type': (text) => text.replace('ip: 10.20.30.51', 'cpuType: x86-64-v3, ip: 10.20.30.51'),
  'machine-type': (text) => text.replace('ip: 10.20.30.51', 'machine: pc, ip: 10.20.30.51'),
  'disk-options': (text) =>
    text.replace('ip: 10.20.30.51', 'diskOptions: { cache: none, ssd: false }, ip: 10.20.30.51'),
  'labels-and-taints': (text) =>
    text.replace(
      'ip: 10.20.30.51',
      'labels: { tier: gold }, taints: [{ key: gpu, value: "1", effect: NoSchedule }], ip: 10.20.30.51',
    ),
};

describe('the plan', () => {
  it.each(Object.entries(EDITS))('for %s', async (name, edit) => {
    const before = herd.with({});
    site.config = edit(before);
    expect(site.config).not.toBe(before);
    const { stdout, stderr } = await site.run('plan');
    await expect(withoutPlanId(`${stdout}${stderr}`)).toMatchFileSnapshot(`fixtures/plans/${name}.txt`);
  });

  it('for what someone changed by hand', async () => {
    const copy = await herd.copy();
    await copy.byHand(async (hand) => {
      await hand.updateVm('pve1', 151, { set: { memory: 8192 } });
      await hand.updateVm('pve2', 152, { set: { tags: 'oxherd_herd;k8s;worker;mine', onboot: 0 } });
      const { scsi1 = '' } = copy.lab.proxmox.pve.db.vms.get('152')?.config ?? {};
      await hand.updateVm('pve2', 152, { set: { scsi1: scsi1.replace('ssd=1', 'ssd=0') } });
      await hand.runTask(() => hand.stopVm('pve3', 143));
    });
    const { stdout } = await copy.run('plan', '--drift-only');
    await expect(withoutPlanId(stdout)).toMatchFileSnapshot('fixtures/plans/drift.txt');
  });

  it.each(Object.entries(CHANGES))('for %s', async (name, change) => {
    site.config = herd.with(change);
    const { stdout, stderr } = await site.run('plan');
    await expect(withoutPlanId(`${stdout}${stderr}`)).toMatchFileSnapshot(`fixtures/plans/${name}.txt`);
  });

  it.each([
    ['restart', ['restart', 'work-1']],
    ['replace', ['replace', 'work-1']],
    ['fresh', ['apply', '--fresh', '--only', 'cp-2']],
  ])('of %s', async (name, args) => {
    site.config = herd.with({});
    const { stdout } = await site.run(...args);
    // Members have another id in every lab.
    const text = stdout.replaceAll(/\bmember [0-9a-f]{12,16}\b/g, 'member 8e9e05c52164694d');
    await expect(withoutPlanId(text)).toMatchFileSnapshot(`fixtures/plans/${name}.txt`);
  });
});
