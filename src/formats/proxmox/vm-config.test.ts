import { describe, expect, it } from 'vitest';
import { diskDrives, sectionName, stateOfPending, vmConfigOf } from './vm-config.js';

const WWN = '0x3abcdefabcdefabc';
const none = { digest: 'd', values: {}, pending: {} };
const entry = (value?: string, pending?: string, gone: 0 | 1 | 2 = 0) => ({ value, pending, delete: gone });

describe('the drives of a config', () => {
  const buses = ['scsi0', 'scsi30', 'virtio15', 'sata5', 'ide3'];

  it.each(buses)('finds a disk on %s', (slot) => {
    const values = { [slot]: `zfs:vm-151-disk-0,size=5G` };
    expect(vmConfigOf({ ...none, values }).drives).toMatchObject([{ slot, volid: 'zfs:vm-151-disk-0' }]);
  });

  it('finds one by its WWN on any bus that can carry one', () => {
    for (const slot of ['scsi3', 'sata1', 'ide1']) {
      const config = vmConfigOf({ ...none, values: { [slot]: `nfs:1510/vm-1510-disk-1.raw,wwn=${WWN}` } });
      expect([...config.byWwn.values()]).toMatchObject([{ slot, wwn: WWN }]);
    }
  });

  it.each([
    ['efidisk0', 'zfs:vm-1-disk-0,efitype=4m', 'efi'],
    ['tpmstate0', 'zfs:vm-1-disk-1,version=v2.0', 'tpm'],
    ['ide2', 'zfs:vm-1-cloudinit,media=cdrom', 'cloudinit'],
    ['ide0', 'nfs:1/vm-1-cloudinit.qcow2,media=cdrom', 'cloudinit'],
    ['ide2', 'local:iso/talos.iso,media=cdrom', 'cdrom'],
    ['ide2', 'none,media=cdrom', 'cdrom'],
    ['unused3', 'zfs:vm-1-disk-7', 'unused'],
    // A disk behind a tray is a disk: `qm destroy` erases it all the same.
    ['ide1', 'zfs:vm-1-disk-4,media=cdrom', 'disk'],
    ['ide1', 'zfs:vm-1-disk-4-cloudinit,media=cdrom', 'disk'],
    ['sata2', '/dev/disk/by-id/ata-x', 'disk'],
  ])('takes %s %s for: %s', (slot, line, role) => {
    expect(vmConfigOf({ ...none, values: { [slot]: line } }).all).toMatchObject([{ slot, role }]);
  });

  it('counts a line that cannot be read as a disk of which nothing is known', () => {
    expect(diskDrives({ scsi4: 'zfs:vm-1-disk-9,size=,x' })).toMatchObject([
      { slot: 'scsi4', volid: 'zfs:vm-1-disk-9', role: 'disk' },
    ]);
  });

  it('sorts them by bus and number', () => {
    const values = { ide0: 'a:1', scsi10: 'a:2', scsi9: 'a:3', virtio0: 'a:4', cores: '2', scsihw: 'x' };
    expect(diskDrives(values).map(({ slot }) => slot)).toEqual(['scsi9', 'scsi10', 'virtio0', 'ide0']);
  });
});

describe('what waits for the next start', () => {
  const state = stateOfPending({
    digest: 'd',
    entries: {
      cores: entry('2', '4'),
      scsi1: entry('zfs:vm-1-disk-1', undefined, 1),
      scsi2: entry(undefined, 'zfs:vm-1-disk-2'),
      virtio0: entry('zfs:vm-1-disk-3', 'zfs:vm-1-disk-4'),
    },
  });

  it('is merged once, and drives are those of the next start', () => {
    const config = vmConfigOf(state);
    expect(config.effective.cores).toBe('4');
    expect(config.drives.map(({ volid }) => volid)).toEqual(['zfs:vm-1-disk-2', 'zfs:vm-1-disk-4']);
    expect(vmConfigOf(state)).toBe(config);
  });

  it('refers to volumes of now, of the next start and of snapshots', () => {
    const snapshots = { before: { scsi0: 'zfs:vm-9-disk-0', vmstate: 'zfs:vm-1-state-before' } };
    const named = vmConfigOf({ ...state, snapshots }).references.map(
      ({ volid, section }) => `${volid} ${sectionName(section) ?? 'current'}`,
    );
    expect(named.sort()).toEqual([
      'zfs:vm-1-disk-1 current',
      'zfs:vm-1-disk-2 pending',
      'zfs:vm-1-disk-3 current',
      'zfs:vm-1-disk-4 pending',
      'zfs:vm-1-state-before snapshot before',
      'zfs:vm-9-disk-0 snapshot before',
    ]);
  });
});
