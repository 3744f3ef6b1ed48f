import { expect, it } from 'vitest';
import { versionSkew } from './version-skew.js';

const hosts = (from?: string, to?: string) => ({
  hosts: {
    pve1: { name: 'pve1', online: true, ...(from !== undefined && { version: from }) },
    pve2: { name: 'pve2', online: true, ...(to !== undefined && { version: to }) },
  },
});

it.each([
  ['8.4.1', '9.0.3', false],
  ['9.0.3', '8.4.1', true],
  ['9.2.11', '9.1.4', true],
  ['9.10.1', '9.9.1', true],
  ['9.2.11', '9.2.3', false],
  ['9.2.3', '9.2.11', false],
  [undefined, '8.4.1', false],
  ['9.2.3', undefined, false],
])('VMs of %s run on after a move to %s: %s', (from, to, hindered) => {
  expect(versionSkew(hosts(from, to), 'pve1', 'pve2') !== undefined).toBe(hindered);
});
