/** What a token needs for making VMs, and that it may do nothing else with it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  clientOf,
  failureOf,
  labForTest,
  type TestClient,
} from '../../../test/support/clients/proxmox/lab.js';
import { PROVISIONER_PRIVILEGES } from '../../../test/support/provisioner-privileges.js';
import type { Lab } from '../../lab/index.js';
import { recordings } from '../../lab/profiles/recordings.js';
import { openApiSession } from './api-session.js';

/** A user and a token with privilege separation: what counts is what both have. */
async function provisioner(lab: Lab, privileges: readonly string[]): Promise<string> {
  const root = clientOf(lab);
  await root.createRole('Provisioner', privileges);
  await root.createUser('prov@pve');
  const { fullTokenId, secret } = await root.createToken('prov@pve', 'main', { privilegeSeparation: true });
  await root.grant({ path: '/', roles: ['Provisioner'], users: ['prov@pve'], tokens: [fullTokenId] });
  return `${fullTokenId}=${secret}`;
}

async function imageServer(): Promise<string> {
  const server = createServer((_, response) => response.end('x'.repeat(4096)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** All that provisioning does: an image, a VM that owns a disk, a VM that uses it, changes, power, the end. */
async function provision(client: TestClient, images: string): Promise<void> {
  await client.nodeStatus('pve1');
  await client.runTask(() =>
    client.downloadUrl('pve1', 'local', { content: 'iso', filename: 'new.iso', url: `${images}/new.iso` }),
  );
  await client.runTask(() =>
    client.createVm('pve1', 1000, { name: 'node-data', memory: 512, scsi0: 'local-zfs:1', protection: true }),
  );
  await client.runTask(() =>
    client.createVm('pve1', 100, {
      name: 'node',
      memory: 1024,
      cores: 2,
      machine: 'q35',
      net0: 'virtio,bridge=vmbr0',
      scsi0: 'local-zfs:0,import-from=local:import/talos.qcow2',
      agent: '1',
      tags: 'oxherd-test',
    }),
  );
  const { digest } = await client.vmPending('pve1', 100);
  await client.updateVm('pve1', 100, { set: { scsi1: 'local-zfs:vm-1000-disk-0' }, digest });
  await client.updateVm('pve1', 100, { set: { ide2: 'local:iso/talos.iso,media=cdrom' } });
  await client.updateVm('pve1', 100, { set: { ipconfig0: 'ip=dhcp', description: 'a node' } });
  await client.runTask(() => client.resizeDisk('pve1', 100, 'scsi0', '1G'));
  await client.runTask(() => client.startVm('pve1', 100));
  await client.vmStatus('pve1', 100);
  await client.guestInterfaces('pve1', 100);
  await client.runTask(() => client.stopVm('pve1', 100));
  await client.updateVm('pve1', 100, { delete: ['scsi1'] });
  await client.runTask(() => client.destroyVm('pve1', 100));
}

describe('the least privileges', () => {
  it('are enough for provisioning', async () => {
    const lab = await labForTest({ world: recordings });
    const client = clientOf(lab, { token: await provisioner(lab, PROVISIONER_PRIVILEGES) });
    await provision(client, await imageServer());
    expect((await client.vms()).map((vm) => vm.vmid)).toEqual([1000]);
    expect(client.sent.some((request) => request.status === 403)).toBe(false);
  });

  it('need the user to have them as well as the token', async () => {
    const lab = await labForTest({ world: recordings });
    const client = clientOf(lab, { token: await provisioner(lab, PROVISIONER_PRIVILEGES) });
    await clientOf(lab).revoke({ path: '/', roles: ['Provisioner'], users: ['prov@pve'] });
    expect((await failureOf(client.nodeStatus('pve1'))).code).toBe('proxmox.forbidden');
  });

  // VM.Allocate is recorded (provisioner-rights). The others follow the source of qemu-server 9.2.6, pve-storage 9.1.7
  // and pve-access-control 9.1.1 and the permissions in the API schema; no one has recorded them.
  it.each([
    ['Datastore.AllocateSpace', '(/storage/local-zfs, Datastore.AllocateSpace)'],
    ['Datastore.AllocateTemplate', '(/storage/local, Datastore.AllocateTemplate)'],
    ['Datastore.Audit', '(/storage/local-zfs, Datastore.Audit)'],
    ['SDN.Use', '(/sdn/zones/localnetwork/vmbr0, SDN.Use)'],
    ['Sys.AccessNetwork', ''],
    ['Sys.Audit', '(/nodes/pve1, Sys.Audit)'],
    ['VM.Allocate', ''],
    ['VM.Audit', '(/vms/100, VM.Audit)'],
    ['VM.Config.CDROM', '(/vms/100, VM.Config.CDROM)'],
    ['VM.Config.CPU', '(/vms/100, VM.Config.CPU)'],
    // Attaching a disk asks for the right on the VM that owns it, first.
    ['VM.Config.Disk', '(/vms/1000, VM.Config.Disk)'],
    ['VM.Config.HWType', '(/vms/100, VM.Config.HWType)'],
    ['VM.Config.Memory', '(/vms/1000, VM.Config.Memory)'],
    ['VM.Config.Network', '(/vms/100, VM.Config.Network)'],
    ['VM.Config.Options', '(/vms/1000, VM.Config.Options)'],
    ['VM.GuestAgent.Audit', '(/vms/100, VM.GuestAgent.Audit|VM.GuestAgent.Unrestricted)'],
    ['VM.PowerMgmt', '(/vms/100, VM.PowerMgmt)'],
  ])('without %s: Permission check failed %s', async (missing, detail) => {
    const lab = await labForTest({ world: recordings });
    const held = PROVISIONER_PRIVILEGES.filter((privilege) => privilege !== missing);
    const client = clientOf(lab, { token: await provisioner(lab, held) });
    const error = await failureOf(provision(client, await imageServer()));
    expect(error.code).toBe('proxmox.forbidden');
    expect(error.message).toBe(`Permission check failed ${detail}`.trim());
  });

  it('allow nothing beyond', async () => {
    const lab = await labForTest({ world: recordings });
    const token = await provisioner(lab, PROVISIONER_PRIVILEGES);
    const client = clientOf(lab, { token });
    const session = openApiSession({
      endpoints: [lab.endpoint],
      token,
      tls: { kind: 'insecure' },
      clock: lab.clock,
      random: () => 0,
    });
    onTestFinished(() => session.close());
    await client.runTask(() => client.createVm('pve1', 100, { memory: 512, scsi0: 'local-zfs:1' }));
    await client.allocVolume('pve1', 'local-zfs', { vmid: 900, filename: 'vm-900-x', size: 1024 ** 2 });

    const beyond: Record<string, () => Promise<unknown>> = {
      'Permission check failed (/, Sys.Modify)': () =>
        client.updateVm('pve1', 100, { set: { startup: 'order=1' } }),
      'Permission check failed (/vms/100, VM.Snapshot)': () => client.createSnapshot('pve1', 100, 's1'),
      'Permission check failed (/vms/100, VM.Clone)': () => client.cloneVm('pve1', 100, { newid: 101 }),
      'Permission check failed (/vms/100, VM.Migrate)': () =>
        client.migrateVm('pve1', 100, { target: 'pve1' }),
      'Permission check failed (/pool/one, Pool.Allocate)': () => client.createPool('one'),
      'Permission check failed (/storage/local-zfs, Datastore.Allocate)': () =>
        client.deleteVolume('pve1', 'local-zfs:vm-900-x'),
      'Permission check failed (/storage/local, Datastore.Allocate)': () =>
        client.deleteVolume('pve1', 'local:iso/talos.iso'),
      'Permission check failed (/access/realm/pve, Realm.AllocateUser)': () => client.createUser('x@pve'),
      'Permission check failed (/access, Sys.Modify)': () => client.createRole('X', ['VM.Audit']),
      'Permission check failed (/mapping/pci/gpu, Mapping.Use)': () =>
        client.updateVm('pve1', 100, { set: { hostpci0: 'mapping=gpu' } }),
      "only root can set 'args' config": () => client.updateVm('pve1', 100, { set: { args: '-S' } }),
      'Permission check failed (/, Permissions.Modify)': () =>
        client.grant({ path: '/', roles: ['Administrator'], users: ['prov@pve'] }),
    };
    for (const [text, work] of Object.entries(beyond)) {
      expect((await failureOf(work())).message).toBe(text);
    }
    expect((await failureOf(session.request('PUT', '/cluster/options', { description: 'x' }))).status).toBe(
      403,
    );
    expect(await client.storageContent('pve1', 'local-zfs')).toHaveLength(2);
  });
});
