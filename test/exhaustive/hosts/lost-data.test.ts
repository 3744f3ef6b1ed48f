/** What is lost with a host beside the disks of its VMs, and VMs that HA has recovered without their disks. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtFolder } from '../../support/built-folder.js';
import { ended } from '../../support/cli.js';
import { ClusterSite } from '../../support/cluster-site.js';
import { herd as herdText } from '../../support/herd.js';
import { plantLocalVolume } from '../../support/local-volume.js';
import { expectNothingToDo, RunningHerd } from '../../support/rolling.js';
import { root, runPrinted } from '../../support/root-commands.js';

const LOST = ['host', 'lost', 'pve2', '--confirm', 'pve2'];
const hostOf = (site: ClusterSite, vmid: number) => site.lab.proxmox.pve.db.vms.get(String(vmid))?.host;

async function die(site: ClusterSite, seconds = 120): Promise<void> {
  site.lab.proxmox.pve.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
  await site.lab.clock.sleep(seconds * 1_000);
}

describe('on local disks', () => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({});
  }, 300_000);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  it('a local PersistentVolume of a lost node is named with its claim, until the node is created again', async () => {
    const site = await herd.copy();
    await plantLocalVolume(site);
    await die(site);
    root(site, 'pvecm delnode pve2');
    const asked = await site.run('host', 'lost', 'pve2');
    expect(asked.exit).toBe(1);
    expect(asked.stderr).toContain('pv-db (claim default/db)');
    const first = await site.run(...LOST);
    // Kubernetes has forgotten the node by now.
    const again = await site.run(...LOST);
    for (const { stdout } of [first, again]) expect(stdout).toContain('pv-db (claim default/db)');
    runPrinted(site, first.stdout);
    ended(await site.run(...LOST));
  });

  it('in a lab that runs only with its commands, as docs/hosts.md says', async () => {
    const folder = (await builtFolder(herdText())).copy();
    try {
      ended(await folder.run(['lab', 'fault', 'host-down=pve2', 'on']));
      ended(await folder.run(['lab', 'root', 'pvecm delnode pve2']));
      const first = await folder.lab(...LOST);
      for (const line of first.stdout.split('\n').filter((one) => one.startsWith('  rm ')))
        ended(await folder.run(['lab', 'root', line.trim()]));
      ended(await folder.lab(...LOST));
      expect(ended(await folder.lab('status'))).toContain('Healthy');
    } finally {
      folder.remove();
    }
  });

  it.each([
    { managed: [152], commands: 5 },
    { managed: [152, 1520], commands: 6 },
    { managed: [142, 1420, 152, 1520], commands: 8 },
  ])('HA has recovered $managed without disks: they are created again', async ({ managed, commands }) => {
    const site = await herd.copy();
    await site.byHand(async (hand) => {
      for (const vmid of managed)
        await hand.createHaResource(`vm:${vmid}`, { state: vmid > 1_000 ? 'stopped' : 'started' });
    });
    await site.lab.clock.sleep(60_000);
    await die(site, 720);
    expect(managed.map((vmid) => hostOf(site, vmid))).not.toContain('pve2');
    const begun = site.lab.clock.now();
    const applied = await site.run('apply', '--yes');
    expect([applied.exit, site.lab.clock.now() - begun < 60_000]).toEqual([1, true]);
    expect(applied.stdout).toContain('oxherd --lab host lost pve2 --confirm pve2');
    root(site, 'pvecm delnode pve2');
    const asked = await site.run('host', 'lost', 'pve2');
    for (const name of ['cp-2/ephemeral', 'work-2/ephemeral', 'work-2/scratch'])
      expect(asked.stderr).toContain(name);
    const first = await site.run(...LOST);
    expect(runPrinted(site, first.stdout)).toHaveLength(commands);
    ended(await site.run(...LOST));
    expect(site.etcd[0]?.members).toHaveLength(3);
    await expectNothingToDo(site);
    expect(ended(await site.run('status'))).toContain('Healthy');
  });
});

it('layout single: a VM that HA has recovered without its disk is not started, and is lost with its host', async () => {
  const text = herdText({ volumes: {}, disk: '16GiB' }).replace('  all: {', '  all: { layout: single,');
  const site = await ClusterSite.open(text);
  try {
    ended(await site.run('apply', '--yes'));
    await site.byHand((hand) => hand.createHaResource('vm:152', { state: 'started' }));
    await site.lab.clock.sleep(60_000);
    await die(site, 300);
    const applied = await site.run('apply', '--yes');
    expect(applied.exit).toBe(1);
    expect(applied.stdout).toMatch(/VM 152 is on pve\d without local-zfs:vm-152-disk-1, and cannot start/);
    expect(applied.stdout).not.toContain('start VM 152');
    root(site, 'pvecm delnode pve2');
    const first = await site.run(...LOST);
    for (const name of ['cp-2/os', 'work-2/os'])
      expect(first.stdout).toContain(`${name} (its only disk, with /var)`);
    expect(runPrinted(site, first.stdout)).toHaveLength(3);
    ended(await site.run(...LOST));
    await expectNothingToDo(site);
  } finally {
    await site.remove();
  }
});

describe('two of five hosts', () => {
  const [FIRST, SECOND] = ['pve2', 'pve3'].map((host) => ['host', 'lost', host, '--confirm', host]);
  const five = herdText({ controlPlanes: 5, workers: 0 })
    .replace('pve3: {} }', 'pve3: {}, pve4: {}, pve5: {} }')
    .replaceAll(/(cp-(\d):.*host: )pve\d/g, '$1pve$2');

  it('are lost one after the other while both are down; a third one is too many', async () => {
    const site = await ClusterSite.open(five);
    try {
      ended(await site.run('apply', '--yes'));
      const { faults } = site.lab.proxmox.pve.core;
      for (const subject of ['pve2', 'pve3', 'pve4'])
        faults.set({ name: 'host-down', subject, countdown: null });
      await site.lab.clock.sleep(120_000);
      const none = await site.run(...(FIRST ?? []));
      expect([none.exit, none.stdout]).toEqual([
        1,
        expect.stringContaining('the Proxmox cluster has no quorum'),
      ]);
      faults.clear('host-down', 'pve4');
      await site.lab.clock.sleep(240_000);
      for (const [host, args] of [
        ['pve2', FIRST],
        ['pve3', SECOND],
      ] as const) {
        root(site, `pvecm delnode ${host}`);
        const first = await site.run(...(args ?? []));
        expect(runPrinted(site, first.stdout)).toHaveLength(2);
        const begun = site.lab.clock.now();
        const done = await site.run(...(args ?? []));
        // What pve3 has cannot be compared while it is down and in the config.
        ended(done, host === 'pve2' ? 4 : 0);
        expect(site.lab.clock.now() - begun).toBeLessThan(300_000);
        expect(done.stderr.includes('pve3 is down as well')).toBe(host === 'pve2');
        expect(site.etcd[0]?.members).toHaveLength(5);
      }
      await expectNothingToDo(site);
      expect(ended(await site.run('status'))).toContain('Healthy');
    } finally {
      await site.remove();
    }
  });
});
