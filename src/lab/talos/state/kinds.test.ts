import { describe, expect, it } from 'vitest';
import { findKind, KINDS, NAMESPACES } from './kinds.js';

describe('the kinds of a machine', () => {
  it('are all there, each in a namespace that exists', () => {
    expect(KINDS.length).toBeGreaterThan(200);
    expect(KINDS.filter(({ namespace }) => !(namespace in NAMESPACES))).toEqual([]);
    expect(new Set(KINDS.map(({ type }) => type.toLowerCase())).size).toBe(KINDS.length);
  });

  it('have the aliases that a definition gets by itself, and its own', () => {
    expect(findKind('disks.block.talos.dev')).toMatchObject({
      aliases: ['disk'],
      allAliases: ['disks', 'disks.block', 'disks.block.talos', 'disk'],
      columns: expect.arrayContaining([{ name: 'Read Only', jsonPath: '{.readonly}' }]),
    });
    expect(findKind('MachineConfigs.config.talos.dev')?.aliases).toEqual(['machineconfig', 'mc', 'mcs']);
    expect(findKind('AddressStatuses.net.talos.dev')?.allAliases).toEqual([
      'addressstatuses',
      'addressstatuses.net',
      'addressstatuses.net.talos',
      'address',
      'addresses',
      'addressstatus',
      'as',
    ]);
  });

  it('end their capitals with no second s', () => {
    for (const { type, aliases } of KINDS) {
      const capitals = (type.split('.')[0] ?? '').replaceAll(/[^A-Z]/g, '').toLowerCase();
      if (capitals.length < 2 || type === 'MountStatuses.runtime.talos.dev') continue;
      expect(aliases, type).toContain(capitals);
      expect(aliases.includes(`${capitals}s`), type).toBe(!capitals.endsWith('s'));
    }
  });

  it('are secret where Talos says so', () => {
    const secret = ['MachineConfigs.config.talos.dev', 'OSRootSecrets.secrets.talos.dev'];
    for (const type of secret) expect(findKind(type)?.sensitive, type).toBe(true);
    expect(findKind('MachineStatuses.runtime.talos.dev')?.sensitive).toBe(false);
  });
});
