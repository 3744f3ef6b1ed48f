import { describe, expect, it } from 'vitest';
import { loadConfig } from '../load.js';
import {
  chooseSite,
  type FoundHost,
  type FoundSite,
  foundNetwork,
  freeVmids,
  smallerMemory,
} from './found-site.js';
import { newConfigFile } from './new-file.js';

const GIB = 2 ** 30;
const storage = (id: string, type: string, content: string[], available = 100 * GIB) => ({
  id,
  type,
  content,
  available,
});
const host = (name: string, more: Partial<FoundHost> = {}): FoundHost => ({
  name,
  memory: { total: 64 * GIB, free: 60 * GIB },
  storages: [storage('local', 'dir', ['iso', 'backup']), storage('tank', 'zfspool', ['images', 'rootdir'])],
  bridges: [
    { name: 'vmbr1', vlanAware: false },
    { name: 'vmbr0', cidr: '192.168.7.11/24', gateway: '192.168.7.1', vlanAware: true },
  ],
  cpuTypes: ['host', 'x86-64-v2-AES'],
  ...more,
});
const site = (...hosts: FoundHost[]): FoundSite => ({ hosts, vmids: [], addresses: ['192.168.7.11'] });

describe('what a new config takes from the site', () => {
  it('is what all hosts have, with the command for what none has', () => {
    const found = site(
      host('a'),
      host('b', { storages: [...host('b').storages, storage('fast', 'lvmthin', ['images'])] }),
    );
    expect(chooseSite(found, ['a', 'b'])).toMatchObject({
      storage: 'tank',
      imageStorage: 'local',
      bridge: 'vmbr0',
      vlanAware: true,
      notes: ['no storage takes images yet; on a host: pvesm set local --content iso,backup,import'],
    });
  });

  it('says so where nothing fits', () => {
    const bare = host('a', { storages: [], bridges: [] });
    expect(chooseSite(site(bare), ['a']).notes).toHaveLength(3);
  });

  it('is the network of the hosts', () => {
    expect(foundNetwork(site(host('a')))).toEqual({ subnet: '192.168.7.0/24', gateway: '192.168.7.1' });
    const silent = host('a', { bridges: [{ name: 'vmbr0', cidr: '10.1.2.3/16', vlanAware: false }] });
    expect(foundNetwork(site(silent))).toEqual({ subnet: '10.1.0.0/16', gateway: '10.1.0.1' });
    expect(foundNetwork(site(host('a', { bridges: [] })))).toEqual({});
  });

  it('leaves ids alone that a VM or a data VM would need', () => {
    expect(freeVmids(undefined, 13)).toBe(141);
    expect(freeVmids({ ...site(), vmids: [145] }, 13)).toBe(151);
    expect(freeVmids({ ...site(), vmids: [1432] }, 13)).toBe(141);
    expect(freeVmids({ ...site(), vmids: [1430] }, 13)).toBe(151);
  });

  it('leaves room on small hosts', () => {
    expect(smallerMemory(site(host('a')), ['a'], 4)).toBeUndefined();
    expect(smallerMemory(site(host('a', { memory: { total: 16 * GIB, free: 12 * GIB } })), ['a'], 2)).toBe(4);
  });
});

describe('a config from what was found', () => {
  const answers = {
    name: 'pen',
    endpoint: 'https://192.168.7.11:8006',
    hosts: 'a, b',
    subnet: '192.168.7.0/24',
    gateway: '192.168.7.1',
    controlplanes: '1',
    workers: '2',
    vip: '',
    talos: 'v1.14.1',
    kubernetes: 'v1.36.0',
  };
  const load = (text: string) => loadConfig({ path: 'oxherd.yaml', text, readText: () => undefined });

  it('uses no address and no id that is taken', () => {
    const found = {
      ...site(host('a'), host('b')),
      vmids: [141],
      addresses: ['192.168.7.40', '192.168.7.41', '192.168.7.52'],
    };
    const { config } = load(newConfigFile(answers, { found, choice: chooseSite(found, ['a', 'b']) }));
    const used = config?.nodes.map(({ ip, vmid }) => [ip, vmid]) ?? [];
    expect(used).toHaveLength(3);
    expect(used.filter(([ip]) => found.addresses.includes(String(ip)))).toEqual([]);
    expect(used.map(([, vmid]) => vmid)).toEqual([151, 161, 162]);
  });

  it.each(['10.97.1.0/24', '10.244.3.0/24', '10.0.0.0/8'])(
    'in %s has other networks for pods and services',
    (subnet) => {
      const gateway = subnet.replace(/0\/\d+$/, '1');
      const { config, diagnostics } = load(newConfigFile({ ...answers, subnet, gateway }));
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(config?.cluster.podSubnets).toEqual(['172.20.0.0/16']);
    },
  );
});
