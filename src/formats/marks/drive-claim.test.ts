import { describe, expect, it } from 'vitest';
import type { Vmid } from '../../model/identity.js';
import { vmConfigOf } from '../proxmox/vm-config.js';
import { type ClaimScope, claimOf, identityName } from './drive-claim.js';
import { wwnOf } from './identities.js';

const CLUSTER = { name: 'small', env: '' };
const OTHER = { name: 'small-x', env: '' };
const TALOS = 151 as Vmid;
const wwn = (name: string, cluster = CLUSTER, vmid = TALOS) => `,wwn=${wwnOf(cluster, vmid, name)}`;

const talos: ClaimScope = {
  cluster: CLUSTER,
  vmid: TALOS,
  isData: false,
  names: ['ephemeral', 'data'],
  uefi: true,
};
const data: ClaimScope = { ...talos, vmid: 1510 as Vmid, isData: true };

function claim(scope: ClaimScope, slot: string, line: string) {
  const [reference] = vmConfigOf({ digest: '', values: { [slot]: line }, pending: {} }).references;
  return reference && claimOf(reference, scope);
}

describe('what a volume on one of our VMs is to us', () => {
  it.each([
    [talos, 'scsi0', `zfs:vm-151-disk-0${wwn('os')}`, 'system'],
    [talos, 'sata0', `zfs:vm-151-disk-0${wwn('os')}`, 'system'],
    [talos, 'scsi1', `zfs:vm-1510-disk-0${wwn('ephemeral')}`, 'lent'],
    [talos, 'scsi2', `zfs:vm-151-disk-5${wwn('data')}`, 'kept'],
    [talos, 'efidisk0', 'zfs:vm-151-disk-1,efitype=4m,size=4M', 'made'],
    [talos, 'ide2', 'zfs:vm-151-cloudinit,media=cdrom', 'made'],
    [talos, 'ide2', 'local:iso/talos.iso,media=cdrom', 'image'],
    [talos, 'tpmstate0', 'zfs:vm-151-disk-2,version=v2.0', 'foreign'],
    [talos, 'scsi5', 'zfs:vm-9999-pv,wwn=0x5056432d49443031', 'lent'],
    [data, 'scsi0', `zfs:vm-1510-disk-0${wwn('ephemeral')}`, 'kept'],
    [data, 'scsi3', `nfs:1510/vm-1510-disk-3.raw${wwn('data')}`, 'kept'],
  ] as const)('%# %s %s', (scope, slot, line, expected) => {
    expect(claim(scope, slot, line)).toBe(expected);
  });

  it.each([
    ['a disk without an identity', talos, 'virtio1', 'zfs:vm-151-disk-7'],
    ['an unused one', talos, 'unused0', 'zfs:vm-151-disk-0'],
    ['an identity of another cluster', data, 'scsi4', `zfs:vm-1510-disk-4${wwn('data', OTHER)}`],
    ['an identity of another node', data, 'scsi4', `zfs:vm-1510-disk-4${wwn('data', CLUSTER, 152 as Vmid)}`],
    ['an identity of a name that is not known', data, 'scsi4', `zfs:vm-1510-disk-4${wwn('photos')}`],
    ['a system disk on a data VM', data, 'scsi4', `zfs:vm-1510-disk-4${wwn('os')}`],
    ['a volume of another VM', talos, 'scsi4', 'zfs:vm-900-disk-0'],
    ['a CSI WWN on a disk that the VM owns', talos, 'scsi4', 'zfs:vm-151-disk-4,wwn=0x5056432d49443031'],
    ['EFI variables of 100 GiB', talos, 'efidisk0', 'zfs:vm-151-disk-1,size=100G'],
    ['EFI variables on a data VM', data, 'efidisk0', 'zfs:vm-1510-disk-1,size=4M'],
    ['a cloud-init drive elsewhere', talos, 'sata1', 'zfs:vm-151-cloudinit,media=cdrom'],
    ['a disk behind a tray', talos, 'ide2', 'zfs:vm-151-disk-3,media=cdrom'],
  ] as const)('is foreign: %s', (_, scope, slot, line) => {
    expect(claim(scope, slot, line)).toBe('foreign');
  });

  it('is told by a name whose hash the WWN is, and by no other', () => {
    expect(identityName(CLUSTER, TALOS, wwnOf(CLUSTER, TALOS, 'logs'), ['data', 'logs'])).toBe('logs');
    expect(identityName(CLUSTER, TALOS, wwnOf(CLUSTER, TALOS, 'logs'), ['data'])).toBeUndefined();
    expect(identityName(OTHER, TALOS, wwnOf(CLUSTER, TALOS, 'logs'), ['logs'])).toBeUndefined();
  });
});
