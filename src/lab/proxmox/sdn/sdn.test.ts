import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { findProfile } from '../../profiles/profiles.js';

const world = findProfile('empty')?.world(['pve1', 'pve2']) ?? { hosts: [], storages: [] };
const SDN = '/cluster/sdn';

let bench: Bench;
const send = (...request: Parameters<Bench['send']>) => bench.send(...request);
const data = async (...request: Parameters<Bench['send']>) => (await bench.send(...request)).data;
const zone = (settings: Record<string, string | number>) => send('POST', `${SDN}/zones`, settings);

beforeEach(() => {
  bench = openBench(world);
});

describe('the software-defined network', () => {
  it('has what is configured waiting until it is applied', async () => {
    await zone({ zone: 'lan', type: 'simple', nodes: 'pve1' });
    await send('POST', `${SDN}/vnets`, { vnet: 'vnet1', zone: 'lan' });
    expect(await data('GET', `${SDN}/zones/lan`, { pending: 1 })).toMatchObject({
      state: 'new',
      pending: { nodes: 'pve1' },
    });
    expect(await data('GET', `${SDN}/zones`, { running: 1 })).toEqual([]);
    expect(await data('GET', '/nodes/pve1/network', { type: 'any_bridge' })).toHaveLength(1);
    expect(await bench.run('PUT', SDN)).toBe('OK');
    expect(await data('GET', '/nodes/pve1/network', { type: 'any_bridge' })).toMatchObject([
      {},
      { iface: 'vnet1', type: 'vnet' },
    ]);
    expect(await data('GET', '/nodes/pve2/network', { type: 'any_bridge' })).toHaveLength(1);
    await send('PUT', `${SDN}/zones/lan`, { delete: 'nodes', mtu: 1400 });
    const pending = await data('GET', `${SDN}/zones/lan`, { pending: 1 });
    expect(pending).toMatchObject({
      state: 'changed',
      nodes: 'pve1',
      pending: { nodes: 'deleted', mtu: 1400 },
    });
    await send('POST', `${SDN}/rollback`);
    expect(await data('GET', `${SDN}/zones/lan`)).toMatchObject({ nodes: 'pve1' });
  });

  it('refuses tags by the type of the zone', async () => {
    await zone({ zone: 'lan', type: 'simple' });
    await zone({ zone: 'tagged', type: 'vlan', bridge: 'vmbr0' });
    await zone({ zone: 'tunnel', type: 'vxlan', peers: '10.0.0.1,10.0.0.2' });
    const vnet = (vnet: string, zone: string, tag?: number) =>
      data('POST', `${SDN}/vnets`, { vnet, zone, ...(tag !== undefined && { tag }) });
    expect(await vnet('va', 'lan', 3)).toContain('vlan tag is not allowed on simple zone');
    expect(await vnet('va', 'tagged')).toContain('missing vlan tag');
    expect(await vnet('va', 'tagged', 9)).toBeNull();
    expect(await vnet('vb', 'tagged', 9)).toContain('tag 9 already exist in vnet va');
    expect(await vnet('vb', 'tunnel')).toContain('missing vxlan tag');
    expect(await data('DELETE', `${SDN}/zones/tagged`)).toContain('zone tagged is used by vnet va');
    expect((await zone({ zone: 'tun2', type: 'vxlan' })).data).toContain(
      'must have exactly one of peers / fabric',
    );
    expect((await zone({ zone: 'q', type: 'simple' })).status).toBe(400);
  });

  it('has subnets with gateways and ranges inside', async () => {
    await zone({ zone: 'lan', type: 'simple' });
    await send('POST', `${SDN}/vnets`, { vnet: 'vnet1', zone: 'lan' });
    const subnets = `${SDN}/vnets/vnet1/subnets`;
    const make = (settings: Record<string, string>) =>
      data('POST', subnets, { type: 'subnet', subnet: '10.1.0.0/24', ...settings });
    expect(await make({ gateway: '10.2.0.1' })).toContain('10.2.0.1 is not in subnet 10.1.0.0/24');
    expect(await make({ 'dhcp-range': 'start-address=10.1.0.9,end-address=10.1.0.5' })).toContain(
      'must be smaller',
    );
    expect(
      await make({ gateway: '10.1.0.1', 'dhcp-range': 'start-address=10.1.0.5,end-address=10.1.0.9' }),
    ).toBeNull();
    expect(await data('GET', `${subnets}/lan-10.1.0.0-24`)).toMatchObject({
      cidr: '10.1.0.0/24',
      zone: 'lan',
      'dhcp-range': [{ 'start-address': '10.1.0.5', 'end-address': '10.1.0.9' }],
    });
    expect(await data('DELETE', `${SDN}/vnets/vnet1`)).toContain("Can't delete vnet if subnets exists");
  });

  it('has controllers and fabrics, and a lock for one writer', async () => {
    const controllers = `${SDN}/controllers`;
    expect(await data('POST', controllers, { controller: 'main', type: 'evpn', asn: 65000 })).toContain(
      'exactly one of peers',
    );
    await send('POST', controllers, { controller: 'main', type: 'evpn', asn: 65000, peers: '10.0.0.1' });
    expect((await zone({ zone: 'ev', type: 'evpn', controller: 'none', 'vrf-vxlan': 5 })).data).toContain(
      "controller none don't exist",
    );
    await zone({ zone: 'ev', type: 'evpn', controller: 'main', 'vrf-vxlan': 5 });
    expect(await data('GET', `${SDN}/zones/ev`)).toMatchObject({
      mac: expect.stringMatching(/^BC:24:11(:[0-9A-F]{2}){3}$/),
    });
    await send('POST', `${SDN}/fabrics/fabric`, {
      id: 'fab',
      protocol: 'ospf',
      area: '0',
      ip_prefix: '10.9.0.0/16',
    });
    await send('POST', `${SDN}/fabrics/node/fab`, { node_id: 'pve1', protocol: 'ospf', ip: '10.9.0.1' });
    expect(await data('GET', `${SDN}/fabrics/node/fab`)).toMatchObject([
      { fabric_id: 'fab', node_id: 'pve1' },
    ]);
    const token = await data('POST', `${SDN}/lock`, { 'allow-pending': 1 });
    expect((await zone({ zone: 'late', type: 'simple' })).data).toContain('invalid lock token');
    expect((await zone({ zone: 'late', type: 'simple', 'lock-token': String(token) })).status).toBe(200);
  });
});

describe('the network of a host', () => {
  const network = '/nodes/pve1/network';

  it('changes with the next reload', async () => {
    await send('POST', network, {
      iface: 'vmbr7',
      type: 'bridge',
      cidr: '10.7.0.1/24',
      mtu: 1400,
      comments: 'seven',
    });
    expect(await data('GET', `${network}/vmbr7`)).toMatchObject({
      address: '10.7.0.1',
      netmask: '24',
      mtu: '1400',
      comments: 'seven\n',
    });
    expect(await bench.run('PUT', network)).toBe('OK');
    await send('PUT', `${network}/vmbr7`, { type: 'bridge', autostart: 1 });
    // An address that is not sent again stays in the file, and is not used.
    expect(await data('GET', `${network}/vmbr7`)).toMatchObject({ address: '10.7.0.1', method: 'manual' });
    await send('DELETE', network);
    expect(await data('GET', `${network}/vmbr7`)).toMatchObject({ cidr: '10.7.0.1/24', method: 'static' });
  });

  it('refuses names, gateways and ports that are taken', async () => {
    expect((await send('POST', network, { iface: 'vmbr0', type: 'bridge' })).status).toBe(400);
    await send('POST', network, {
      iface: 'vmbr8',
      type: 'bridge',
      cidr: '10.8.0.1/24',
      gateway: '10.8.0.254',
      bridge_ports: 'eno8',
    });
    const taken = await send('POST', network, {
      iface: 'vmbr9',
      type: 'bridge',
      cidr: '10.8.1.1/24',
      gateway: '10.8.1.254',
    });
    expect(taken.status).toBe(400);
    expect((await send('POST', network, { iface: 'bond0', type: 'bond', slaves: 'eno8' })).status).toBe(400);
  });
});
