import { describe, expect, it } from 'vitest';
import { parseMac, parseVmid, parseWwn, type Vmid } from '../../model/identity.js';
import { macOf, smbiosUuidOf, wwnOf } from './identities.js';

const vmid = parseVmid(151) as Vmid;

describe('identities', () => {
  // These values are on people's disks: a change here would leave their data without an owner.
  it.each([
    [
      { name: 'homelab', env: '' },
      '0x3f64ed39ee81b8d4',
      'BC:24:11:DD:04:B1',
      'BC:24:11:8E:2C:DF',
      'd25c4c69-f18f-4ac0-9942-a132050f0ca7',
    ],
    [
      { name: 'homelab', env: 'dev' },
      '0x3b8a72a47116584b',
      'BC:24:11:E1:45:3D',
      'BC:24:11:40:87:54',
      '4e218ed9-870d-4e71-bd3c-f48985774036',
    ],
  ])('of %j never change', (cluster, wwn, firstMac, secondMac, uuid) => {
    expect(wwnOf(cluster, vmid, 'longhorn')).toBe(wwn);
    expect(macOf(cluster, vmid)).toBe(firstMac);
    expect(macOf(cluster, vmid, 1)).toBe(secondMac);
    expect(smbiosUuidOf(cluster, vmid)).toBe(uuid);
  });

  it('are well-formed', () => {
    const cluster = { name: 'a', env: '' };
    expect(parseWwn(wwnOf(cluster, vmid, 'os'))).toBeDefined();
    expect(parseMac(macOf(cluster, vmid))).toBeDefined();
    expect(smbiosUuidOf(cluster, vmid)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('do not run together where names do', () => {
    expect(wwnOf({ name: 'ab', env: 'c' }, vmid, 'd')).not.toBe(wwnOf({ name: 'a', env: 'bc' }, vmid, 'd'));
  });
});
