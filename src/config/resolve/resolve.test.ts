/** What a file means once its levels are merged. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { GIB } from '../../model/size.js';
import type { Config } from '../config.js';
import { formatDiagnostic } from '../diagnostics.js';
import { loadConfig } from '../load.js';

const FILE = {
  cluster: { name: 'pen', kubernetes: 'v1.36.0', scheduleOnControlPlanes: true },
  talos: { version: 'v1.14.1' },
  proxmox: { endpoint: 'https://pve1', cluster: 'lab', token: 'env:TOKEN' },
  network: { subnet: '10.0.0.0/24', gateway: '10.0.0.1' },
  nodes: { one: { role: 'controlplane', host: 'pve1', ip: '10.0.0.10', vmid: 110 } },
};

type Sections = Record<string, unknown>;

function load(changes: Sections, files: Readonly<Record<string, string>> = {}): Config {
  const text = stringify({ ...FILE, ...changes });
  const { config, diagnostics } = loadConfig({ path: 'x.yaml', text, readText: (path) => files[path] });
  return config ?? expect.fail(diagnostics.map((d) => formatDiagnostic(d)).join('\n'));
}

const nodeOf = (changes: Sections) => load(changes).nodes[0] ?? expect.fail();

describe('the uuid of a node', () => {
  const UUID = '853CA362-F588-4C52-AF66-13262197DE84';
  const one = { ...FILE.nodes.one, uuid: UUID };

  it('is written in lower case, and belongs to one node', () => {
    expect(nodeOf({ nodes: { one } }).uuid).toBe(UUID.toLowerCase());
    expect(nodeOf({}).uuid).toBeUndefined();
    const refused = (nodes: Sections) => {
      const text = stringify({ ...FILE, nodes });
      return loadConfig({ path: 'x.yaml', text, readText: () => undefined }).diagnostics.map(
        ({ code }) => code,
      );
    };
    expect(refused({ one: { ...one, count: 3 } })).toContain('node.group-uuid');
    expect(refused({ one: { ...one, uuid: 'no uuid' } })).toContain('config.value');
  });
});

describe('levels', () => {
  it('go from all to the role to the node', () => {
    const config = load({
      defaults: {
        all: {
          cores: 2,
          memory: '4GiB',
          tags: ['a'],
          labels: { a: '1', b: '1' },
          startup: { up: 5, down: 5 },
        },
        worker: { cores: 8, labels: { b: '2' }, diskOptions: { ssd: false } },
      },
      nodes: {
        one: { role: 'controlplane', host: 'pve1', ip: '10.0.0.10', vmid: 110 },
        two: {
          role: 'worker',
          host: 'pve1',
          ip: '10.0.0.11',
          vmid: 111,
          memory: '6GiB',
          tags: ['b'],
          labels: { c: '3' },
          startup: { order: 7, down: 9 },
          diskOptions: { backup: true },
        },
      },
    });
    const [one, two] = config.nodes;
    expect(one?.vm).toMatchObject({ cores: 2, memory: 4 * GIB, tags: ['a'], startup: { up: 5, down: 5 } });
    expect(one?.labels).toEqual({ a: '1', b: '1' });
    expect(two?.vm).toMatchObject({
      cores: 8,
      memory: 6 * GIB,
      tags: ['b'],
      startup: { order: 7, up: 5, down: 9 },
    });
    expect(two?.labels).toEqual({ a: '1', b: '2', c: '3' });
    expect(two?.vm.diskOptions).toMatchObject({ ssd: false, backup: true, discard: true, replicate: false });
  });

  it('take the NIC from the network, unless a level says otherwise', () => {
    const network = { ...FILE.network, bridge: 'vmbr1', vlan: 20, mtu: 9000 };
    expect(nodeOf({ network }).nics).toEqual([
      { bridge: 'vmbr1', mac: undefined, vlan: 20, mtu: 9000, firewall: false },
    ]);
    // 0 takes the tag away.
    expect(nodeOf({ network, defaults: { all: { vlan: 0, bridge: 'vmbr2' } } }).nics).toEqual([
      { bridge: 'vmbr2', mac: undefined, mtu: 9000, firewall: false },
    ]);
  });

  it('choose the firmware by layout, and threads by controller', () => {
    expect(nodeOf({}).vm).toMatchObject({ bios: 'seabios', diskOptions: { iothread: true } });
    expect(nodeOf({ defaults: { all: { layout: 'single' } } }).vm.bios).toBe('ovmf');
    expect(nodeOf({ defaults: { all: { scsiHardware: 'virtio-scsi-pci' } } }).vm.diskOptions.iothread).toBe(
      false,
    );
  });
});

describe('the profile `template`', () => {
  const defaults = { profile: 'template' };

  it("gives the template's own defaults", () => {
    const config = load({
      defaults,
      nodes: {
        b: { role: 'worker', host: 'pve1', ip: '10.0.0.11', vmid: 2002 },
        a: { role: 'controlplane', host: 'pve1', ip: '10.0.0.10', vmid: 2001 },
      },
    });
    const [worker, controller] = config.nodes;
    expect(config.network.firstBoot).toBe('dhcp');
    expect(controller).toMatchObject({
      layout: 'single',
      boot: 'iso',
      nics: [{ bridge: 'vmbr0', queues: 4 }],
    });
    expect(controller?.vm).toMatchObject({
      ...{
        cores: 4,
        memory: 8 * GIB,
        cpuType: 'host',
        numa: true,
        bios: 'ovmf',
        machine: 'q35',
        ostype: 'l26',
      },
      ...{ scsiHardware: 'virtio-scsi-pci', tags: ['kubernetes', 'linux', 'talos'], balloon: 0, agent: true },
      startup: { order: 4, up: 15, down: 60 },
      diskOptions: { discard: true, ssd: true, backup: false, replicate: false },
    });
    expect(worker?.vm).toMatchObject({ cores: 8, memory: 16 * GIB, startup: { order: 5, up: 15, down: 60 } });
  });

  it('is overridden by every level', () => {
    const node = nodeOf({ defaults: { ...defaults, all: { cpuType: 'x86-64-v3', startup: { order: 9 } } } });
    expect(node.vm).toMatchObject({ cpuType: 'x86-64-v3', startup: { order: 9, up: 15, down: 60 } });
  });
});

describe('groups and hosts', () => {
  const group = { role: 'controlplane', count: 3, ip: '10.0.0.9', vmid: 109 };
  const cluster = { ...FILE.cluster, vip: '10.0.0.40' };
  const hostsOf = (entry: Sections, more: Sections = {}) =>
    load({ cluster, nodes: { cp: { ...group, ...entry } }, ...more }).nodes.map(({ host, hostChoices }) => [
      host,
      ...hostChoices,
    ]);

  it('deal hosts out in turn', () => {
    expect(hostsOf({ hosts: ['a', 'b'] })).toEqual([['a'], ['b'], ['a']]);
    expect(hostsOf({ host: 'a' })).toEqual([['a'], ['a'], ['a']]);
  });

  it('leave the choice to placement', () => {
    const hosts = { hosts: { a: {}, b: {} } };
    expect(hostsOf({ hosts: 'auto' }, hosts)).toEqual([['auto'], ['auto'], ['auto']]);
    expect(hostsOf({}, hosts)).toEqual([['auto'], ['auto'], ['auto']]);
    expect(hostsOf({ host: 'auto', hosts: ['a', 'b'] })).toEqual(Array(3).fill(['auto', 'a', 'b']));
  });

  it('count addresses past a byte', () => {
    const network = { subnet: '10.0.0.0/23', gateway: '10.0.0.1' };
    const nodes = { cp: { ...group, ip: '10.0.0.254', host: 'a' } };
    expect(load({ cluster, network, nodes }).nodes.map(({ ip }) => ip)).toEqual([
      '10.0.0.254',
      '10.0.0.255',
      '10.0.1.0',
    ]);
  });
});

describe('sections', () => {
  it('complete endpoints with their ports and take several', () => {
    expect(load({}).proxmox).toMatchObject({ endpoints: ['https://pve1:8006'], tls: { kind: 'system' } });
    const endpoint = ['https://PVE1.lan/', 'https://[fd00::1]:443'];
    const fingerprint = 'ab'.repeat(32);
    expect(load({ proxmox: { ...FILE.proxmox, endpoint, fingerprint } }).proxmox).toMatchObject({
      endpoints: ['https://pve1.lan:8006', 'https://[fd00::1]:443'],
      tls: { kind: 'fingerprint', sha256: Array(32).fill('AB').join(':') },
    });
  });

  it('takes a fingerprint for each endpoint, beside one for the others', () => {
    const [a, b] = ['ab', 'cd'].map((byte) => byte.repeat(32));
    const normal = Array(32).fill('AB').join(':');
    const of = (endpoint: unknown, more: Sections = {}) =>
      load({ proxmox: { ...FILE.proxmox, ...more, endpoint } }).proxmox;
    expect(of({ url: 'https://pve1', fingerprint: a })).toMatchObject({
      endpoints: ['https://pve1:8006'],
      fingerprints: { 'https://pve1:8006': normal },
      tls: { kind: 'system' },
    });
    const mixed = [{ url: 'https://PVE1/', fingerprint: a }, 'https://pve2'];
    expect(of(mixed, { fingerprint: b })).toMatchObject({
      endpoints: ['https://pve1:8006', 'https://pve2:8006'],
      fingerprints: { 'https://pve1:8006': normal },
      tls: { kind: 'fingerprint' },
    });
    expect(of(['https://pve1', 'https://pve2'])).not.toHaveProperty('fingerprints');
    for (const wrong of [
      [{ url: 'https://pve1', fingerprint: 'ab' }],
      [{ url: 'https://pve1' }],
      [{ fingerprint: a }],
      [{ url: 'https://pve1', fingerprint: a, ca: 'x' }],
      ['https://pve1', { url: 'https://pve1:8006', fingerprint: a }],
    ])
      expect(() => of(wrong), JSON.stringify(wrong)).toThrow(/proxmox\.endpoint/);
  });

  it('read files, text and mappings alike', () => {
    const files = {
      'a.yaml': 'machine:\n  sysctls: {}\n',
      's.yaml':
        'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n',
    };
    const patches = {
      all: ['a.yaml', { machine: { time: { disabled: true } } }],
      worker: ['machine: {}\n---\nkind: X\n'],
    };
    const { talos, cluster } = load(
      {
        talos: { version: 'v1.14.1', schematic: 's.yaml', patches },
        cluster: {
          ...FILE.cluster,
          kubelet: 'extraArgs:\n  max-pods: "200"\n',
          apiServer: { extraArgs: { v: '4' } },
        },
      },
      files,
    );
    expect(talos.patches.all).toEqual([
      { text: files['a.yaml'], origin: 'a.yaml' },
      { text: 'machine:\n  time:\n    disabled: true\n', origin: 'talos.patches.all[1]' },
    ]);
    expect(talos.patches.worker).toEqual([
      { text: 'machine: {}\n---\nkind: X\n', origin: 'talos.patches.worker[0]' },
    ]);
    expect(cluster).toMatchObject({
      kubelet: { extraArgs: { 'max-pods': '200' } },
      apiServer: { extraArgs: { v: '4' } },
    });
  });

  it('take the machine-config contract from the version, v1.13 at most, or from oxherd.yaml', () => {
    expect(load({}).talos.contract).toEqual({ major: 1, minor: 13, patch: 0, pre: '' });
    expect(load({ talos: { version: 'v1.14.1', contract: 'v1.14' } }).talos.contract.minor).toBe(14);
    expect(load({ talos: { version: 'v1.14.1', contract: 'v1.12' } }).talos.contract.minor).toBe(12);
  });

  it('let a node differ in version and schematic', () => {
    const schematic = {
      customization: { systemExtensions: { officialExtensions: ['siderolabs/qemu-guest-agent', 'x/y'] } },
    };
    const nodes = { one: { ...FILE.nodes.one, talosVersion: 'v1.14.2', schematic } };
    expect(nodeOf({ nodes })).toMatchObject({ talosVersion: { patch: 2 }, schematic });
  });

  it('turn CSI on where there are CSI volumes, and keep the rest off', () => {
    expect(load({}).kubernetes).toEqual({ manifests: [] });
    const volumes = { pv: { type: 'proxmox-csi', size: '100M', host: 'pve1' } };
    const config = load({ volumes });
    expect(config.kubernetes.csi).toEqual({
      delete: false,
      acceptDeleteRisk: false,
      storageClasses: [],
      driver: 'built-in',
      images: {},
    });
    expect(config.volumes).toEqual([
      {
        ...{ name: 'pv', type: 'proxmox-csi', size: 100 * 1024 ** 2, host: 'pve1', storage: 'local-zfs' },
        ...{ format: 'raw', vmid: 9999, filesystem: 'ext4', storageClass: 'proxmox-csi', backup: false },
      },
    ]);
  });

  it('read durations, percentages and gates of the policy', () => {
    const policy = {
      maxUnavailable: '25%',
      drain: { timeout: '1h30m' },
      gates: { g: { resource: 'pods', expression: 'true', timeout: '90s' } },
    };
    expect(load({ policy }).policy).toMatchObject({
      maxUnavailable: { workers: '25%' },
      drain: { timeoutSeconds: 5400, deleteLocalData: true, force: false },
      gates: [{ name: 'g', resource: 'pods', expression: 'true', ifMissing: 'closed', timeoutSeconds: 90 }],
    });
  });

  it('change parts of a built-in gate', () => {
    const gates = { longhorn: { ifMissing: 'open' }, ceph: { timeout: '2h' } };
    expect(load({ policy: { gates } }).policy.gates).toMatchObject([
      { name: 'longhorn', resource: 'volumes.longhorn.io/v1beta2', ifMissing: 'open', timeoutSeconds: 3600 },
      { name: 'ceph', resource: 'cephclusters.ceph.rook.io/v1', ifMissing: 'closed', timeoutSeconds: 7200 },
    ]);
  });

  it('keep only where secrets are', () => {
    const encryption = { state: { key: 'static', passphrase: 'sops:s.yaml#disk.key' }, ephemeral: 'nodeID' };
    expect(load({ talos: { version: 'v1.14.1', encryption } }).talos.encryption).toEqual({
      state: {
        kind: 'static',
        passphrase: { kind: 'sops', path: 's.yaml', key: ['disk', 'key'] },
        lockToState: false,
      },
      ephemeral: { kind: 'nodeID', lockToState: false },
    });
  });

  it('give further NICs an address of their own', () => {
    const nics = [
      { bridge: 'vmbr1', ip: '10.9.0.2', subnet: '10.9.0.0/24', vlan: 5 },
      { bridge: 'vmbr2', dhcp: true },
    ];
    expect(nodeOf({ defaults: { all: { nics } } }).nics.slice(1)).toEqual([
      { bridge: 'vmbr1', mac: undefined, vlan: 5, firewall: false, address: { ip: '10.9.0.2', prefix: 24 } },
      { bridge: 'vmbr2', mac: undefined, firewall: false, address: 'dhcp' },
    ]);
  });
});
