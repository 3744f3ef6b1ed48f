/** Who goes to another host, how, and who is kept from it; VMs and disks alone, without machines in them. */
import { afterEach, describe, expect, it } from 'vitest';
import { planText } from '../../src/cli/views/plan.js';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import type { LabWorld } from '../../src/lab/world.js';
import { GIB } from '../../src/model/size.js';
import { worldOf } from '../../src/session/lab/lab-world.js';
import { Rehearsal } from '../support/crash.js';
import { HOST_MOVE, workerOn } from '../support/move-scenarios.js';
import { withoutPlanId } from '../support/plan-text.js';
import { onSharedStorage } from '../support/shared-world.js';
import { configOf, VmSite } from '../support/vm-site.js';

let site: VmSite | undefined;
let client: ProxmoxConnection | undefined;
afterEach(async () => {
  await client?.close();
  await site?.stop();
});

async function built(
  text = workerOn('pve1'),
  adapt: (world: LabWorld) => LabWorld = (world) => world,
): Promise<{ site: VmSite; client: ProxmoxConnection }> {
  const config = configOf(text);
  site = await VmSite.start(config, { world: adapt(worldOf(config)) });
  client = site.connect();
  expect((await site.apply(client)).result.outcome).toBe('done');
  return { site, client };
}

const smallOn = (host: string) => (world: LabWorld) => ({
  ...world,
  storages: world.storages
    .map((storage) => (storage.id === 'local-zfs' ? { ...storage, nodes: ['pve1'] } : storage))
    .concat([
      {
        ...(world.storages.find(({ id }) => id === 'local-zfs') as LabWorld['storages'][number]),
        id: 'tiny',
        nodes: [host],
        total: 4 * GIB,
      },
    ]),
});

const withoutStorage = (world: LabWorld): LabWorld => ({
  ...world,
  storages: world.storages.map((storage) =>
    storage.id === 'local-zfs' ? { ...storage, nodes: ['pve1'] } : storage,
  ),
});

/** What the plan says against the move; nothing of the node may be in it. */
async function refusals(to = 'pve2', nodeOptions = ''): Promise<string[]> {
  if (!site || !client) throw new Error('nothing is built');
  site.use(workerOn(to, nodeOptions));
  const plan = await site.plan(client);
  expect(plan.steps.filter((step) => step.node === 'work-1')).toEqual([]);
  return plan.problems.map(({ message, advice }) => `${message}: ${advice}`);
}

describe('a node whose host changes in oxherd.yaml', () => {
  it('on shared storage goes on running', async () => {
    const { site, client } = await built(workerOn('pve1'), onSharedStorage);
    site.use(workerOn('pve2'));
    const plan = await site.plan(client);
    await expect(`${withoutPlanId(planText(plan, false))}\n`).toMatchFileSnapshot(
      '../e2e/fixtures/plans/host-move-live.txt',
    );
    await site.apply(client, { plan });
    expect(site.lab.proxmox.pve.db.vms.get('151')).toMatchObject({ host: 'pve2' });
    expect(site.lab.proxmox.pve.db.vms.get('151')?.running).toBeDefined();
    expect((await site.plan(client)).steps).toEqual([]);
  });

  it('on shared storage with the CPU of its host is stopped, and nothing is copied', async () => {
    const { site, client } = await built(workerOn('pve1', ', cpuType: host'), onSharedStorage);
    site.use(workerOn('pve2', ', cpuType: host'));
    const { plan } = await site.apply(client);
    expect(plan.steps.map((step) => step.id)).toEqual([
      'stop-vm:151',
      'migrate-vm:1510',
      'migrate-vm:151',
      'set-options:1510',
      'start-vm:151',
    ]);
    expect((await site.plan(client)).steps).toEqual([]);
  });

  it('takes its disks to the storage that oxherd.yaml names where the old one is not', async () => {
    const { site, client } = await built(workerOn('pve1'), (world) => ({
      ...withoutStorage(world),
      storages: [
        ...withoutStorage(world).storages,
        ...world.storages
          .filter((storage) => storage.id === 'local-zfs')
          .map((storage) => ({ ...storage, id: 'tank', nodes: ['pve2'] })),
      ],
    }));
    site.use(workerOn('pve2', ', storage: tank'));
    const { result } = await site.apply(client);
    expect(result.outcome).toBe('done');
    expect(site.problems()).toEqual([]);
    const volumes = [...site.lab.proxmox.pve.db.volumes.values()].filter(({ owner }) => owner === 1510);
    expect(volumes.map(({ storage, host }) => `${storage} on ${host}`)).toEqual([
      'tank on pve2',
      'tank on pve2',
    ]);
    expect((await site.plan(client)).steps).toEqual([]);
  });

  it('that has no Talos VM is moved with its data, and made there', async () => {
    const { site, client } = await built();
    await client.runTask(() => client.stopVm('pve1', 151));
    await client.runTask(() => client.destroyVm('pve1', 151));
    site.use(workerOn('pve2'));
    const { plan, result } = await site.apply(client);
    expect(plan.steps.map((step) => step.kind)).toEqual(
      expect.arrayContaining(['migrate-vm', 'create-talos-vm', 'start-vm']),
    );
    expect(result.outcome).toBe('done');
    expect(site.problems()).toEqual([]);
  });

  it.each([
    ['before', 30],
    ['after', 55],
  ] as const)('and that is cut off (%s, request %i) is brought to its end', async (cut, requests) => {
    const rehearsal = new Rehearsal(HOST_MOVE);
    expect(await rehearsal.cutOff(requests, cut)).toEqual({ cut: true, problems: [] });
    rehearsal.dispose();
  });
});

describe('a node that cannot go', () => {
  it('because of a snapshot', async () => {
    const { client } = await built();
    await client.runTask(() => client.createSnapshot('pve1', 151, 'before'));
    expect(await refusals()).toEqual([
      'work-1 cannot move to pve2: VM 151 has snapshots (before): delete them: qm delsnapshot 151 before; or leave it where it is and write host: pve1',
    ]);
  });

  it('because the storage does not exist', async () => {
    await built(workerOn('pve1'), withoutStorage);
    expect(await refusals()).toEqual(['there is no storage local-zfs on pve2: storages there: local']);
  });

  it('because its disks have no room', async () => {
    await built(workerOn('pve1'), smallOn('pve2'));
    const [problem] = await refusals('pve2', ', storage: tiny');
    expect(problem).toMatch(
      /^work-1 cannot move to pve2: its disks need 13.*on tiny, and 4GiB are free there/,
    );
  });

  it('because of a device of its host', async () => {
    const { site } = await built();
    const vm = site.lab.proxmox.pve.db.vms.get('151');
    if (!vm) throw new Error('no VM 151');
    site.lab.proxmox.pve.db.vms.put('151', { ...vm, config: { ...vm.config, usb0: 'host=1234:5678' } });
    const [problem] = await refusals();
    expect(problem).toContain('VM 151 uses a device of pve1 (usb0)');
  });

  it('because a volume of the CSI driver would lose its last node there', async () => {
    const { site, client } = await built();
    await client.allocVolume('pve1', 'local-zfs', { vmid: 9999, filename: 'vm-9999-pv', size: GIB });
    await client.updateVm('pve1', 151, { set: { scsi5: 'local-zfs:vm-9999-pv' } });
    const [problem] = await refusals();
    expect(problem).toContain(
      'volumes of the CSI driver are attached to it (local-zfs:vm-9999-pv) that only pve1 has',
    );
    expect(site.lab.proxmox.pve.db.vms.get('151')?.host).toBe('pve1');
  });
});

describe('a node that someone moved', () => {
  it('with all its disks stays where it is', async () => {
    const { site, client } = await built(workerOn('pve1'), onSharedStorage);
    await client.runTask(() => client.migrateVm('pve1', 151, { target: 'pve2', online: true }));
    await client.runTask(() => client.migrateVm('pve1', 1510, { target: 'pve2' }));
    const plan = await site.plan(client);
    expect(plan.steps).toEqual([]);
    await expect(`${withoutPlanId(planText(plan, false))}\n`).toMatchFileSnapshot(
      '../e2e/fixtures/plans/moved-by-hand.txt',
    );
    // The file accepts it, and asks for another host after that.
    site.use(workerOn('pve2'));
    await site.apply(client);
    site.use(workerOn('pve1'));
    expect((await site.plan(client)).steps.map((step) => step.kind)).toContain('migrate-vm');
  });
});
