import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, GIB } from '../../model/size.js';
import {
  PropertyStringError,
  parseDrive,
  parseNet,
  parsePropertyString,
  parseProxmoxSize,
  parseTags,
  printDrive,
  printNet,
  printPropertyString,
  printTags,
} from './property-string.js';

describe('property strings', () => {
  it('puts the bare value under the default key', () => {
    expect(parsePropertyString('1,type=virtio', 'enabled')).toEqual({ enabled: '1', type: 'virtio' });
  });

  it('ignores empty parts, as the trailing comma that clients send', () => {
    expect(parsePropertyString('file=local-zfs:cloudinit,', 'file')).toEqual({ file: 'local-zfs:cloudinit' });
  });

  it.each([
    ['order=', 'missing key in comma-separated list property'],
    ['a=1,a=2', 'duplicate key in comma-separated list property: a'],
    ['bare', 'value without key, but schema does not define a default key'],
  ])('refuses %s with the words of Proxmox', (text, message) => {
    expect(() => parsePropertyString(text)).toThrow(new PropertyStringError(message));
  });

  it('prints what it parses, default key first, then by name', () => {
    const key = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const value = fc.stringMatching(/^[A-Za-z0-9:;./-]{1,12}$/);
    fc.assert(
      fc.property(fc.dictionary(key, value), value, (properties, bare) => {
        const all = { ...properties, file: bare };
        const text = printPropertyString(all, 'file');
        expect(parsePropertyString(text, 'file')).toEqual(all);
        const keys = text.split(',').slice(1);
        expect(keys).toEqual(
          [...keys].sort((a, b) => ((a.split('=')[0] ?? '') < (b.split('=')[0] ?? '') ? -1 : 1)),
        );
      }),
    );
  });
});

describe('drives', () => {
  it.each([
    'local-zfs:vm-1001-disk-0,aio=io_uring,backup=1,cache=writethrough,discard=on,iothread=1,replicate=1,size=5G,ssd=1',
    'local-zfs:vm-1040-disk-0,efitype=4m,size=1M',
    'vmdata:1150/vm-1150-disk-0.raw,size=1953125K',
    'local-zfs:vm-1120-disk-2,size=3G,wwn=0x5000c50015ea7111',
    'none,media=cdrom',
  ])('keeps the stored line %s', (line) => {
    expect(printDrive(parseDrive(line))).toBe(line);
  });

  it('stores a line as Proxmox does: alphabetical, booleans as digits, size in its largest unit', () => {
    const sent = 'file=local-zfs:vm-9-disk-0,size=21474836480,ssd=on,backup=no,aio=io_uring';
    expect(printDrive(parseDrive(sent))).toBe('local-zfs:vm-9-disk-0,aio=io_uring,backup=0,size=20G,ssd=1');
  });

  it('reads the alias volume', () => {
    expect(parseDrive('volume=a:b,ssd=1')).toEqual({ file: 'a:b', options: { ssd: '1' } });
  });

  it.each(['ssd=1', 'a:b,size=big'])('refuses %s', (line) => {
    expect(() => parseDrive(line)).toThrow(PropertyStringError);
  });
});

describe('sizes', () => {
  it.each([
    ['20G', 20 * GIB],
    ['0.5G', GIB / 2],
    ['528K', 528 * 1024],
    ['21474836480', 20 * GIB],
  ])('reads %s', (text, size) => {
    expect(parseProxmoxSize(text)).toBe(bytes(size));
  });

  it.each(['', '20GiB', '5g', '-1G'])('refuses %j', (text) => {
    expect(parseProxmoxSize(text)).toBeUndefined();
  });
});

describe('network devices', () => {
  it.each(['virtio=BC:24:11:62:36:54,bridge=vmbr0,queues=4,tag=7', 'virtio,bridge=vmbr0', 'e1000'])(
    'keeps the stored line %s',
    (line) => {
      expect(printNet(parseNet(line))).toBe(line);
    },
  );

  it('reads the long spelling of clients', () => {
    expect(printNet(parseNet('model=virtio,bridge=vmbr0,firewall=0,macaddr=bc:24:11:00:00:01'))).toBe(
      'virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=0',
    );
  });

  it.each(['bridge=vmbr0', 'virtio=BC:24:11:00:00:01,e1000=BC:24:11:00:00:02'])('refuses %s', (line) => {
    expect(() => parseNet(line)).toThrow(PropertyStringError);
  });
});

describe('tags', () => {
  it.each([
    ['Beta, alpha;alpha gamma', 'alpha;beta;gamma'],
    ['z;A_b;c+d;1x', '1x;a_b;c+d;z'],
  ])('stores %j as %j (recording tags-and-options)', (sent, stored) => {
    expect(printTags(parseTags(sent))).toBe(stored);
  });
});
