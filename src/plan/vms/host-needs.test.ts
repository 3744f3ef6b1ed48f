import { describe, expect, it } from 'vitest';
import { type HostNeeds, type HostOffers, unmetNeeds } from './host-needs.js';

const needs = (change: Partial<HostNeeds> = {}): HostNeeds => ({
  host: 'pve2',
  vcpus: 4,
  nets: [{ bridge: 'vmbr0' }],
  storages: ['tank'],
  mappings: [],
  ...change,
});
const offers = (change: HostOffers = {}): HostOffers => ({
  cpus: 4,
  bridges: [{ name: 'vmbr0', mtu: 1500 }],
  storages: [{ name: 'tank', content: ['images'] }],
  mappings: {},
  ...change,
});
const codes = (want: Partial<HostNeeds>, has?: HostOffers) =>
  unmetNeeds(needs(want), offers(has)).map(({ code }) => code);

describe('a host', () => {
  it('has what a VM needs', () => {
    expect(codes({})).toEqual([]);
  });

  it('starts no VM with more vCPUs than it has CPUs', () => {
    expect(codes({ vcpus: 5 })).toEqual(['host-cpus']);
    expect(codes({ vcpus: 4 })).toEqual([]);
    expect(codes({ vcpus: 5 }, { cpus: undefined })).toEqual([]);
  });

  it('plugs no NIC with an MTU above that of its bridge; 1 and none are the bridge’s own', () => {
    const nic = (mtu?: number) => ({ nets: [{ bridge: 'vmbr0', ...(mtu !== undefined && { mtu }) }] });
    expect(codes(nic(1501))).toEqual(['bridge-mtu']);
    for (const mtu of [undefined, 1, 1400, 1500]) expect(codes(nic(mtu))).toEqual([]);
    expect(codes(nic(9000), { bridges: [{ name: 'vmbr0', mtu: 9000 }] })).toEqual([]);
    // What could not be told is left to Proxmox.
    expect(codes(nic(9000), { bridges: [{ name: 'vmbr0' }] })).toEqual([]);
  });

  it('needs the bridge, the storage and the device', () => {
    expect(codes({ nets: [{ bridge: 'vmbr9', mtu: 9000 }] })).toEqual(['bridge-unknown']);
    expect(codes({ storages: ['slow'] })).toEqual(['storage-unknown']);
    expect(codes({}, { storages: [{ name: 'tank', content: ['iso'] }] })).toEqual(['storage-content']);
    expect(codes({}, { storages: [{ name: 'tank', content: ['images'], active: false }] })).toEqual([
      'storage-inactive',
    ]);
    expect(codes({ mappings: ['gpu'] })).toEqual(['mapping-unknown']);
    expect(codes({ mappings: ['gpu'] }, { mappings: { gpu: ['pve1'] } })).toEqual(['mapping-unknown']);
    expect(codes({ mappings: ['gpu'] }, { mappings: { gpu: ['pve2'] } })).toEqual([]);
  });

  it('that was not read is no obstacle', () => {
    const unread = { cpus: undefined, bridges: undefined, storages: undefined, mappings: undefined };
    expect(unmetNeeds(needs({ vcpus: 99, mappings: ['gpu'] }), unread)).toEqual([]);
  });
});
