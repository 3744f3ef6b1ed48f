import { describe, expect, it } from 'vitest';
import {
  config,
  diskOptions,
  diskVolume,
  gib,
  ip,
  mac,
  nic,
  nodeConfig,
  version,
  vmOptions,
} from '../../test/support/design/config.js';
import type { Config } from '../config/config.js';
import type { PartitionVolume } from '../config/volume-config.js';
import { OxherdError } from '../model/error.js';
import { design } from './design-cluster.js';

const SCHEMATIC_ID = 'ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515';

function only(value: Config) {
  const [node] = design(value).nodes;
  if (!node) throw new RangeError('no node');
  return node;
}

describe('images', () => {
  it('are one per host in use, version and boot', () => {
    const nodes = [
      nodeConfig('a', 101, 'worker'),
      nodeConfig('b', 102, 'worker'),
      nodeConfig('c', 103, 'worker', { host: 'pve2' }),
      nodeConfig('d', 104, 'worker', { host: 'pve2', talosVersion: version('v1.14.2') }),
      nodeConfig('e', 105, 'worker', { boot: 'iso' }),
    ];
    expect(design(config({ nodes })).images.map((image) => `${image.host} ${image.volid}`)).toEqual([
      `pve1 local:import/talos-${SCHEMATIC_ID}-v1.14.1-nocloud-amd64.qcow2`,
      `pve1 local:iso/talos-${SCHEMATIC_ID}-v1.14.1-nocloud-amd64.iso`,
      `pve2 local:import/talos-${SCHEMATIC_ID}-v1.14.1-nocloud-amd64.qcow2`,
      `pve2 local:import/talos-${SCHEMATIC_ID}-v1.14.2-nocloud-amd64.qcow2`,
    ]);
  });

  it('carry the env in their name, not in their address', () => {
    const base = config();
    const [image] = design({ ...base, cluster: { ...base.cluster, env: 'dev' } }).images;
    expect(image).toMatchObject({
      content: 'import',
      filename: `dev-talos-${SCHEMATIC_ID}-v1.14.1-nocloud-amd64.qcow2`,
      url: `https://factory.talos.dev/image/${SCHEMATIC_ID}/v1.14.1/nocloud-amd64.qcow2`,
    });
  });
});

describe('drives', () => {
  const partition = (name: string, place: 'disk' | 'ephemeral'): PartitionVolume => ({
    name,
    type: 'partition',
    on: 'worker',
    size: gib(3),
    place,
    filesystem: 'xfs',
    backup: undefined,
  });
  const volumes = [
    diskVolume('b'),
    partition('c', 'disk'),
    partition('d', 'ephemeral'),
    diskVolume('a', { on: 'all' }),
  ];
  const backups = (node: ReturnType<typeof only>) =>
    node.drives.map((drive) => `${drive.name} ${drive.ownerOptions.backup}${drive.talosOptions.backup}`);

  it('are the OS, EPHEMERAL, and the volumes of the role by name', () => {
    const { nodes } = design(config({ volumes }));
    expect(nodes.map((node) => node.drives.map((drive) => drive.name))).toEqual([
      ['os', 'ephemeral', 'a'],
      ['os', 'ephemeral', 'a', 'b', 'c'],
    ]);
  });

  it('belong to the data VM where their data is kept', () => {
    const [, worker] = design(config({ volumes })).nodes;
    expect(worker?.drives.map((drive) => [drive.owner, drive.kept])).toEqual([
      [151, false],
      [1510, true],
      [1510, true],
      [1510, true],
      [1510, true],
    ]);
    expect(worker?.drives.map((drive) => drive.importFrom)).toEqual([
      `local:import/talos-${SCHEMATIC_ID}-v1.14.1-nocloud-amd64.qcow2`,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are backed up through the Talos VM alone; System disks and the etcd of control planes never', () => {
    const [controlplane, worker] = design(config({ volumes })).nodes;
    if (!controlplane || !worker) throw new RangeError('no nodes');
    expect(backups(controlplane)).toEqual(['os 00', 'ephemeral 00', 'a 01']);
    expect(backups(worker)).toEqual(['os 00', 'ephemeral 01', 'a 01', 'b 01', 'c 01']);
  });

  it('follow the choice of the node, and of the volume before it', () => {
    const vm = vmOptions({ diskOptions: { ...diskOptions, backup: false } });
    const chosen = [diskVolume('a', { backup: true, on: 'all' }), diskVolume('b')];
    const nodes = [nodeConfig('w', 151, 'worker', { vm })];
    expect(backups(only(config({ nodes, volumes: chosen })))).toEqual([
      'os 00',
      'ephemeral 00',
      'a 01',
      'b 00',
    ]);
  });

  it('keep the identity of the name they were made with', () => {
    const wwn = (volume: ReturnType<typeof diskVolume>) => {
      const nodes = [nodeConfig('w', 151, 'worker')];
      return only(config({ nodes, volumes: [volume] })).drives[2]?.wwn;
    };
    expect(wwn(diskVolume('new', { was: 'old' }))).toBe(wwn(diskVolume('old')));
    expect(wwn(diskVolume('new'))).not.toBe(wwn(diskVolume('old')));
  });

  it('are one in the layout single, which keeps nothing apart', () => {
    const nodes = [nodeConfig('w', 151, 'worker', { layout: 'single' })];
    const node = only(config({ nodes, volumes }));
    expect(node.dataVm).toBeUndefined();
    expect(node.drives).toMatchObject([
      { name: 'os', kind: 'system', size: gib(20), owner: 151, kept: false },
    ]);
  });

  it('need room for the id of a data VM', () => {
    expect(() => design(config({ nodes: [nodeConfig('w', 123_456_789, 'worker')] }))).toThrow(OxherdError);
  });
});

describe('a Talos VM', () => {
  const vm = (overrides: Parameters<typeof nodeConfig>[3], value: Partial<Config> = {}) =>
    only(config({ nodes: [nodeConfig('work-1', 151, 'worker', overrides)], ...value })).talosVm;
  const dhcp = { network: { ...config().network, firstBoot: 'dhcp' as const } };

  it('boots the image, with its address on a cloud-init drive', () => {
    const { options, auxiliary } = vm({});
    expect(options.boot).toBe('order=scsi0');
    expect(options.ipconfig0).toBe('gw=10.255.255.254,ip=10.0.0.151/8');
    expect(options.nameserver).toBe('10.255.255.254');
    expect(auxiliary).toEqual({ ide2: { kind: 'cloudinit', storage: 'local-zfs' } });
  });

  it('has the ISO on ide2, and cloud-init beside it', () => {
    const { options, auxiliary } = vm({ boot: 'iso' });
    expect(options.boot).toBe('order=scsi0;ide2;net0');
    expect(auxiliary).toMatchObject({ ide0: { kind: 'cloudinit' }, ide2: { kind: 'cdrom' } });
  });

  it('has no cloud-init drive where DHCP gives the address', () => {
    const { options, auxiliary } = vm({ boot: 'iso' }, dhcp);
    expect(Object.keys(auxiliary)).toEqual(['ide2']);
    expect(options.ipconfig0).toBeUndefined();
    expect(options.nameserver).toBeUndefined();
    expect(vm({}, dhcp).auxiliary).toEqual({});
  });

  it('has an EFI disk with UEFI', () => {
    expect(vm({ vm: vmOptions({ bios: 'ovmf' }) }).auxiliary.efidisk0).toEqual({
      kind: 'efi',
      storage: 'local-zfs',
      efitype: '4m',
      preEnrolledKeys: false,
    });
  });

  it('has one MAC per NIC, given or computed, and addresses of further NICs', () => {
    const { options } = vm({
      nics: [
        { ...nic, mtu: 9000 },
        {
          ...nic,
          bridge: 'vmbr1',
          mac: mac('BC:24:11:00:00:01'),
          address: { ip: ip('192.168.0.9'), prefix: 24 },
        },
        { ...nic, firewall: true, address: 'dhcp', vlan: 0 },
        { ...nic },
      ],
    });
    expect(options.net0).toMatch(/^virtio=BC:24:11(:[0-9A-F]{2}){3},bridge=vmbr0,firewall=0,mtu=9000$/);
    expect(options.net1).toBe('virtio=BC:24:11:00:00:01,bridge=vmbr1,firewall=0');
    expect(options.net2).toMatch(/,bridge=vmbr0,firewall=1$/);
    expect([options.ipconfig1, options.ipconfig2, options.ipconfig3]).toEqual([
      'ip=192.168.0.9/24',
      'ip=dhcp',
      undefined,
    ]);
    expect(
      new Set([options.net0, options.net2, options.net3].map((line) => String(line).slice(0, 24))).size,
    ).toBe(3);
  });

  it('is described and tagged, in small letters and sorted', () => {
    const { options } = vm({ vm: vmOptions({ tags: ['Zeta', 'alpha', 'k8s'], description: 'mine' }) });
    expect(options.tags).toBe('alpha;k8s;oxherd_homelab;worker;zeta');
    expect(options.description).toBe('mine');
  });

  it.each([
    [{ order: 3 }, 'order=3'],
    [{ up: 0, down: 60 }, 'up=0,down=60'],
    [{}, undefined],
  ])('starts in the order %j', (startup, text) => {
    expect(vm({ vm: vmOptions({ startup }) }).options.startup).toBe(text);
  });

  it('says search domains on the cloud-init drive', () => {
    const network = { ...config().network, searchDomains: ['lan', 'example.com'] };
    expect(vm({}, { network }).options.searchdomain).toBe('lan example.com');
  });

  it('cannot keep TPM keys apart from its data', () => {
    const base = config();
    const talos = { ...base.talos, encryption: { state: { kind: 'tpm', lockToState: false } as const } };
    expect(() => vm({}, { talos })).toThrow(OxherdError);
    expect(vm({ layout: 'single' }, { talos }).auxiliary.tpmstate0).toMatchObject({ version: 'v2.0' });
  });
});

describe('a data VM', () => {
  it('is protected, never runs, and has room for notes', () => {
    const { nodes } = design(config({ nodes: [nodeConfig('work-1', 151, 'worker')] }), {
      secrets: 'abc',
    });
    expect(nodes[0]?.dataVm).toMatchObject({
      vmid: 1510,
      name: 'work-1-data',
      kind: 'data',
      running: false,
      options: {
        protection: 1,
        onboot: 0,
        tags: 'k8s;oxherd_data;oxherd_homelab',
        description: 'Data VM for 151 work-1 to attach additional disks\nsecrets abc',
      },
    });
    expect(nodes[0]?.dataVm?.options.boot).toBeUndefined();
  });
});

describe('identities', () => {
  it.each([
    ['os', diskVolume('os')],
    ['was', diskVolume('new', { was: 'old' })],
  ])('may not be those of another disk (%s)', (_, volume) => {
    expect(() => design(config({ volumes: [diskVolume('old'), volume] }))).toThrow(/would be the same disk/);
  });

  it('may not be the MAC of another VM', () => {
    const nics = [{ ...nic, mac: mac('BC:24:11:00:00:01') }];
    const nodes = [nodeConfig('a', 101, 'worker', { nics }), nodeConfig('b', 102, 'worker', { nics })];
    expect(() => design(config({ nodes }))).toThrow('a (net0) and b (net0) would both have the MAC');
  });
});

describe('uuids that are written', () => {
  const uuid = '853ca362-f588-4c52-af66-13262197de84';
  const named = (name: string, vmid: number) => ({ ...nodeConfig(name, vmid, 'worker'), uuid });

  it('are those of the VMs, and of one each', () => {
    expect(only(config({ nodes: [named('a', 101)] })).talosVm.options.smbios1).toContain(`uuid=${uuid}`);
    const both = config({ nodes: [named('a', 101), named('b', 102)] });
    expect(() => design(both)).toThrow(/would both have the SMBIOS uuid/);
  });
});
