import { beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../../test/support/lab/proxmox/test-bench.js';
import { recordings } from '../../../profiles/recordings.js';

const QEMU = '/nodes/pve1/qemu';
const CONTENT = '/nodes/pve1/storage/local-zfs/content';

let bench: Bench;

/** What a CSI driver is given: its node's VM, one storage, and the id its volumes carry. */
beforeAll(async () => {
  bench = openBench(recordings);
  const root = async (method: string, path: string, params: Record<string, string | number>) =>
    expect(await bench.run(method, path, params)).toMatch(/^(OK|done)$/);
  await root('POST', '/access/roles', {
    roleid: 'Csi',
    privs: 'VM.Audit,VM.Config.Disk,Datastore.AllocateSpace,Datastore.Audit',
  });
  await root('POST', '/access/users', { userid: 'csi@pve' });
  for (const path of ['/vms/100', '/vms/9999', '/storage/local-zfs']) {
    await root('PUT', '/access/acl', { path, users: 'csi@pve', roles: 'Csi' });
  }
  await root('POST', QEMU, { vmid: 100, scsi0: 'local-zfs:1', net0: 'virtio,bridge=vmbr0' });
  await root('POST', QEMU, { vmid: 101, scsi0: 'local-zfs:1' });
});

const as = (method: string, path: string, params = {}) => bench.run(method, path, params, 'csi@pve');

describe('a CSI driver without Datastore.Allocate', () => {
  it('makes, attaches, grows and detaches volumes of its own id', async () => {
    const volume = { vmid: 9999, filename: 'vm-9999-pvc-1', size: '1G' };
    expect(await as('POST', CONTENT, volume)).toBe('done');
    expect(await as('PUT', `${QEMU}/100/config`, { scsi1: 'local-zfs:vm-9999-pvc-1,serial=p1' })).toBe(
      'done',
    );
    expect(await as('PUT', `${QEMU}/100/resize`, { disk: 'scsi1', size: '2G' })).toBe('OK');
    expect(await as('PUT', `${QEMU}/100/unlink`, { idlist: 'scsi1' })).toBe('done');
    const { data } = await bench.send('GET', CONTENT, {}, 'csi@pve');
    expect(data).toMatchObject([
      { volid: 'local-zfs:vm-100-disk-0' },
      { volid: 'local-zfs:vm-9999-pvc-1', size: 2 * 1024 ** 3 },
    ]);
  });

  it('touches no disk of another VM, destroys no volume, changes nothing but disks', async () => {
    expect(await as('PUT', `${QEMU}/100/config`, { scsi2: 'local-zfs:vm-101-disk-0' })).toBe(
      '403 Permission check failed (/vms/101, VM.Config.Disk)',
    );
    expect(await as('DELETE', `${CONTENT}/local-zfs:vm-9999-pvc-1`)).toBe(
      '403 Permission check failed (/storage/local-zfs, Datastore.Allocate)',
    );
    expect(await as('PUT', `${QEMU}/100/config`, { cores: 2 })).toBe(
      '403 Permission check failed (/vms/100, VM.Config.CPU)',
    );
    expect(await as('PUT', `${QEMU}/100/config`, { scsi3: 'vmdata:1' })).toBe(
      '403 Permission check failed (/storage/vmdata, Datastore.AllocateSpace)',
    );
    expect(await as('PUT', `${QEMU}/100/config`, { ide2: 'none,media=cdrom' })).toBe(
      '403 Permission check failed (/vms/100, VM.Config.CDROM)',
    );
    expect(await as('POST', `${QEMU}/100/status/start`)).toBe(
      '403 Permission check failed (/vms/100, VM.PowerMgmt)',
    );
  });

  it('has its rights checked again when the task begins', async () => {
    const { data: upid } = await bench.send(
      'POST',
      `${QEMU}/100/config`,
      { scsi4: 'local-zfs:1' },
      'csi@pve',
    );
    await bench.run('PUT', '/access/acl', { path: '/vms/100', users: 'csi@pve', roles: 'Csi', delete: 1 });
    await bench.wait(1_000);
    expect(bench.pve.db.tasks.get(String(upid))?.exitstatus).toBe(
      '403 Permission check failed (/vms/100, VM.Config.Disk)',
    );
    await bench.run('PUT', '/access/acl', { path: '/vms/100', users: 'csi@pve', roles: 'Csi' });
  });
});

describe('what is root@pam only', () => {
  it.each(['args', 'lock', 'affinity', 'vmgenid'])('is %s, on create too', async (key) => {
    await bench.run('PUT', '/access/acl', { path: '/', users: 'csi@pve', roles: 'Administrator' });
    const value = key === 'lock' ? 'backup' : key === 'affinity' ? '0-1' : '1';
    const refused = `500 only root can set '${key}' config`;
    expect(await as('PUT', `${QEMU}/100/config`, { [key]: value })).toBe(refused);
    expect(await as('POST', QEMU, { vmid: 105, [key]: value })).toBe(refused);
  });
});
