import { describe, expect, it } from 'vitest';
import { openBench } from '../../test/support/lab/proxmox/test-bench.js';
import { addHost, addStorage, removeHost } from './edit-world.js';
import { recordings } from './profiles/recordings.js';

describe('a lab that does not serve', () => {
  it('takes another host, on which VMs can be made, and removes it when they are gone', async () => {
    const bench = openBench(recordings);
    const { db } = bench.pve;
    addHost(db, 'pve2');
    expect(() => addHost(db, 'pve2')).toThrow('has a host pve2 already');
    expect(await bench.run('POST', '/nodes/pve2/qemu', { vmid: 100, scsi0: 'local-zfs:1' })).toBe('OK');
    expect(() => removeHost(db, 'pve2')).toThrow('VMs are on pve2: 100');
    expect(await bench.run('DELETE', '/nodes/pve2/qemu/100')).toBe('OK');
    removeHost(db, 'pve2');
    expect(() => removeHost(db, 'pve1')).toThrow('only host');
  });

  it.each(['dir', 'nfs', 'cifs', 'lvm', 'lvmthin', 'zfspool', 'rbd', 'btrfs'])(
    'takes a storage of type %s and disks on it',
    async (type) => {
      const bench = openBench(recordings);
      addStorage(bench.pve.db, { id: 'more', type, content: ['images'] });
      expect(await bench.run('POST', '/nodes/pve1/qemu', { vmid: 100, scsi0: 'more:1' })).toBe('OK');
      expect((await bench.send('GET', '/storage/more')).data).toMatchObject({ type, content: 'images' });
    },
  );

  it('refuses contents that a type does not take', () => {
    const { db } = openBench(recordings).pve;
    expect(() => addStorage(db, { id: 'more', type: 'zfspool', content: ['iso'] })).toThrow('takes no iso');
    expect(() => addStorage(db, { id: 'more', type: 'floppy' })).toThrow('no storage type floppy');
  });
});
