/** A token with privilege separation, the 17 privileges and the lock's 2 can provision and nothing beyond; each is needed. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Lab, startLab } from '../../src/lab/index.js';
import { findProfile } from '../../src/lab/profiles/profiles.js';
import { type Params, TestApi } from '../lab-client/api.js';
import { LOCK_PRIVILEGES, PROVISIONER_PRIVILEGES } from '../support/provisioner-privileges.js';

const ALL = [...PROVISIONER_PRIVILEGES, ...LOCK_PRIVILEGES] as const;

/** Each with the first refusal that a token without it meets. */
const NEEDED: Readonly<Record<(typeof ALL)[number], string>> = {
  'Pool.Allocate': 'take the lock: Permission check failed (/pool/oxherd_small.lock, Pool.Allocate)',
  'Pool.Audit': 'see who holds the lock: Permission check failed (/pool/oxherd_small.lock, Pool.Audit)',
  'VM.Allocate': 'create: Permission check failed',
  'VM.Audit': 'read: Permission check failed (/vms/100, VM.Audit)',
  'VM.PowerMgmt': 'start: Permission check failed (/vms/100, VM.PowerMgmt)',
  'VM.GuestAgent.Audit':
    'agent: Permission check failed (/vms/100, VM.GuestAgent.Audit|VM.GuestAgent.Unrestricted)',
  'VM.Config.CPU': 'create: Permission check failed (/vms/100, VM.Config.CPU)',
  'VM.Config.Memory': 'create: Permission check failed (/vms/100, VM.Config.Memory)',
  'VM.Config.Network': 'create: Permission check failed (/vms/100, VM.Config.Network)',
  'VM.Config.HWType': 'create: Permission check failed (/vms/100, VM.Config.HWType)',
  'VM.Config.Options': 'create: Permission check failed (/vms/100, VM.Config.Options)',
  'VM.Config.Disk': 'resize: Permission check failed (/vms/100, VM.Config.Disk)',
  'VM.Config.CDROM': 'cdrom: Permission check failed (/vms/100, VM.Config.CDROM)',
  'Datastore.AllocateSpace': 'create: Permission check failed (/storage/local-zfs, Datastore.AllocateSpace)',
  'Datastore.Audit': 'attach: Permission check failed (/storage/local-zfs, Datastore.Audit)',
  'Datastore.AllocateTemplate':
    'download: Permission check failed (/storage/local, Datastore.AllocateTemplate)',
  'SDN.Use': 'create: Permission check failed (/sdn/zones/localnetwork/vmbr0, SDN.Use)',
  'Sys.Audit': 'cluster status: Permission check failed (/, Sys.Audit)',
  'Sys.AccessNetwork': 'metadata: Permission check failed',
};

/** What the flow does not need stays forbidden. */
const BEYOND: readonly (Step & { readonly refusal: string })[] = [
  {
    name: 'snapshot',
    method: 'POST',
    path: '/nodes/pve1/qemu/100/snapshot',
    params: { snapname: 's1' },
    refusal: '403 Permission check failed (/vms/100, VM.Snapshot)',
  },
  {
    name: 'clone',
    method: 'POST',
    path: '/nodes/pve1/qemu/100/clone',
    params: { newid: 101 },
    refusal: '403 Permission check failed (/vms/100, VM.Clone)',
  },
  {
    name: 'delete a volume',
    method: 'DELETE',
    path: '/nodes/pve1/storage/local-zfs/content/local-zfs:vm-9999-pv',
    refusal: '403 Permission check failed (/storage/local-zfs, Datastore.Allocate)',
  },
  {
    name: 'start order',
    method: 'PUT',
    path: '/nodes/pve1/qemu/100/config',
    params: { startup: 'order=1' },
    refusal: '403 Permission check failed (/, Sys.Modify)',
  },
  {
    name: 'user',
    method: 'POST',
    path: '/access/users',
    params: { userid: 'x@pve' },
    refusal: '403 Permission check failed (/access/realm/pve, Realm.AllocateUser)',
  },
  {
    name: 'role',
    method: 'POST',
    path: '/access/roles',
    params: { roleid: 'X' },
    refusal: '403 Permission check failed (/access, Sys.Modify)',
  },
  {
    name: 'permission',
    method: 'PUT',
    path: '/access/acl',
    params: { path: '/', roles: 'Administrator', users: 'prov@pve' },
    refusal: '403 Permission check failed (/, Permissions.Modify)',
  },
];

interface Step {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly params?: Params;
}

const VM = '/nodes/pve1/qemu/100';

/** What building and running a Talos VM takes. */
const LOCK = 'oxherd_small.lock';

const FLOW: readonly Step[] = [
  { name: 'take the lock', method: 'POST', path: '/pools', params: { poolid: LOCK, comment: 'a run' } },
  { name: 'see who holds the lock', method: 'GET', path: `/pools/${LOCK}` },
  { name: 'write the holder', method: 'PUT', path: '/pools', params: { poolid: LOCK, comment: 'another' } },
  { name: 'cluster status', method: 'GET', path: '/cluster/status' },
  { name: 'storage content', method: 'GET', path: '/nodes/pve1/storage/local/content' },
  {
    name: 'create',
    method: 'POST',
    path: '/nodes/pve1/qemu',
    params: {
      vmid: 100,
      name: 'cp1',
      memory: 2048,
      cores: 2,
      cpu: 'host',
      machine: 'q35',
      scsihw: 'virtio-scsi-single',
      scsi0: 'local-zfs:0,import-from=local:import/talos.qcow2',
      net0: 'virtio,bridge=vmbr0',
      agent: 1,
      onboot: 1,
      tags: 'talos',
    },
  },
  { name: 'read', method: 'GET', path: `${VM}/config` },
  { name: 'resize', method: 'PUT', path: `${VM}/resize`, params: { disk: 'scsi0', size: '10G' } },
  { name: 'cdrom', method: 'PUT', path: `${VM}/config`, params: { ide2: 'local:iso/talos.iso,media=cdrom' } },
  {
    name: 'loose volume',
    method: 'POST',
    path: '/nodes/pve1/storage/local-zfs/content',
    params: { vmid: 9999, filename: 'vm-9999-pv', size: '1G' },
  },
  { name: 'attach', method: 'PUT', path: `${VM}/config`, params: { scsi1: 'local-zfs:vm-9999-pv' } },
  { name: 'cores', method: 'PUT', path: `${VM}/config`, params: { cores: 4 } },
  { name: 'start', method: 'POST', path: `${VM}/status/start` },
  { name: 'agent', method: 'POST', path: `${VM}/agent/ping` },
  { name: 'stop', method: 'POST', path: `${VM}/status/stop` },
  {
    name: 'metadata',
    method: 'GET',
    path: '/nodes/pve1/query-url-metadata',
    params: { url: 'http://127.0.0.1:1/x' },
  },
  {
    name: 'download',
    method: 'POST',
    path: '/nodes/pve1/storage/local/download-url',
    params: { content: 'iso', filename: 'x.iso', url: 'http://127.0.0.1:1/x.iso' },
  },
  { name: 'destroy', method: 'DELETE', path: VM },
  { name: 'release the lock', method: 'DELETE', path: '/pools', params: { poolid: LOCK } },
];

const labs: Lab[] = [];

afterEach(async () => {
  for (const lab of labs.splice(0)) {
    expect(lab.proxmox.bugs()).toEqual([]);
    await lab.stop();
  }
});

/** A token with these privileges, whose user has all of the set. */
async function provisioner(privileges: readonly string[]): Promise<TestApi> {
  const world = findProfile('recordings')?.world([]);
  const lab = await startLab({ ...(world && { world }) });
  labs.push(lab);
  const root = TestApi.withToken(lab);
  const prepare = async (method: string, path: string, params: Params) => {
    const answer = await root.call(method, path, params);
    expect(answer.status, answer.text).toBe(200);
    return answer.data;
  };
  await prepare('POST', '/access/roles', { roleid: 'All', privs: PROVISIONER_PRIVILEGES.join(',') });
  const some = (of: readonly string[]) => of.filter((one) => privileges.includes(one)).join(',');
  await prepare('POST', '/access/roles', { roleid: 'Some', privs: some(PROVISIONER_PRIVILEGES) });
  await prepare('POST', '/access/roles', { roleid: 'Lock', privs: LOCK_PRIVILEGES.join(',') });
  await prepare('POST', '/access/roles', { roleid: 'SomeLock', privs: some(LOCK_PRIVILEGES) });
  await prepare('POST', '/access/users', { userid: 'prov@pve' });
  const made = await prepare('POST', '/access/users/prov@pve/token/tf', { privsep: 1 });
  const { value } = z.object({ value: z.string() }).parse(made);
  await prepare('PUT', '/access/acl', { path: '/', roles: 'All', users: 'prov@pve' });
  await prepare('PUT', '/access/acl', { path: '/', roles: 'Some', tokens: 'prov@pve!tf' });
  await prepare('PUT', '/access/acl', { path: '/pool', roles: 'Lock', users: 'prov@pve' });
  await prepare('PUT', '/access/acl', { path: '/pool', roles: 'SomeLock', tokens: 'prov@pve!tf' });
  root.close();
  return TestApi.withToken(lab, `prov@pve!tf=${value}`);
}

async function refusals(api: TestApi, flow: readonly Step[]): Promise<string[]> {
  const refused: string[] = [];
  for (const step of flow) {
    const result = await api.run(step.method, step.path, step.params);
    if (result.startsWith('403')) refused.push(`${step.name}: ${result.slice(4)}`);
  }
  api.close();
  return refused;
}

describe('the smallest set of privileges', () => {
  it('is enough for the whole flow', async () => {
    expect(await refusals(await provisioner(ALL), FLOW)).toEqual([]);
  });

  it.each(Object.entries(NEEDED))('needs %s', async (missing, refusal) => {
    const api = await provisioner(ALL.filter((privilege) => privilege !== missing));
    expect((await refusals(api, FLOW))[0]).toBe(refusal);
  });

  it('allows nothing beyond', async () => {
    const api = await provisioner(ALL);
    for (const step of FLOW.slice(0, -2)) await api.run(step.method, step.path, step.params);
    for (const { name, method, path, params, refusal } of BEYOND) {
      expect(await api.run(method, path, params), name).toBe(refusal);
    }
    api.close();
  });
});
