/** A token with few rights and privilege separation, on the lab that checks them as Proxmox does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planText } from '../../src/cli/views/plan.js';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import type { Plan } from '../../src/plan/plan.js';
import { smallCluster } from '../support/configs.js';
import { LOCK_PRIVILEGES, PROVISIONER_PRIVILEGES } from '../support/provisioner-privileges.js';
import { configOf, VmSite } from '../support/vm-site.js';

const DATA = '  data: { type: disk, size: 2GiB, on: worker }';
const MORE = '\n  more: { type: disk, size: 1GiB, on: worker }';
const file = (volumes: string, nodeOptions = '', more = '') =>
  smallCluster({ controlPlanes: 1, workers: 1, volumes, nodeOptions, more });

let site: VmSite;
let client: ProxmoxConnection;

beforeEach(async () => {
  site = await VmSite.start(configOf(file(DATA)));
  const root = site.connect();
  await root.createRole('Provisioner', PROVISIONER_PRIVILEGES);
  await root.createRole('Lock', LOCK_PRIVILEGES);
  await root.createUser('prov@pve');
  const { fullTokenId, secret } = await root.createToken('prov@pve', 'main', { privilegeSeparation: true });
  const subjects = { users: ['prov@pve'], tokens: [fullTokenId] };
  await root.grant({ path: '/', roles: ['Provisioner'], ...subjects });
  await root.grant({ path: '/pool', roles: ['Lock'], ...subjects });
  await root.close();
  client = site.connect({ token: `${fullTokenId}=${secret}` });
});
afterEach(async () => {
  await client.close();
  await site.stop();
});

async function apply(text: string): Promise<Plan> {
  site.use(text);
  const { result, events } = await site.apply(client);
  const failed = events.flatMap((event) => (event.type === 'step-failed' ? [event.error.message] : []));
  expect(failed).toEqual([]);
  expect(result.outcome).toBe('done');
  return site.plan(client);
}

describe('the 17 privileges, and Pool.Allocate and Pool.Audit on /pool', () => {
  it('are enough for VMs and disks: new, added, grown, parked, moved, removed', async () => {
    const scratch = '\n  scratch: { type: disk, size: 1GiB, storage: local-zfs, on: worker }';
    const files = [
      file(DATA),
      file(DATA + MORE),
      file(DATA.replace('2GiB', '3GiB') + MORE),
      file(DATA.replace('2GiB', '3GiB')),
      file(DATA.replace('2GiB', '3GiB') + MORE + scratch, ', cores: 3, description: "three"'),
      // To another storage.
      file(DATA.replace('2GiB', '3GiB, storage: local-zfs') + MORE + scratch, ', cores: 3'),
      // The worker leaves; its data VM stays.
      smallCluster({ controlPlanes: 1, workers: 0 }),
    ];
    for (const text of files) expect(await apply(text)).toMatchObject({ steps: [], problems: [] });
    expect([...site.lab.proxmox.pve.db.vms.values()].map((vm) => vm.vmid).sort()).toEqual([141, 1410, 1510]);
    expect(site.lab.proxmox.requests().byStatus.get(403) ?? 0).toBe(0);
    expect(site.lab.proxmox.pve.db.pools.size).toBe(0);
  });

  it('do not set a start order: that is shown as not permitted and is no change', async () => {
    const plan = await apply(file(DATA, ', startup: { order: 4 }'));
    expect(plan.steps).toEqual([]);
    expect(planText(plan, false)).toContain(
      'not-permitted  start order order=4 of VM 151 is not permitted: it needs Sys.Modify on /',
    );
    expect(planText(plan, false)).toMatch(/No changes\. The cluster matches oxherd\.yaml\.$/);
  });

  it('make the pool of the Talos VMs, but no users, roles and rights: the commands for it are printed', async () => {
    const csi = '\n  shared: { type: proxmox-csi, size: 1GiB, host: pve1 }';
    const plan = await apply(file(DATA + csi));
    expect(plan.steps).toEqual([]);
    const text = planText(plan, false);
    expect(text).toContain('the API token cannot create these; run them as admin:');
    expect(text).not.toContain('pveum pool add');
    expect(site.lab.proxmox.pve.db.pools.get('oxherd_small')?.vms).toEqual([141, 151]);
    expect(text).toMatch(
      /pveum role add oxherd_small.csi --privs "Datastore\.AllocateSpace,.*VM\.Config\.Disk"/,
    );
    expect(text).toContain('pveum user add oxherd_small.csi@pve');
    expect(text).toContain('pveum user token add oxherd_small.csi@pve csi --privsep 1');
    expect(text).toMatch(
      /pveum acl modify \/pool\/oxherd_small --users 'oxherd_small.csi@pve' --roles oxherd_small.csi/,
    );
    expect(text).toMatch(/No changes\. The cluster matches oxherd\.yaml\.$/);
  });

  it.each(['VM.PowerMgmt', 'Datastore.AllocateSpace', 'VM.Config.Disk'])(
    'without %s a step fails and names it',
    async (missing) => {
      const root = site.connect();
      await root.updateRole(
        'Provisioner',
        PROVISIONER_PRIVILEGES.filter((privilege) => privilege !== missing),
      );
      await root.close();
      const { result, events } = await site.apply(client);
      expect(result.outcome).toBe('failed');
      const said = events.flatMap((event) => (event.type === 'step-failed' ? [event.error.message] : []));
      expect(said.join('\n')).toContain(missing);
    },
  );

  it('without Pool.Allocate there is no lock, so nothing is done', async () => {
    const root = site.connect();
    await root.updateRole('Lock', ['Pool.Audit']);
    await root.close();
    await expect(site.apply(client)).rejects.toMatchObject({
      code: 'lock.not-permitted',
      message: expect.stringContaining('missing Pool.Allocate on /pool'),
    });
    expect(site.lab.proxmox.pve.db.vms.size).toBe(0);
  });

  it('without Pool.Audit no one sees who holds the lock, so nothing is done', async () => {
    const root = site.connect();
    await root.updateRole('Lock', ['Pool.Allocate']);
    await root.close();
    await expect(site.apply(client)).rejects.toMatchObject({
      code: 'lock.not-permitted',
      message: expect.stringContaining('missing Pool.Audit on /pool'),
      advice: expect.stringMatching(/pveum role add oxherd-pool --privs Pool.Audit/),
    });
    expect(site.lab.proxmox.pve.db.vms.size).toBe(0);
    expect(site.lab.proxmox.pve.db.pools.size).toBe(0);
  });
});
