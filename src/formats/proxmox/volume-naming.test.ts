import { describe, expect, it } from 'vitest';
import type { VmState } from './vm-config.js';
import { containerNamings, namesVolume, type VolumeNaming, vmNamings } from './volume-naming.js';

const state = (values: Record<string, string>, more: Partial<VmState> = {}): VmState => ({
  digest: '',
  values,
  pending: {},
  ...more,
});
const users = (namings: readonly VolumeNaming[], volid: string) =>
  namings.filter((naming) => namesVolume(naming, volid)).map(({ slot, section }) => [slot, section]);

describe('who names a volume', () => {
  it('a container by its root, its mount points, what waits, and what its snapshots hold', () => {
    const namings = containerNamings(
      state(
        {
          rootfs: 'local-zfs:subvol-300-disk-0,size=8G',
          mp0: 'volume=thin:vm-1510-disk-1,mp=/data,backup=1',
          unused0: 'thin:vm-1510-disk-2',
          hostname: 'thin:vm-1510-disk-1',
        },
        {
          pending: { mp1: 'thin:vm-1510-disk-3,mp=/b', mp0: null },
          snapshots: { old: { mp7: 'thin:vm-1510-disk-4,mp=/c' } },
        },
      ),
    );
    expect(users(namings, 'thin:vm-1510-disk-1')).toEqual([['mp0', 'now']]);
    expect(users(namings, 'thin:vm-1510-disk-2')).toEqual([['unused0', 'now']]);
    expect(users(namings, 'thin:vm-1510-disk-3')).toEqual([['mp1', 'next']]);
    expect(users(namings, 'thin:vm-1510-disk-4')).toEqual([['mp7', { snapshot: 'old' }]]);
    expect(users(namings, 'other:vm-1510-disk-1')).toEqual([]);
  });

  it.each([
    ['/dev/zvol/rpool/data/vm-1510-disk-1', 'local-zfs:vm-1510-disk-1'],
    ['/dev/zvol/rpool/data/vm-1510-disk-1-part2', 'local-zfs:vm-1510-disk-1'],
    ['/dev/pve/vm-1510-disk-1', 'thin:vm-1510-disk-1'],
    ['/dev/mapper/pve-vm--1510--disk--1', 'thin:vm-1510-disk-1'],
    ['/mnt/pve/share/images/1510/vm-1510-disk-1.qcow2', 'share:1510/vm-1510-disk-1.qcow2'],
    ['/dev/rbd/ceph/vm-9999-pv-data', 'rbd:vm-9999-pv-data'],
  ])('a guest by the path %s', (path, volid) => {
    expect(users(vmNamings(state({ virtio3: `${path},size=1G` })), volid)).toEqual([['virtio3', 'now']]);
    expect(users(containerNamings(state({ mp3: `${path},mp=/x` })), volid)).toEqual([['mp3', 'now']]);
    expect(users(vmNamings(state({ args: `-drive file=${path},if=none` })), volid)).toEqual([
      ['args', 'now'],
    ]);
  });

  it('not by the path of another volume', () => {
    for (const path of [
      '/dev/zvol/rpool/data/vm-1510-disk-10',
      '/dev/zvol/rpool/data/avm-1510-disk-1',
      '/dev/zvol/rpool/data/vm-11510-disk-1',
      '/srv/data',
    ]) {
      expect(users(vmNamings(state({ scsi1: path })), 'local-zfs:vm-1510-disk-1'), path).toEqual([]);
    }
    expect(users(vmNamings(state({ scsi1: '/srv/iso/talos.iso' })), 'local:iso/talos.iso')).toEqual([]);
  });
});
