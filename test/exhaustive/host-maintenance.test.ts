/** Hosts that go into maintenance and come back, under the watcher: on local disks, and on shared storage. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/lab/kubernetes/object.js';
import { ended } from '../support/cli.js';
import type { ClusterSite } from '../support/cluster-site.js';
import { writesTo } from '../support/lab-requests.js';
import { plantLocalVolume } from '../support/local-volume.js';
import { expectNothingToDo, RunningHerd } from '../support/rolling.js';
import { onSharedStorage } from '../support/shared-world.js';
import { runningKubernetes } from '../support/watcher.js';

const HOOK_MS = 300_000;
const hostOf = (site: ClusterSite, vmid: number) => site.lab.proxmox.pve.db.vms.get(String(vmid))?.host;
const runs = (site: ClusterSite, vmid: number) =>
  site.lab.proxmox.pve.db.vms.get(String(vmid))?.running !== undefined;
const PATCHED =
  'policy: { host: { before: "echo patching $OXHERD_HOST", after: "echo $OXHERD_HOST is back" } }';

describe('on local disks', () => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({ more: PATCHED });
  }, HOOK_MS);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  it('a worker is moved or stays off, its control plane moves, and both come back', async () => {
    const site = await herd.copy();
    ended(await site.run('host', 'drain', 'pve2', '--stay', 'work-2', '--out', 'drain.json'));
    expect(hostOf(site, 142)).toBe('pve2');
    const drained = await site.watch(['apply', 'drain.json', '--yes'], { away: 2 });
    ended(drained.result);
    expect(drained.report.violations).toEqual([]);
    expect(drained.report.went).toEqual([152, 142]);
    expect([runs(site, 152), hostOf(site, 152)]).toEqual([false, 'pve2']);
    expect([runs(site, 142), hostOf(site, 142), hostOf(site, 1420)]).toEqual([true, 'pve1', 'pve1']);
    const status = ended(await site.run('status'));
    expect(status).toContain('drained for maintenance of pve2');
    expect(status).toContain('Healthy');
    // Neither drift nor a reason to start or move anything.
    const plan = ended(await site.run('plan', '--exit-code'));
    expect(plan).toContain('bring it back with: oxherd --lab host return pve2');
    const again = ended(await site.run('host', 'drain', 'pve2', '--stay', 'work-2', '--yes'));
    expect(again).toContain('Nothing of this cluster is left to drain');
    const other = await site.run('host', 'drain', 'pve3', '--yes');
    expect(other.stdout).toContain('pve2 is drained already');

    // Its VM starts with the host, and is cordoned until the return.
    site.lab.proxmox.pve.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
    await site.lab.clock.sleep(120_000);
    expect(ended(await site.run('status'))).toContain('drained for maintenance of pve2');
    site.lab.proxmox.pve.core.faults.clear('host-down', 'pve2');
    await site.lab.clock.sleep(120_000);
    const back = await site.watch(['host', 'return', 'pve2', '--yes'], { away: 2 });
    ended(back.result);
    expect(back.report.violations).toEqual([]);
    expect([152, 142, 1420].map((vmid) => hostOf(site, vmid))).toEqual(['pve2', 'pve2', 'pve2']);
    await expectNothingToDo(site);
    expect(ended(await site.run('status'))).toContain('Healthy');
  });

  it('all hosts, one after the other, each with the hooks of oxherd.yaml', async () => {
    const site = await herd.copy();
    const rolled = await site.watch(['host', 'roll', 'pve1', 'pve2', 'pve3', '--yes']);
    ended(rolled.result);
    expect(rolled.report.violations).toEqual([]);
    expect(rolled.result.stderr).toContain('policy.host.before: patching pve2');
    expect(rolled.result.stderr).toContain('policy.host.after: pve3 is back');
    await expectNothingToDo(site);
  });

  it('a host that is just back is drained once its nodes are Ready again', async () => {
    const site = await herd.copy();
    const { faults } = site.lab.proxmox.pve.core;
    faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
    await site.lab.clock.sleep(120_000);
    faults.clear('host-down', 'pve2');
    await site.lab.clock.sleep(5_000);
    const drained = await site.run('host', 'drain', 'pve2', '--yes');
    ended(drained);
    expect(drained.stderr).toContain('waiting for nodes that have just started, cp-2 (up for');
    expect([152, 142].map((vmid) => hostOf(site, vmid))).not.toContain('pve2');
    ended(await site.run('host', 'return', 'pve2', '--yes'));
    await expectNothingToDo(site);
  });

  it('a hook that fails stops the roll, and says how it goes on', async () => {
    const site = await herd.copy();
    site.config = herd.with({ more: 'policy: { host: { before: "exit 7" } }' });
    const unknown = await site.run('host', 'roll', 'pve1', 'pve9', '--yes');
    expect([unknown.exit, hostOf(site, 141)]).toEqual([1, 'pve1']);
    expect(unknown.stderr).toContain('Proxmox has no host pve9');
    const result = await site.run('host', 'roll', 'pve1', 'pve2', '--yes');
    expect(result.exit).toBe(1);
    expect(result.stderr).toContain('policy.host.before ended with 7');
    expect(result.stderr).toContain('then: oxherd --lab host roll pve1 pve2 --for 1h');
    expect(hostOf(site, 142)).toBe('pve2');
    // As soon as it is right the printed command goes on, and a hook after the patching stops before the nodes return.
    site.config = herd.with({ more: 'policy: { host: { before: "true", after: "exit 8" } }' });
    const patched = await site.run('host', 'roll', 'pve1', 'pve2', '--for', '1h', '--yes');
    expect(patched.exit).toBe(1);
    expect(patched.stderr).toContain('policy.host.after ended with 8');
    expect(patched.stderr).toContain(
      'then: oxherd --lab host return pve1 && oxherd --lab host roll pve2 --for 1h',
    );
    expect(hostOf(site, 141)).not.toBe('pve1');
    ended(await site.run('host', 'return', 'pve1', '--yes'));
    expect([hostOf(site, 141), hostOf(site, 151)]).toEqual(['pve1', 'pve1']);
    await expectNothingToDo(site);
  });
});

describe('a drain that cannot succeed is refused before anything happens', () => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({});
  }, HOOK_MS);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  /** VMs, volumes and tasks of Proxmox, nodes and pods of Kubernetes. */
  function everything(site: ClusterSite): string {
    const { vms, volumes, tasks } = site.lab.proxmox.pve.db;
    const api = runningKubernetes(site);
    const nodes = api.list('nodes').map(({ metadata, spec }) => [metadata.name, metadata.annotations, spec]);
    const pods = api.list('pods').map(({ metadata, spec }) => [metadata.name, metadata.uid, spec]);
    return JSON.stringify([[...vms.entries()], [...volumes.entries()], tasks.size, nodes, pods]);
  }

  async function refused(site: ClusterSite, ...args: string[]): Promise<string> {
    const before = everything(site);
    const writes = writesTo(site.lab);
    const result = await site.run('host', 'drain', 'pve2', '--yes', ...args);
    expect(result.exit).toBe(1);
    expect(everything(site)).toBe(before);
    expect(writes).toEqual([]);
    return result.stdout + result.stderr;
  }

  function fillHosts(site: ClusterSite): void {
    const { hosts } = site.lab.proxmox.pve.db;
    for (const host of ['pve1', 'pve3']) hosts.update(host, (one) => ({ ...one, memory: 10 * 2 ** 30 }));
  }

  /** Of the pod on work-2 that the budget `web` then no longer lets go. */
  async function forbidEviction(site: ClusterSite): Promise<string> {
    const api = runningKubernetes(site);
    const onNode = (pod: KubeObject) => (pod.spec as { nodeName?: string }).nodeName === 'work-2';
    const web = api.list('pods').find((pod) => pod.metadata.labels?.app === 'web' && onNode(pod));
    const budget = api.list('poddisruptionbudgets.policy').find((one) => one.metadata.name === 'web');
    if (!web || !budget) throw new Error('the workload is not there');
    const spec = { minAvailable: 3, selector: { matchLabels: { app: 'web' } } };
    api.update('poddisruptionbudgets.policy', { ...budget, spec }, '', 'kubectl');
    await site.lab.clock.sleep(60_000);
    return web.metadata.name;
  }

  it('for want of room', async () => {
    const site = await herd.copy();
    fillHosts(site);
    const said = await refused(site, '--move', 'work-2', 'cp-2');
    expect(said).toContain(
      'cp-2, work-2 (2 nodes): each node has nowhere to go: pve1: 512MiB of memory are free',
    );
    expect(said).toContain('with --stay');
  });

  it('for a budget that allows no eviction, each pod by its name', async () => {
    const site = await herd.copy();
    const pod = await forbidEviction(site);
    const said = await refused(site, '--stay', 'work-2');
    expect(said).toContain(`pod default/${pod} on work-2 cannot be evicted`);
    expect(said).toContain('the disruption budget web allows no eviction now');
  });

  it('for a local volume on a node that stays off, unless its pod may be down; not on one that moves', async () => {
    const site = await herd.copy();
    await plantLocalVolume(site);
    const said = await refused(site, '--stay', 'work-2');
    expect(said).toContain(
      'pod default/db-0 on work-2 has nowhere to go: its volume pv-db is on that node alone',
    );
    expect(said).toContain('--accept-down');
    const saved = ended(
      await site.run('host', 'drain', 'pve2', '--stay', 'work-2', '--accept-down', '--out', 'drain.json'),
    );
    expect(saved).toContain('pod default/db-0 of work-2 is down until the host returns');
    ended(await site.run('host', 'drain', 'pve2', '--move', 'work-2', '--out', 'drain.json'));
  });

  it('for a control plane elsewhere that is off: etcd needs the one that would go', async () => {
    const site = await herd.copy();
    await site.byHand(async (hand) => {
      await hand.waitTask(await hand.stopVm('pve1', 141));
    });
    await site.lab.clock.sleep(120_000);
    const said = (await refused(site)).replace(/\s+/g, ' ');
    expect(said).toContain('cp-1 is not Ready, and one node may be unavailable at a time');
    expect(said).toContain(
      '2 of 3 etcd members are needed, and without cp-2 only 1 would be healthy (cp-1 is not)',
    );
  });

  it('for all of them at once, each by its name', async () => {
    const site = await herd.copy();
    await plantLocalVolume(site);
    const pod = await forbidEviction(site);
    fillHosts(site);
    const said = await refused(site, '--stay', 'work-2', '--move', 'cp-2');
    for (const obstacle of [
      'cp-2 has nowhere to go: pve1: 512MiB of memory are free',
      'pve3: 512MiB of memory are free, it needs 4GiB',
      `pod default/${pod} on work-2 cannot be evicted`,
      'pod default/db-0 on work-2 has nowhere to go: its volume pv-db is on that node alone',
    ])
      expect(said.replace(/\s+/g, ' ')).toContain(obstacle);
  });
});

describe('on shared storage', () => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({ more: PATCHED }, onSharedStorage);
  }, HOOK_MS);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  it('all hosts are rolled while every node keeps running', async () => {
    const site = await herd.copy();
    const rolled = await site.watch(['host', 'roll', 'pve1', 'pve2', 'pve3', '--yes'], { away: 0 });
    ended(rolled.result);
    expect(rolled.report.violations).toEqual([]);
    expect(rolled.report.went).toEqual([]);
    await expectNothingToDo(site);
  });
});
