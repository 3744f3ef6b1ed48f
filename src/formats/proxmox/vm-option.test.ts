import { describe, expect, it } from 'vitest';
import { driveOptionsOf, sameDriveOptions, sameVmOption } from './vm-option.js';

describe('sameVmOption', () => {
  it.each([
    ['agent', '1', 'enabled=1'],
    ['agent', '1', 'enabled=1,fstrim_cloned_disks=0,type=virtio'],
    ['agent', undefined, 'enabled=0,type=virtio'],
    ['onboot', undefined, 0],
    ['acpi', undefined, 1],
    ['memory', '4096', 4096],
    ['memory', 'current=4096', 4096],
    ['tags', 'b;a', 'a;B'],
    ['startup', 'order=4,up=15,down=60', '4,down=60,up=15'],
    ['ipconfig0', 'ip=10.0.0.2/24,gw=10.0.0.1', 'gw=10.0.0.1,ip=10.0.0.2/24'],
    ['net0', 'virtio=bc:24:11:00:00:01,bridge=vmbr0', 'virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=0'],
    ['hostpci0', 'mapping=gpu,pcie=1', 'mapping=gpu,pcie=1,rombar=1,x-vga=0'],
    ['cpu', 'host', 'cputype=host'],
    ['description', undefined, ''],
  ])('%s: %j means %j', (key, a, b) => {
    expect(sameVmOption(key, a, b)).toBe(true);
    expect(sameVmOption(key, b, a)).toBe(true);
  });

  it.each([
    ['agent', '1', undefined],
    ['agent', '1', '1,type=isa'],
    ['onboot', 1, undefined],
    ['protection', undefined, 1],
    ['tags', 'a', 'a;b'],
    ['net0', 'virtio=BC:24:11:00:00:01,bridge=vmbr0', 'virtio=BC:24:11:00:00:01,bridge=vmbr1'],
    ['net1', undefined, 'virtio=BC:24:11:00:00:01,bridge=vmbr1'],
    ['boot', 'order=scsi0', 'order='],
  ])('%s: %j is not %j', (key, a, b) => {
    expect(sameVmOption(key, a, b)).toBe(false);
  });
});

describe('sameDriveOptions', () => {
  const same = (a: string, b: string) => sameDriveOptions(driveOptionsOf(a), driveOptionsOf(b));

  it('looks at options, not at the volume', () => {
    expect(same('a:vm-1-disk-0,backup=1,format=raw,size=1G,ssd=on', 'b:vm-2-disk-1,size=2G,ssd=1')).toBe(
      true,
    );
  });

  it.each(['a:b,ssd=0', 'a:b,backup=0,ssd=1', 'a:b,ssd=1,wwn=0x3000000000000001'])(
    'sees a difference: %s',
    (line) => {
      expect(same('a:b,ssd=1', line)).toBe(false);
    },
  );
});
