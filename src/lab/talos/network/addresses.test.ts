import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../store.js';
import { readConfigFacts } from '../config/config-facts.js';
import type { Hardware } from '../hypervisors/hypervisor.js';
import { openTalosDb } from '../machine/machine-record.js';
import { machineAddresses, reserveLease } from './addresses.js';

const MAC = 'BC:24:11:00:00:01';

function hardware(more: Partial<Hardware> = {}): Hardware {
  return {
    vmid: 1,
    name: 'vm',
    uuid: 'u',
    cores: 1,
    memory: 1,
    scsiController: 'virtio-scsi-single',
    boot: [],
    nics: [{ mac: MAC, bridge: 'vmbr0', subnet: '10.7.0.1/24' }],
    drives: [],
    ...more,
  };
}

const config = (mac: string) =>
  readConfigFacts(`version: v1alpha1
machine: { type: worker }
---
apiVersion: v1alpha1
kind: LinkAliasConfig
name: net0
selector: { match: 'mac(link.permanent_addr) == "${mac.toLowerCase()}"' }
---
apiVersion: v1alpha1
kind: LinkConfig
name: net0
addresses: [{ address: 10.7.0.9/24 }]
routes: [{ gateway: 10.7.0.254 }]
`);

describe('the address of a machine', () => {
  const db = () => openTalosDb(memoryStore());

  it('comes from its config, on the NIC that the config means', () => {
    expect(machineAddresses(db(), hardware(), config(MAC))).toEqual([
      { ip: '10.7.0.9', prefix: 24, gateway: '10.7.0.254', nic: 0 },
    ]);
    expect(machineAddresses(db(), hardware(), config('BC:24:11:00:00:99'))).toEqual([]);
  });

  it('comes from the cloud-init drive before there is a config', () => {
    const told = hardware({
      cloudInit: { links: [{ nic: 0, address: '10.7.0.8/24', gateway: '10.7.0.254' }] },
    });
    expect(machineAddresses(db(), told, undefined)[0]?.ip).toBe('10.7.0.8');
  });

  it('of the cloud-init drive stays beside that of the config, whatever the config says', () => {
    const links = [{ nic: 0, address: '10.7.0.8/24', gateway: '10.7.0.254' }];
    const platform = { ip: '10.7.0.8', prefix: 24, gateway: '10.7.0.254', nic: 0 };
    const given = hardware({ cloudInit: { links } });
    expect(machineAddresses(db(), given, config(MAC))).toEqual([
      { ip: '10.7.0.9', prefix: 24, gateway: '10.7.0.254', nic: 0 },
      platform,
    ]);
    // A link that no NIC is, and none at all: the node stays reachable.
    expect(machineAddresses(db(), given, config('BC:24:11:00:00:99'))).toEqual([platform]);
    expect(machineAddresses(db(), given, readConfigFacts('version: v1alpha1\n'))).toEqual([platform]);
    const down = readConfigFacts('kind: LinkConfig\nname: enp0s18\nup: false\n');
    expect(machineAddresses(db(), given, down)).toEqual([platform]);
    const same = hardware({ cloudInit: { links: [{ nic: 0, address: '10.7.0.9/24' }] } });
    expect(machineAddresses(db(), same, config(MAC))).toHaveLength(1);
  });

  it('is leased where no one says one: reserved by MAC, or from the network of the bridge', () => {
    const leases = db();
    const [first] = machineAddresses(leases, hardware(), undefined);
    expect(first?.ip).toMatch(/^10\.7\.0\.\d+$/);
    expect(machineAddresses(leases, hardware(), undefined)[0]).toEqual(first);
    reserveLease(leases, MAC.toLowerCase(), { ip: '10.7.0.11', prefix: 24 });
    expect(machineAddresses(leases, hardware(), undefined)[0]?.ip).toBe('10.7.0.11');
    expect(
      machineAddresses(leases, hardware({ nics: [{ mac: 'BC:24:11:00:00:02', bridge: 'x' }] }), undefined),
    ).toEqual([]);
  });

  it('is never leased twice', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 255 }), { maxLength: 12 }), (bytes) => {
        const leases = db();
        const ips = bytes.map((byte) => {
          const mac = `BC:24:11:00:01:${byte.toString(16).padStart(2, '0').toUpperCase()}`;
          const nics = [{ mac, bridge: 'vmbr0', subnet: '10.7.0.1/27' }];
          return machineAddresses(leases, hardware({ nics }), undefined)[0]?.ip;
        });
        expect(ips).not.toContain(undefined);
        expect(new Set(ips).size).toBe(bytes.length);
      }),
      { numRuns: 50 },
    );
  });
});
