import { expect, it } from 'vitest';
import type { OutsideUse } from './observed.js';
import { releaseCommands } from './observed-outsiders.js';

const use: OutsideUse = {
  type: 'qemu',
  vmid: 900,
  name: 'copy',
  host: 'pve1',
  running: true,
  slot: 'scsi1',
  volid: 'local-zfs:vm-1510-disk-1',
  section: 'now',
};

it.each<[string, Partial<OutsideUse>, string]>([
  ['a VM that runs', {}, 'detach it there: qm stop 900 && qm set 900 --delete scsi1'],
  ['a VM that is off', { running: false }, 'detach it there: qm set 900 --delete scsi1'],
  ['a container', { type: 'lxc', slot: 'mp0' }, 'detach it there: pct stop 900 && pct set 900 --delete mp0'],
  ['a change that waits', { section: 'next' }, 'take the change back: qm set 900 --revert scsi1'],
  ['a snapshot', { section: { snapshot: 'a' } }, 'delete that snapshot: qm delsnapshot 900 a'],
])('%s lets go of a volume', (_, change, advice) => {
  expect(releaseCommands({ ...use, ...change })).toBe(advice);
});

it('a VM on the id of a node keeps its disks', () => {
  expect(releaseCommands({ ...use, vmid: 151, node: 'work-1' })).not.toMatch(/qm (set|stop)/);
});
