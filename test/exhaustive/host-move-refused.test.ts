/** Moves to another host that cannot be: what is missing, what is down, what is full. VMs and disks alone. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import type { LabWorld } from '../../src/lab/world.js';
import { worldOf } from '../../src/session/lab/lab-world.js';
import { workerOn } from '../support/move-scenarios.js';
import { PROVISIONER_PRIVILEGES } from '../support/provisioner-privileges.js';
import { configOf, VmSite } from '../support/vm-site.js';

let site: VmSite;
let client: ProxmoxConnection;
afterEach(async () => {
  await client.close();
  await site.stop();
});

async function build(
  text = workerOn('pve1'),
  adapt: (world: LabWorld) => LabWorld = (world) => world,
): Promise<void> {
  const config = configOf(text);
  site = await VmSite.start(config, { world: adapt(worldOf(config)) });
  client = site.connect();
  expect((await site.apply(client)).result.outcome).toBe('done');
}

/** What is said of the worker; nothing of it may be in the plan. */
async function refusal(through = client): Promise<string> {
  const plan = await site.plan(through);
  expect(plan.steps.filter((step) => step.node === 'work-1')).toEqual([]);
  expect(plan.notes.filter((note) => note.code === 'drift')).toEqual([]);
  return plan.problems.map(({ message, advice }) => `${message}: ${advice}`).join('\n');
}

const down = (host: string) =>
  site.lab.core.faults.set({ name: 'host-down', subject: host, countdown: null });
const where = (vmid: number) => site.lab.proxmox.pve.db.vms.get(String(vmid))?.host;

describe('a move that cannot be', () => {
  it('without VM.Migrate says how to grant it, and goes on when it is granted', async () => {
    await build();
    await client.createRole('Provisioner', PROVISIONER_PRIVILEGES);
    await client.createRole('Lock', ['Pool.Allocate', 'Pool.Audit']);
    await client.createUser('prov@pve');
    const { fullTokenId, secret } = await client.createToken('prov@pve', 'main', {
      privilegeSeparation: true,
    });
    const subjects = { users: ['prov@pve'], tokens: [fullTokenId] };
    await client.grant({ path: '/', roles: ['Provisioner'], ...subjects });
    await client.grant({ path: '/pool', roles: ['Lock'], ...subjects });
    site.use(workerOn('pve2'));
    const few = site.connect({ token: `${fullTokenId}=${secret}` });
    try {
      const said = await refusal(few);
      expect(said).toMatch(
        /^work-1 cannot move to pve2: the token may not migrate VM 1510 and 151 \(VM\.Migrate\): grant it as an administrator: pveum role add oxherd-vms /,
      );
      expect(said).toContain(
        "; pveum acl modify /vms --users prov@pve --tokens 'prov@pve!main' --roles oxherd-vms; or leave it where it is and write host: pve1",
      );
      // The commands as they stand: a role on /vms takes the place of the one on /, so it must hold enough.
      const privileges = /pveum role add oxherd-vms --privs (\S+)/.exec(said)?.[1]?.split(',') ?? [];
      await client.createRole('oxherd-vms', privileges);
      await client.grant({ path: '/vms', roles: ['oxherd-vms'], ...subjects });
      expect((await site.apply(few)).result.outcome).toBe('done');
    } finally {
      await few.close();
    }
    expect([where(151), where(1510)]).toEqual(['pve2', 'pve2']);
  });

  it('because the PCI mapping has no device there', async () => {
    const gpu = ', pci: [{ mapping: gpu }]';
    await build(workerOn('pve1', gpu), (world) => ({
      ...world,
      pciMappings: (world.pciMappings ?? []).map(({ id, map }) => ({
        id,
        map: map.filter((line) => !line.includes('node=pve2')),
      })),
    }));
    site.use(workerOn('pve2', gpu));
    expect(await refusal()).toBe(
      'work-1: PCI mapping gpu has no device on pve2: add it in Proxmox under Datacenter → Resource Mappings',
    );
    expect(where(151)).toBe('pve1');
  });

  it('because the host it goes to is down', async () => {
    await build();
    down('pve2');
    site.use(workerOn('pve2'));
    expect(await refusal()).toBe(
      'Proxmox host pve2 is down; node work-1 is left as it is on pve1: bring pve2 back, then run apply again; or leave the node where it is and write host: pve1; if pve2 never comes back: oxherd host lost pve2 --confirm pve2',
    );
  });

  it('because the host it is on is down: nothing of it is made elsewhere', async () => {
    // The worker alone is on pve2; requests go through pve1.
    await build(workerOn('pve2'));
    down('pve2');
    for (const host of ['pve2', 'pve1']) {
      site.use(workerOn(host));
      expect(await refusal()).toBe(
        'Proxmox host pve2 is down; node work-1 is left as it is, and nothing of it is created elsewhere: bring pve2 back, then run apply again; if pve2 never comes back: oxherd host lost pve2 --confirm pve2',
      );
    }
    site.lab.core.faults.clear('host-down', 'pve2');
    expect((await site.apply(client)).result.outcome).toBe('done');
    expect([where(151), where(1510)]).toEqual(['pve1', 'pve1']);
    expect(site.problems()).toEqual([]);
  });
});

describe('a storage that is full', () => {
  it('only when the copy begins: the node is stopped, its disks are where they were, and apply goes on', async () => {
    await build();
    const before = site.disks();
    site.lab.core.faults.set({ name: 'storage-full', subject: 'local-zfs', countdown: null });
    site.use(workerOn('pve2'));
    const { result, events } = await site.apply(client);
    expect(result.outcome).toBe('failed');
    const failed = events.flatMap((event) => (event.type === 'step-failed' ? [event] : []));
    expect(failed.map(({ step }) => step)).toEqual(['migrate-vm:1510']);
    expect(failed[0]?.error.message).toMatch(
      /^VM 1510 stays on pve1: storage migration for 'local-zfs:vm-1510-disk-0' to storage 'local-zfs' failed - .*out of space/,
    );
    expect(failed[0]?.error.advice).toMatch(/run apply again; or write host: pve1/);
    expect([where(151), where(1510)]).toEqual(['pve1', 'pve1']);
    for (const [wwn, volumes] of site.disks()) expect(volumes).toEqual(before.get(wwn));
    // The file takes the move back: the node starts where it was.
    site.use(workerOn('pve1'));
    const plan = await site.plan(client);
    expect(plan.problems).toEqual([]);
    expect(plan.steps.map((step) => step.kind)).toEqual(expect.arrayContaining(['attach-drive', 'start-vm']));
    // Or it is repeated when there is room.
    site.lab.core.faults.clear('storage-full', 'local-zfs');
    site.use(workerOn('pve2'));
    expect((await site.apply(client)).result.outcome).toBe('done');
    expect([where(151), where(1510)]).toEqual(['pve2', 'pve2']);
    expect(site.problems()).toEqual([]);
    expect((await site.plan(client)).steps).toEqual([]);
  });
});
