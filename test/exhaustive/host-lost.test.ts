/** Hosts that never come back: with local disks, with shared storage, with a control plane, with HA. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LabWorld } from '../../src/lab/world.js';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { herd as herdText } from '../support/herd.js';
import { expectNothingToDo, RunningHerd } from '../support/rolling.js';
import { root, runPrinted } from '../support/root-commands.js';
import { chosen } from '../support/shard.js';
import { onSharedStorage } from '../support/shared-world.js';
import { keptData } from '../support/watcher.js';

const HOOK_MS = 300_000;
const LOST = ['host', 'lost', 'pve2', '--confirm', 'pve2'];
const hostOf = (site: ClusterSite, vmid: number) => site.lab.proxmox.pve.db.vms.get(String(vmid))?.host;
const runs = (site: ClusterSite, vmid: number) =>
  site.lab.proxmox.pve.db.vms.get(String(vmid))?.running !== undefined;

/** Ctrl-C once so many steps are done. */
async function interrupted(site: ClusterSite, args: readonly string[], steps: number): Promise<void> {
  const ctrlC = new AbortController();
  site.signal = ctrlC.signal;
  let seen = 0;
  site.onPrint = (text) => {
    seen += text.split('\n').filter((line) => /^\[ *\d+\/\d+\] /.test(line)).length;
    if (seen >= steps) ctrlC.abort();
  };
  await site.run(...args);
  site.signal = undefined;
  site.onPrint = () => {};
}

async function die(site: ClusterSite): Promise<void> {
  site.lab.proxmox.pve.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
  await site.lab.clock.sleep(120_000);
}

async function expectHealthy(site: ClusterSite): Promise<void> {
  await expectNothingToDo(site);
  expect(ended(await site.run('status'))).toContain('Healthy');
}

/** VMs of the hosts that are left: their configs, and since when they run. */
const vmsElsewhere = (site: ClusterSite, vmids: readonly number[]) =>
  vmids.map((vmid) => {
    const vm = site.lab.proxmox.pve.db.vms.get(String(vmid));
    return [vmid, vm?.host, vm?.config, vm?.running?.since];
  });
const ELSEWHERE = [141, 1410, 143, 1430, 151, 1510, 153, 1530];

/** What the other nodes have on their disks. */
const othersData = (site: ClusterSite, before: readonly string[], lost: readonly string[]) =>
  before.filter((one) => !lost.includes(one)).every((one) => keptData(site.lab).includes(one));

describe('with local disks, a control plane among them', () => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({});
  }, HOOK_MS);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  it('its nodes are created again elsewhere, and lost volumes are listed', async () => {
    const site = await herd.copy();
    const volumes = site.lab.proxmox.pve.db.volumes;
    const onHost = [...volumes.values()].filter((volume) => volume.host === 'pve2').map((one) => one.path);
    expect(onHost.length).toBeGreaterThan(0);
    const before = keptData(site.lab);
    const elsewhere = vmsElsewhere(site, ELSEWHERE);
    const up = await site.run(...LOST);
    expect(up.exit).toBe(1);
    expect(up.stdout).toContain('pve2 is up: nothing of it is lost');
    await die(site);
    const early = await site.run(...LOST);
    expect(early.exit).toBe(1);
    expect(early.stdout).toContain('nothing proves that it is off');
    expect(early.stdout).toContain('--powered-off pve2');
    expect(early.stdout).toContain('pvecm delnode pve2');
    root(site, 'pvecm delnode pve2');
    const kept = keptData(site.lab);
    const lost = before.filter((one) => !kept.includes(one));

    const asked = await site.run('host', 'lost', 'pve2');
    expect(asked.exit).toBe(1);
    for (const name of ['cp-2/ephemeral', 'work-2/ephemeral', 'work-2/scratch'])
      expect(asked.stderr).toContain(name);
    expect(asked.stderr).not.toContain('cp-1/');
    expect(site.etcd[0]?.members).toHaveLength(3);

    const first = await site.run(...LOST);
    expect(first.exit).toBe(1);
    expect(site.etcd[0]?.members.map(({ name }) => name).sort()).toEqual(['cp-1', 'cp-3']);
    const commands = runPrinted(site, first.stdout);
    expect(commands).toHaveLength(4);
    expect(commands).toContain('rm /etc/pve/nodes/pve2/qemu-server/1420.conf');

    ended(await site.run(...LOST));
    expect([142, 1420].map((vmid) => hostOf(site, vmid))).not.toContain('pve2');
    expect([142, 152].map((vmid) => runs(site, vmid))).toEqual([true, true]);
    expect(site.etcd[0]?.members).toHaveLength(3);
    expect(othersData(site, before, lost)).toBe(true);
    expect(vmsElsewhere(site, ELSEWHERE)).toEqual(elsewhere);
    await expectHealthy(site);
    expect(ended(await site.run(...LOST))).toContain('Nothing of this cluster was on pve2.');
  });

  it('nodes that oxherd.yaml no longer has leave etcd and Kubernetes', async () => {
    const site = await herd.copy();
    await die(site);
    root(site, 'pvecm delnode pve2');
    site.config = site.config
      .split('\n')
      .filter((line) => !/^ {2}(cp|work)-2:/.test(line))
      .join('\n');
    const plan = await site.run('plan');
    expect(plan.stdout).toContain('oxherd --lab host lost pve2 --confirm pve2');
    const first = await site.run(...LOST);
    expect(first.stderr).toContain('resume with');
    expect(runPrinted(site, first.stdout)).toHaveLength(4);
    ended(await site.run(...LOST));
    expect(site.etcd[0]?.members.map(({ name }) => name).sort()).toEqual(['cp-1', 'cp-3']);
    // The others are told that they are fewer.
    ended(await site.run('apply', '--yes'));
    await expectHealthy(site);
  });

  it('goes on by itself with --wait once root has run the commands', async () => {
    const site = await herd.copy();
    await die(site);
    root(site, 'pvecm delnode pve2');
    let printed = '';
    site.onPrint = (text) => {
      printed += text;
      if (/As root on any other host:[\s\S]*1520\.conf\n/.test(printed)) {
        runPrinted(site, printed);
        printed = '';
      }
    };
    ended(await site.run(...LOST, '--wait', '10m'));
    await expectHealthy(site);
  });

  it('is refused where etcd cannot do without its member', async () => {
    const site = await herd.copy();
    await site.byHand(async (hand) => {
      await hand.waitTask(await hand.stopVm('pve1', 141));
    });
    await die(site);
    root(site, 'pvecm delnode pve2');
    const refused = await site.run(...LOST);
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/etcd/);
    expect(refused.stdout).toContain('oxherd --lab etcd restore');
    expect(hostOf(site, 1420)).toBe('pve2');
  });

  it('that comes back meanwhile is not given up: what was begun is shown with its way out', async () => {
    const site = await herd.copy();
    const { faults } = site.lab.core;
    // A VM of others, which is what HA fences the host for.
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.createVm('pve2', 900, { name: 'theirs' }));
      await hand.createHaResource('vm:900', { state: 'started' });
    });
    await site.lab.clock.sleep(60_000);
    faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
    await site.lab.clock.sleep(20_000);
    let printed = '';
    site.onPrint = (text) => {
      printed += text;
      if (!printed.includes('As root')) return;
      site.lab.clock.schedule(site.lab.clock.now() + 30_000, () => faults.clear('host-down', 'pve2'));
      site.onPrint = () => {};
    };
    const begun = site.lab.clock.now();
    const back = await site.run(...LOST, '--wait', '10h');
    expect(back.exit).toBe(1);
    expect(back.stdout).toContain('pve2 is up: nothing of it is lost');
    expect(site.lab.clock.now() - begun).toBeLessThan(600_000);
    await site.lab.clock.sleep(240_000);
    const again = await site.run(...LOST);
    expect(again.stdout).not.toContain('its data is lost');
    const plan = await site.run('plan');
    expect(plan.stdout).toContain('cp-2 runs etcd with the data of a member that was removed');
    const fresh = /oxherd --lab (apply --fresh.*)/.exec(plan.stdout)?.[1]?.split(' ') ?? [];
    ended(await site.run(...fresh, '--yes'));
    ended(await site.run('apply', '--yes'));
    expect(site.etcd[0]?.members).toHaveLength(3);
    await expectHealthy(site);
  });

  it.each(chosen([1, 2, 3, 5, 7, 9, 11, 13, 15], { exhaustive: 2 }))(
    'is resumed after %d steps of the second part',
    async (steps) => {
      const site = await herd.copy();
      await die(site);
      root(site, 'pvecm delnode pve2');
      const first = await site.run(...LOST);
      runPrinted(site, first.stdout);
      await interrupted(site, LOST, steps);
      ended(await site.run(...LOST));
      expect(site.etcd[0]?.members).toHaveLength(3);
      await expectHealthy(site);
    },
  );

  it('that was drained before: what moved stays where it is', async () => {
    const site = await herd.copy();
    ended(await site.run('host', 'drain', 'pve2', '--stay', 'work-2', '--yes'));
    await die(site);
    root(site, 'pvecm delnode pve2');
    const first = await site.run(...LOST);
    expect(first.stdout).not.toContain('cp-2/ephemeral');
    expect(runPrinted(site, first.stdout)).toHaveLength(2);
    ended(await site.run(...LOST));
    expect(hostOf(site, 142)).toBe('pve1');
    await expectHealthy(site);
    expect(ended(await site.run('plan'))).not.toContain('host return');
  });
});

describe('with volumes on shared storage and the rest on local disks', () => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({ volumes: { scratch: '1GiB, storage: nas' } }, (world) => ({
      ...world,
      storages: world.storages.map((storage) =>
        storage.id === 'nas' ? { ...storage, type: 'nfs', path: '/mnt/pve/nas', shared: true } : storage,
      ),
    }));
  }, HOOK_MS);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  it('the volumes are taken over, the nodes get a new /var', async () => {
    const site = await herd.copy();
    const before = keptData(site.lab);
    await die(site);
    root(site, 'pvecm delnode pve2');
    const first = await site.run(...LOST);
    expect(first.stdout).toContain('work-2/ephemeral');
    expect(first.stdout).not.toContain('work-2/scratch');
    const commands = runPrinted(site, first.stdout);
    expect(commands).toContainEqual(expect.stringMatching(/^mv .*1520\.conf$/));
    ended(await site.run(...LOST));
    const scratch = before.filter((one) => one.includes('scratch'));
    expect(scratch.length).toBeGreaterThan(0);
    expect(scratch.every((one) => keptData(site.lab).includes(one))).toBe(true);
    await expectHealthy(site);
  });

  it('a volume that oxherd.yaml now wants on a local storage is still on the shared one: its config is moved, not removed', async () => {
    const site = await herd.copy();
    const scratch = keptData(site.lab).filter((one) => one.includes('scratch'));
    await die(site);
    root(site, 'pvecm delnode pve2');
    const applied = site.config;
    site.config = applied.replace(', storage: nas', '');
    const first = await site.run(...LOST);
    expect(first.stdout).toMatch(/work-2\/scratch \(unless it is nas:1520\/vm-1520-disk-\d\S*\)/);
    const commands = runPrinted(site, first.stdout);
    expect(commands).toContainEqual(expect.stringMatching(/^mv .*1520\.conf$/));
    site.config = applied;
    ended(await site.run(...LOST));
    expect(scratch.every((one) => keptData(site.lab).includes(one))).toBe(true);
    await expectHealthy(site);
  });
});

describe('with shared storage', () => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({}, onSharedStorage);
  }, HOOK_MS);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  it('its nodes are taken over with their data, and nothing is lost', async () => {
    const site = await herd.copy();
    const before = keptData(site.lab);
    const elsewhere = vmsElsewhere(site, ELSEWHERE);
    const members = site.etcd[0]?.members.map(({ id }) => id).sort();
    await die(site);
    root(site, 'pvecm delnode pve2');
    const first = await site.run(...LOST);
    expect(first.stdout).toContain('No volume of oxherd.yaml is lost with pve2.');
    const commands = runPrinted(site, first.stdout);
    expect(commands).toHaveLength(4);
    expect(commands.every((command) => command.startsWith('mv '))).toBe(true);
    ended(await site.run(...LOST));
    expect(keptData(site.lab)).toEqual(before);
    expect(site.etcd[0]?.members.map(({ id }) => id).sort()).toEqual(members);
    expect(vmsElsewhere(site, ELSEWHERE)).toEqual(elsewhere);
    await expectHealthy(site);
  });

  it('a VM that HA has recovered is followed, and its data VM comes after it', async () => {
    const site = await herd.copy();
    const before = keptData(site.lab);
    await site.byHand((hand) => hand.createHaResource('vm:152', { state: 'started' }));
    await site.lab.clock.sleep(60_000);
    await die(site);
    await site.lab.clock.sleep(300_000);
    const to = hostOf(site, 152);
    expect(to).not.toBe('pve2');
    const unproved = await site.run(...LOST);
    expect([unproved.exit, unproved.stdout.includes('nothing proves that it is off')]).toEqual([1, true]);
    const stated = [...LOST, '--powered-off', 'pve2'];
    const first = await site.run(...stated);
    const commands = runPrinted(site, first.stdout);
    expect(commands).toHaveLength(3);
    expect(commands).toContain(
      `mv /etc/pve/nodes/pve2/qemu-server/1520.conf /etc/pve/nodes/${to}/qemu-server/1520.conf`,
    );
    ended(await site.run(...stated));
    expect(keptData(site.lab)).toEqual(before);
    await expectHealthy(site);
  });

  it('a host that is cut off while its VMs run counts as lost only once HA has fenced it', async () => {
    const site = await herd.copy();
    const before = keptData(site.lab);
    const { faults } = site.lab.core;
    await site.byHand((hand) => hand.createHaResource('vm:152', { state: 'started' }));
    await site.lab.clock.sleep(60_000);
    faults.set({ name: 'partition', subject: 'pve2', countdown: null });
    await site.lab.clock.sleep(20_000);
    expect(runs(site, 142)).toBe(true);
    const first = await site.run(...LOST);
    // Fenced while the command waited for it.
    expect([142, 152].some((vmid) => hostOf(site, vmid) === 'pve2' && runs(site, vmid))).toBe(false);
    expect(first.stderr).toContain(
      'resume with: oxherd --lab host lost pve2 --powered-off pve2 --confirm pve2',
    );
    faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
    expect(runPrinted(site, first.stdout)).toHaveLength(3);
    ended(await site.run(...LOST, '--powered-off', 'pve2'));
    expect(keptData(site.lab)).toEqual(before);
    await expectHealthy(site);
  });
});

describe('of two hosts', () => {
  it('the one that is left has its quorum by `pvecm expected 1`, whatever `/cluster/status` reports', async () => {
    const twoHosts = (world: LabWorld): LabWorld => ({ ...world, hosts: world.hosts.slice(0, 2) });
    const config = herdText({ controlPlanes: 1, workers: 2 }).replace(', pve3: {}', '');
    const site = await ClusterSite.open(config, undefined, twoHosts);
    try {
      ended(await site.run('apply', '--yes'));
      await die(site);
      const refused = await site.run(...LOST);
      expect(refused.exit).toBe(1);
      for (const way of ['pvecm expected 1', 'pvecm delnode pve2', '--powered-off pve2'])
        expect(refused.stdout).toContain(way);
      root(site, 'pvecm expected 1');
      const stated = [...LOST, '--powered-off', 'pve2'];
      const first = await site.run(...stated);
      expect(runPrinted(site, first.stdout)).toHaveLength(2);
      ended(await site.run(...stated));
      expect(hostOf(site, 152)).toBe('pve1');
    } finally {
      await site.remove();
    }
  });
});
