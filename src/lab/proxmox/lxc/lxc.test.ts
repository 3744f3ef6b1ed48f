import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { findProfile } from '../../profiles/profiles.js';

const world = findProfile('empty')?.world(['pve1', 'pve2']) ?? { hosts: [], storages: [] };
const LXC = '/nodes/pve1/lxc';
const TEMPLATE = 'local:vztmpl/alpine.tar.xz';
const file = { status: 200, reason: 'OK', size: 9, contentType: '', sha256: '', body: new Uint8Array(9) };

let bench: Bench;
const config = async (vmid: number) => (await bench.send('GET', `${LXC}/${vmid}/config`)).data;
const create = (settings: Record<string, string | number> = {}) =>
  bench.run('POST', LXC, { vmid: 200, ostemplate: TEMPLATE, rootfs: 'local-zfs:2', ...settings });

beforeEach(async () => {
  bench = openBench(world, { files: () => file });
  const download = { content: 'vztmpl', filename: 'alpine.tar.xz', url: 'http://127.0.0.1/alpine' };
  expect(await bench.run('POST', '/nodes/pve1/storage/local/download-url', download)).toBe('OK');
});

describe('containers', () => {
  it('are made with their volumes and devices', async () => {
    const settings = {
      mp0: 'local-zfs:1,mp=srv/data',
      net0: 'name=eth0,bridge=vmbr0,ip=dhcp',
      cores: 2,
      start: 1,
    };
    expect(await create({ ...settings, description: 'one' })).toBe('OK');
    expect(await config(200)).toMatchObject({
      rootfs: 'local-zfs:vm-200-disk-0,size=2G',
      mp0: 'local-zfs:vm-200-disk-1,mp=srv/data,size=1G',
      net0: expect.stringMatching(/^name=eth0,bridge=vmbr0,hwaddr=BC:24:11:\S+,ip=dhcp,type=veth$/),
      cores: 2,
      memory: 512,
      unprivileged: 1,
      hostname: 'CT200',
      description: 'one\n',
    });
    expect((await bench.send('GET', '/cluster/nextid', { vmid: 200 })).status).toBe(400);
    expect((await bench.send('GET', `${LXC}/200/interfaces`)).data).toMatchObject([
      { name: 'lo' },
      { name: 'eth0' },
    ]);
  });

  it('are refused where the template, the storage or the id is wrong', async () => {
    expect(await create({ ostemplate: 'local:vztmpl/none.tar.xz' })).toContain('does not exist');
    expect(await create({ rootfs: 'local:2' })).toContain('400');
    expect(await create({ rootfs: '', mp0: 'local-zfs:1' })).toContain('400');
    await create();
    expect(await create()).toContain('CT 200 already exists');
    expect(await bench.run('POST', '/nodes/pve1/qemu', { vmid: 200 })).toContain('already exists');
  });

  it('keep what waits for the next start, and what is unmounted', async () => {
    await create({ mp0: 'local-zfs:1,mp=/a', start: 1 });
    await bench.send('PUT', `${LXC}/200/config`, { features: 'nesting=1', memory: 1024, delete: 'mp0' });
    expect((await bench.send('GET', `${LXC}/200/config`, { current: 1 })).data).not.toHaveProperty(
      'features',
    );
    expect(await config(200)).toMatchObject({
      features: 'nesting=1',
      memory: 1024,
      unused0: 'local-zfs:vm-200-disk-1',
    });
    expect(await bench.run('POST', `${LXC}/200/status/start`)).toContain('already running');
    expect(await bench.run('POST', `${LXC}/200/status/reboot`)).toBe('OK');
    expect((await bench.send('GET', `${LXC}/200/config`, { current: 1 })).data).toMatchObject({
      features: 'nesting=1',
    });
    expect(await bench.run('PUT', `${LXC}/200/resize`, { disk: 'rootfs', size: '+1G' })).toBe('OK');
    expect(await config(200)).toMatchObject({ rootfs: 'local-zfs:vm-200-disk-0,size=3G' });
  });

  it('are copied and destroyed with their volumes', async () => {
    await create({ net0: 'name=eth0,bridge=vmbr0', template: 1 });
    expect(await bench.run('POST', `${LXC}/200/clone`, { newid: 201, hostname: 'copy', full: 1 })).toBe('OK');
    expect(await bench.run('POST', `${LXC}/200/clone`, { newid: 202 })).toContain('Linked clone feature');
    const [one, other] = [await config(200), await config(201)];
    expect(other).toMatchObject({ hostname: 'copy', rootfs: 'local-zfs:vm-201-disk-0,size=2G' });
    expect(other).not.toMatchObject({ net0: (one as { net0: string }).net0 });
    expect(await bench.run('POST', `${LXC}/201/status/start`)).toBe('OK');
    expect(await bench.run('DELETE', `${LXC}/201`)).toContain('container is running');
    await bench.run('POST', `${LXC}/201/status/stop`);
    expect(await bench.run('DELETE', `${LXC}/201`)).toBe('OK');
    const content = (await bench.send('GET', '/nodes/pve1/storage/local-zfs/content')).data;
    expect(content).toMatchObject([{ volid: 'local-zfs:vm-200-disk-0' }]);
  });

  it('have firewalls', async () => {
    await create();
    await bench.send('POST', `${LXC}/200/firewall/ipset`, { name: 'lan' });
    await bench.send('POST', `${LXC}/200/firewall/ipset/lan`, { cidr: '10.0.0.0/8' });
    expect((await bench.send('DELETE', `${LXC}/200/firewall/ipset/lan/10.0.0.0/8`)).status).toBe(200);
    expect((await bench.send('GET', `${LXC}/200/firewall/ipset/lan`)).data).toEqual([]);
  });
});
