import { describe, expect, it } from 'vitest';
import { checkSelector } from './check.js';
import { DISK_ENVIRONMENT, LINK_ENVIRONMENT, VOLUME_ENVIRONMENT } from './environment.js';
import { compileSelector } from './evaluate.js';

describe('checking a selector', () => {
  it.each([
    ['disk.wwid == "naa.3000000000000001"', DISK_ENVIRONMENT],
    ['!system_disk && disk.size > 10u * GiB', DISK_ENVIRONMENT],
    ['disk.symlinks.exists(s, glob("/dev/disk/by-id/*data*", s))', DISK_ENVIRONMENT],
    ['disk.transport in ["nvme", "sata"]', DISK_ENVIRONMENT],
    ['volume.partition_label == "old" && disk.serial == "x"', VOLUME_ENVIRONMENT],
    ['mac(link.permanent_addr) == "bc:24:11:00:00:01"', LINK_ENVIRONMENT],
  ])('accepts %s', (source, environment) => {
    expect(checkSelector(source, environment)).toBeUndefined();
  });

  it.each([
    [
      'disk.nosuch == 1',
      DISK_ENVIRONMENT,
      "ERROR: <input>:1:5: undefined field 'nosuch'\n | disk.nosuch == 1\n | ....^",
    ],
    [
      'disk.size > 10 * GiB',
      DISK_ENVIRONMENT,
      "ERROR: <input>:1:16: found no matching overload for '_*_' applied to '(int, uint)'\n | disk.size > 10 * GiB\n | ...............^",
    ],
    ['link.driver', LINK_ENVIRONMENT, 'expression output type is string, expected bool'],
    [
      'system_disk',
      VOLUME_ENVIRONMENT,
      "ERROR: <input>:1:1: undeclared reference to 'system_disk' (in container '')\n | system_disk\n | ^",
    ],
  ])('refuses %s', (source, environment, message) => {
    expect(checkSelector(source, environment)).toBe(message);
  });

  it('says where the syntax breaks', () => {
    expect(checkSelector('link.driver ==', LINK_ENVIRONMENT)).toMatch(
      /^ERROR: <input>:1:1\d: Syntax error: /,
    );
  });
});

describe('evaluating a selector', () => {
  it('compares sizes as unsigned numbers and gives absent fields their zero value', () => {
    const matches = compileSelector('disk.size > 10u * GiB && disk.serial == ""', DISK_ENVIRONMENT);
    expect(matches({ disk: { size: 11 * 1024 ** 3 }, system_disk: false })).toBe(true);
    expect(matches({ disk: { size: 10 * 1024 ** 3 }, system_disk: false })).toBe(false);
  });

  it('reads hardware addresses', () => {
    const matches = compileSelector('mac(link.permanent_addr) == "bc:24:11:0a:0b:0c"', LINK_ENVIRONMENT);
    expect(matches({ link: { permanent_addr: new Uint8Array([0xbc, 0x24, 0x11, 0x0a, 0x0b, 0x0c]) } })).toBe(
      true,
    );
  });

  it('globs over lists', () => {
    const matches = compileSelector('disk.symlinks.exists(s, glob("*by-id*", s))', DISK_ENVIRONMENT);
    expect(matches({ disk: { symlinks: ['/dev/disk/by-id/x'] }, system_disk: false })).toBe(true);
    expect(matches({ disk: { symlinks: ['/dev/sda'] }, system_disk: false })).toBe(false);
  });
});
