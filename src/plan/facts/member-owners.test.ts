import { describe, expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { uuidOfVm } from '../../formats/proxmox/smbios-uuid.js';
import { staticAddressOf } from '../../formats/proxmox/static-address.js';
import { known, type Observed, unknown } from '../../observe/observed.js';
import type { EtcdMember, ObservedMachine } from '../../observe/observed-machines.js';
import { visibleVm, withoutVms, withVms } from '../../observe/observed-vms.js';
import { memberOwners } from './member-owners.js';

const planes = (...nodes: readonly [string, number][]) =>
  config({ nodes: nodes.map(([name, vmid]) => nodeConfig(name, vmid, 'controlplane')) });
const BUILT = builtProxmox(planes(['cp-1', 141], ['cp-2', 142]));
const MEMBER: EtcdMember = { id: 'b', hostname: 'cp-2', learner: false };

const named = (observed: Observed, vmid: number, name: string): Observed => {
  const vm = visibleVm(observed, vmid);
  return vm ? { ...observed, vms: withVms(observed.vms, [{ ...vm, name }]) } : observed;
};

function ownerOf(nodes: readonly [string, number][], observed: Observed, member = MEMBER) {
  const owner = memberOwners({ design: design(planes(...nodes)), observed }, [member]).get(member.id);
  return owner && `${owner.node ?? 'not in the file'} ${owner.vmid}`;
}

const answering = (memberId: string): ObservedMachine => ({
  node: '',
  presence: 'configured',
  details: known({
    talosVersion: 'v1.13.9',
    stage: 'running',
    ready: true,
    unmet: [],
    config: unknown('not read'),
    schematic: known(undefined),
    timeSynced: known(true),
    services: [],
    volumes: [],
    etcd: known({
      memberId,
      leader: memberId,
      learner: false,
      errors: [],
      raftIndex: '1',
      raftTerm: '1',
      members: [],
      alarms: [],
    }),
  }),
});

describe('the owner of an etcd member', () => {
  it('is the machine that answers as it, whatever its VM is called', () => {
    const observed = { ...named(BUILT, 142, 'spare'), removedMachines: { 142: answering('b') } };
    expect(ownerOf([['cp-1', 141]], observed)).toBe('not in the file 142');
  });

  it('is not a machine that answers as another member, though its name fits', () => {
    const observed = { ...BUILT, machines: { 'cp-2': answering('c') } };
    expect(
      ownerOf(
        [
          ['cp-1', 141],
          ['cp-2', 142],
        ],
        observed,
      ),
    ).toBeUndefined();
  });

  it('is the machine of the Node object while it does not answer', () => {
    const vm = visibleVm(BUILT, 142);
    const object = { name: 'cp-2', ready: false, systemUuid: (vm && uuidOfVm(vm)) ?? '' };
    const kubernetes = { nodes: known([object]) } as unknown as NonNullable<Observed['kubernetes']>;
    expect(ownerOf([['cp-1', 141]], { ...named(BUILT, 142, 'spare'), kubernetes })).toBe(
      'not in the file 142',
    );
  });

  it('is the VM with the address of its peers', () => {
    const vm = visibleVm(BUILT, 142);
    const address = (vm && staticAddressOf(vm)) ?? '';
    expect(address).not.toBe('');
    const member = { ...MEMBER, addresses: [address] };
    expect(ownerOf([['cp-1', 141]], named(BUILT, 142, 'spare'), member)).toBe('not in the file 142');
  });

  it('is the old VM while a new one of its name is yet to be made', () => {
    expect(
      ownerOf(
        [
          ['cp-1', 141],
          ['cp-2', 145],
        ],
        BUILT,
      ),
    ).toBe('not in the file 142');
    const gone = { ...BUILT, vms: withoutVms(BUILT.vms, new Set([142])) };
    expect(
      ownerOf(
        [
          ['cp-1', 141],
          ['cp-2', 145],
        ],
        gone,
      ),
    ).toBe('not in the file 142');
  });

  it('is unknown if nothing but an unrelated VM is left', () => {
    expect(ownerOf([['cp-1', 141]], named(named(BUILT, 142, 'spare'), 1420, 'spare-data'))).toBeUndefined();
  });
});
