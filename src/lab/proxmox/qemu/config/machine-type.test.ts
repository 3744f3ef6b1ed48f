import { describe, expect, it } from 'vitest';
import { pinnedMachine } from './machine-type.js';

const pinned = (machine: string | undefined, ostype?: string) => pinnedMachine(machine, { ostype }, () => {});

describe('the machine of a new VM', () => {
  it('gets a version with a Windows guest only, and keeps one that it has', () => {
    expect(pinned(undefined, 'win11')).toBe('pc-i440fx-11.0+pve2');
    expect(pinned('q35,viommu=virtio', 'w2k8')).toBe('pc-q35-11.0+pve2,viommu=virtio');
    expect(pinned('pc-q35-10.1', 'win10')).toBe('pc-q35-10.1');
    expect(pinned('viommu=virtio,type=q35', 'l26')).toBe('q35,viommu=virtio');
    expect(pinned(undefined, 'l26')).toBe('');
  });

  it('is refused with a vIOMMU that it cannot have', () => {
    expect(() => pinned('pc,viommu=intel')).toThrow('set the machine type to q35');
    expect(() => pinned('q35,viommu=intel,aw-bits=40')).toThrow('39 or 48 bits');
    expect(() => pinned('q35,aw-bits=48')).toThrow('no vIOMMU');
  });
});
