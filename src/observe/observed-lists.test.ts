import { expect, it } from 'vitest';
import { completeList, findIn, shortened, unreadList, visibleEntry, withEntry } from './observed-lists.js';
import { findVolume } from './observed-volumes.js';

const list = completeList({ a: 1, constructor: 2 });

it('a complete list proves absence, a failed or shortened one does not', () => {
  expect(findIn(list, 'a')).toEqual({ state: 'present', value: 1 });
  expect(findIn(list, 'b')).toEqual({ state: 'absent' });
  expect(findIn(list, 'toString')).toEqual({ state: 'absent' });
  const short = shortened(list, 'a right is missing');
  expect(findIn(short, 'constructor')).toEqual({ state: 'present', value: 2 });
  expect(findIn(short, 'b')).toEqual({ state: 'unread', why: 'a right is missing' });
  expect(findIn(unreadList('500'), 'a')).toEqual({ state: 'unread', why: '500' });
  expect(visibleEntry(short, 'b')).toBeUndefined();
  expect(findIn(withEntry(short, 'b', 3), 'b')).toEqual({ state: 'present', value: 3 });
});

it('a storage that was not listed proves nothing about its volumes', () => {
  const volume = { volid: 'zfs:vm-1-disk-0', size: 1, format: 'raw' };
  const volumes = { 'pve1/zfs': completeList({ [volume.volid]: volume }) };
  expect(findVolume(volumes, 'pve1', volume.volid).state).toBe('present');
  expect(findVolume(volumes, 'pve1', 'zfs:vm-1-disk-1').state).toBe('absent');
  expect(findVolume(volumes, 'pve2', volume.volid).state).toBe('unread');
  expect(findVolume(volumes, 'pve1', 'tank:vm-1-disk-1').state).toBe('unread');
});
