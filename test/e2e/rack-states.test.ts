/** Hosts that do not report, that are down, that vote alone: what is unknown is not gone, and nothing is lost over it. */
import { afterEach, describe, expect, it } from 'vitest';
import { InterlockError, interlock } from '../../src/apply/interlock.js';
import { observe } from '../../src/observe/observe.js';
import { planVolumeDelete } from '../../src/plan/drives/plan-volume-delete.js';
import { listVolumes } from '../../src/plan/drives/volume-list.js';
import { planDestroy } from '../../src/plan/plan-destroy.js';
import { TestApi } from '../lab-client/api.js';
import { Arena, HOST, NODE, VOLUMES } from '../support/attacks/arena.js';
import { smallCluster } from '../support/configs.js';
import { workerOn } from '../support/move-scenarios.js';
import { putReplicationJob } from '../support/replication-job.js';
import { configOf, VmSite } from '../support/vm-site.js';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).reverse()) await work();
});

/** The worker on pve2; requests go through pve1. */
async function twoHosts() {
  const site = await VmSite.start(configOf(workerOn('pve2')));
  const client = site.connect();
  cleanUp.push(
    () => site.stop(),
    () => client.close(),
  );
  expect((await site.apply(client)).result.outcome).toBe('done');
  const fault = (name: 'statd-down' | 'host-down' | 'expected-one', subject = '') =>
    site.lab.core.faults.set({ name, subject, countdown: null });
  return { site, client, fault };
}

describe('a host whose status is unknown', () => {
  it('is not down: its node is planned and changed like any other', async () => {
    const { site, client, fault } = await twoHosts();
    fault('statd-down', 'pve2');
    await site.lab.clock.sleep(400_000);
    const entry = (await client.resources()).hosts.find(({ node }) => node === 'pve2');
    expect(entry).toMatchObject({ online: false, unreported: true });
    expect((await observe(client, site.design)).hosts.pve2?.online).toBe(true);
    expect(await site.plan(client)).toMatchObject({ steps: [], problems: [] });
    site.use(workerOn('pve2', ', cores: 3'));
    expect((await site.apply(client)).result.outcome).toBe('done');
    expect(await site.plan(client)).toMatchObject({ steps: [], problems: [] });
  });

  it('is down where the cluster does not count it in either, and nothing of its node is made elsewhere', async () => {
    const { site, client, fault } = await twoHosts();
    fault('host-down', 'pve2');
    await site.lab.clock.sleep(400_000);
    const plan = await site.plan(client);
    expect(plan.problems.map(({ message }) => message).join()).toContain('Proxmox host pve2 is down');
    expect(plan.steps.filter(({ node }) => node === 'work-1')).toEqual([]);
  });
});

describe('a rack of two hosts with one of them down', () => {
  it('refuses every change until `pvecm expected 1`, and then works though `/cluster/status` still reports no quorum', async () => {
    const { site, client, fault } = await twoHosts();
    fault('host-down', 'pve2');
    site.use(workerOn('pve2').replace('cp: { role: controlplane,', 'cp: { role: controlplane, cores: 3,'));
    const before = [...site.lab.proxmox.pve.db.vms.values()].map(({ config }) => config);
    await expect(site.apply(client)).rejects.toThrow(/no quorum/);
    expect([...site.lab.proxmox.pve.db.vms.values()].map(({ config }) => config)).toEqual(before);
    fault('expected-one');
    expect((await client.clusterStatus()).quorate).toBe(false);
    const { plan, result } = await site.apply(client);
    expect(plan.notes.map(({ message }) => message).join()).not.toContain('quorum');
    expect(result.outcome).toBe('done');
    expect(site.lab.proxmox.pve.db.vms.get('141')?.config.cores).toBe('3');
  });
});

describe('a VM of a person on a host that is down', () => {
  it.each(['share', 'files'] as const)('may use a volume on %s', async (storage) => {
    const arena = await Arena.build({ layout: 'data-vm', storage });
    cleanUp.push(() => arena.stop());
    const { hand, site } = arena;
    const slot = arena.slotOf(NODE.data, arena.wwnOf('logs'));
    const volid = arena.file(NODE.data, slot);
    arena.use({ volumes: VOLUMES.filter((line) => !line.startsWith('logs')) });
    expect((await site.apply(hand)).result.outcome).toBe('done');
    await hand.runTask(() => hand.createVm('pve2', 900, { name: 'theirs', memory: 512 }));
    if (storage === 'share') await hand.updateVm('pve2', 900, { set: { virtio1: volid } });
    for (const [name, subject] of [
      ['host-down', 'pve2'],
      ['expected-one', ''],
    ] as const)
      site.lab.core.faults.set({ name, subject, countdown: null });
    const observed = await observe(hand, site.design);
    const guarded = interlock(hand, {
      cluster: site.design.cluster,
      mayLose: new Set([volid]),
      names: ['logs'],
    });
    await guarded.updateVm(HOST, NODE.data, { set: { protection: 0 } });
    const erase = () => guarded.updateVm(HOST, NODE.data, { delete: [slot], force: true });
    if (storage === 'files') {
      // Local to pve1: no VM of another host can have it.
      expect(planVolumeDelete(site.design, observed, `${NODE.name}/logs`).steps).toHaveLength(1);
      await erase();
      expect(arena.lost(arena.logs)).toEqual([]);
      return;
    }
    const said = /VM 900 on pve2 could not be read and may use/;
    expect(() => planVolumeDelete(site.design, observed, `${NODE.name}/logs`)).toThrow(said);
    const destroy = planDestroy(site.design, observed, { deleteData: true });
    expect(destroy.steps).toEqual([]);
    expect(destroy.problems.map(({ message }) => message).join()).toMatch(said);
    expect(listVolumes(site.design, observed).filter(({ state }) => state === 'orphan')).toEqual([]);
    await expect(erase()).rejects.toThrow(InterlockError);
    await hand.runTask(() => hand.stopVm(HOST, NODE.talos));
    await expect(guarded.moveDisk(HOST, NODE.data, { disk: slot, storage: 'other' })).rejects.toThrow(
      /VM 900 on pve2 cannot be read/,
    );
    arena.use({ volumes: VOLUMES.map((line) => line.replace('on: worker', 'on: worker, storage: other')) });
    const move = await site.plan(hand);
    expect(move.problems.map(({ message }) => message).join()).toMatch(said);
    expect(move.steps.filter(({ node }) => node === NODE.name)).toEqual([]);
    expect(arena.lost(new Set())).toEqual([]);
  });
});

const WITHOUT_WORKER = smallCluster({
  controlPlanes: 1,
  workers: 0,
  hosts: ['pve1'],
  more: 'hosts: { pve1: {}, pve2: {} }',
});

describe('what Proxmox keeps of a VM', () => {
  const api = async (site: VmSite, path: string, params: Record<string, string>) => {
    const { status, reason } = await TestApi.withToken(site.lab).call('POST', path, params);
    expect(`${status} ${reason}`).toBe('200 OK');
  };

  it('HA and replication hold up its removal, with the commands that end them', async () => {
    const { site, client } = await twoHosts();
    await api(site, '/cluster/ha/resources', { sid: 'vm:151' });
    putReplicationJob(site.lab, 151, 3, 'pve1');
    site.use(WITHOUT_WORKER);
    const plan = await site.plan(client);
    const said = plan.problems.map(({ message, advice }) => `${message}: ${advice}`).join('\n');
    expect(said).toContain('ha-manager remove vm:151');
    expect(said).toContain('pvesr delete 151-3');
    expect(plan.steps.some(({ kind }) => kind === 'destroy-talos-vm')).toBe(false);
  });

  it('backup jobs of others go on saving a VM that was removed and is made again', async () => {
    const { site, client } = await twoHosts();
    const job = { storage: 'local', schedule: '02:00', vmid: '151', comment: 'mine' };
    await client.createBackupJob('theirs', job);
    for (const text of [WITHOUT_WORKER, workerOn('pve2')]) {
      site.use(text);
      expect((await site.apply(client)).result.outcome).toBe('done');
      expect(site.lab.proxmox.pve.db.vms.has('151')).toBe(text !== WITHOUT_WORKER);
    }
    expect((await client.backupJobs()).map(({ id, settings }) => [id, settings.vmid])).toContainEqual([
      'theirs',
      '151',
    ]);
  });
});
