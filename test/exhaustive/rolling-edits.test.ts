/** Smaller edits of a running cluster, each rolled and verified on what runs: names, networks, disks, CPUs. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterSite } from '../support/cluster-site.js';
import { changes, RunningHerd } from '../support/rolling.js';
import { kubernetesOf } from '../support/watcher.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 3 });
}, HOOK_MS);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

const vmOf = (site: ClusterSite, vmid: number) => site.lab.proxmox.pve.db.vms.get(String(vmid));
const nodeNames = (site: ClusterSite) =>
  (kubernetesOf(site.room)?.list('nodes') ?? []).map((node) => node.metadata.name).sort();
const withAll = (options: string) => herd.with({}).replace('all: { cores: 2', `all: { ${options}, cores: 2`);

/** Whatever runs has it, and nothing waits for a start. */
function expectRunning(site: ClusterSite, vmids: readonly number[], key: string, part: string): void {
  for (const vmid of vmids) {
    const vm = vmOf(site, vmid);
    expect(vm?.running?.config[key], `${key} of VM ${vmid}`).toContain(part);
    expect({ ...vm?.pending.set }, `pending of VM ${vmid}`).toEqual({});
  }
}

const ALL = [141, 142, 143, 151, 152, 153];

describe('a node with another name', () => {
  it('is the same worker: VM, disks and data stay, and the old node object goes', async () => {
    const site = await herd.copy();
    const report = await changes(site, herd.with({}).replace('work-2:', 'anvil:'));
    expect(report.went).toEqual([152]);
    expect([vmOf(site, 152)?.config.name, vmOf(site, 1520)?.config.name]).toEqual(['anvil', 'anvil-data']);
    expect(nodeNames(site)).toEqual(['anvil', 'cp-1', 'cp-2', 'cp-3', 'work-1', 'work-3']);
    expect(vmOf(site, 152)?.config.smbios1).toContain(btoa('h=anvil;i=152'));
  });

  it('is the same control plane: its member of etcd has another name and the same id', async () => {
    const site = await herd.copy();
    const before = site.etcd[0]?.members ?? [];
    const report = await changes(site, herd.with({}).replace('cp-3:', 'smith:'));
    expect(report.went).toEqual([143]);
    expect(nodeNames(site)).toEqual(['cp-1', 'cp-2', 'smith', 'work-1', 'work-2', 'work-3']);
    expect(site.etcd[0]?.members).toEqual(
      before.map((member) => (member.name === 'cp-3' ? { ...member, name: 'smith' } : member)),
    );
  });
});

describe('every node, one after the other', () => {
  it.each([
    ['CPU type', 'cpuType: x86-64-v3', 'cpu', 'x86-64-v3'],
    ['machine', 'machine: pc', 'machine', 'pc'],
    ['disk options', 'diskOptions: { cache: none }', 'scsi1', 'cache=none'],
    ['VLAN', 'vlan: 30', 'net0', 'tag=30'],
  ])('gets another %s', async (_, options, key, part) => {
    const site = await herd.copy();
    await changes(site, withAll(options));
    expectRunning(site, ALL, key, part);
  });
});
