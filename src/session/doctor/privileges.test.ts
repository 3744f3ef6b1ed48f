import { describe, expect, it } from 'vitest';
import { config, nic, nodeConfig, vmOptions } from '../../../test/support/design/config.js';
import { PROVISIONER_PRIVILEGES } from '../../../test/support/provisioner-privileges.js';
import { design } from '../../design/design-cluster.js';
import { missingPrivileges } from './gather.js';
import { neededPrivileges } from './privileges.js';

describe('needed privileges', () => {
  const of = config({ nodes: [nodeConfig('work-1', 151, 'worker')] });

  it('are the 17 of the provisioning flow, and the rights to make the lock and to see it', () => {
    const all = neededPrivileges(of, design(of)).filter((need) => need.need === 'must');
    expect([...new Set(all.flatMap((need) => need.privileges))].sort()).toEqual(
      [...PROVISIONER_PRIVILEGES, 'Pool.Allocate', 'Pool.Audit'].sort(),
    );
  });

  it('grow with what the config uses', () => {
    const more = config({
      nodes: [
        nodeConfig('work-1', 151, 'worker', {
          nics: [{ ...nic, vlan: 20 }],
          vm: vmOptions({
            startup: { order: 2 },
            pci: [{ mapping: 'igpu', pcie: true, rombar: true, xvga: false }],
          }),
        }),
      ],
    });
    const needs = neededPrivileges(more, design(more));
    expect(needs).toContainEqual(
      expect.objectContaining({ path: '/mapping/pci/igpu', privileges: ['Mapping.Use'], need: 'must' }),
    );
    expect(needs).toContainEqual(
      expect.objectContaining({ path: '/sdn/zones/localnetwork/vmbr0/20', privileges: ['SDN.Use'] }),
    );
    expect(needs).toContainEqual(
      expect.objectContaining({ path: '/', privileges: ['Sys.Modify'], need: 'should' }),
    );
  });

  it('name what moves between hosts and HA need', () => {
    const ha = { state: 'started', hosts: [], strict: false, spread: true } as const;
    const hosts = ['pve1', 'pve2'].map((name) => ({ name, storages: {}, reservations: [] }));
    const more = config({ hosts, nodes: [nodeConfig('work-1', 151, 'worker', { ha })] });
    const needs = neededPrivileges(more, design(more));
    for (const [path, privilege] of [
      ['/vms/151', 'VM.Migrate'],
      ['/vms/1510', 'VM.Migrate'],
      ['/nodes/pve2', 'Sys.Audit'],
      ['/', 'Sys.Console'],
    ])
      expect(needs).toContainEqual(
        expect.objectContaining({ path, privileges: [privilege], need: 'should' }),
      );
    const alone = neededPrivileges(of, design(of)).flatMap(({ privileges }) => privileges);
    expect(alone).not.toContain('VM.Migrate');
    expect(alone).not.toContain('Sys.Console');
  });

  it('are asked for one by one only where the list says no', async () => {
    const asked: (string | undefined)[] = [];
    const client = {
      permissions: async (path?: string) => {
        asked.push(path);
        return path === undefined
          ? { '/storage': { 'Datastore.Audit': true } }
          : { [path]: { 'VM.Audit': true } };
      },
    };
    const needs = [
      { path: '/storage/local', privileges: ['Datastore.Audit'], need: 'must' as const, why: '' },
      { path: '/vms/151', privileges: ['VM.Audit', 'VM.Allocate'], need: 'must' as const, why: 'x' },
    ];
    expect(await missingPrivileges(client, needs)).toEqual([
      { path: '/vms/151', privilege: 'VM.Allocate', need: 'must', why: 'x', held: ['VM.Audit'] },
    ]);
    expect(asked).toEqual([undefined, '/vms/151']);
  });
});
