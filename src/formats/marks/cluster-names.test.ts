import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVmid, type Vmid } from '../../model/identity.js';
import {
  clusterTag,
  csiAccessNames,
  csiVolumeName,
  isClusterTag,
  legacyCsiAccessNames,
  legacyCsiVolumeName,
  legacyLockPoolName,
  legacyTag,
  lockPoolName,
} from './cluster-names.js';
import { DATA_TAG } from './data-tag.js';
import type { ClusterIdentity } from './identities.js';

const vmid = parseVmid(9999) as Vmid;

/** Few words, so that two clusters often look alike: `home-dev`, `home` with `dev`, `data`, `lock`. */
const word = fc.constantFrom('home', 'dev', 'data', 'lock', 'csi', 'oxherd', 'a', '0');
const label = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('-')),
  fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/),
);
const cluster: fc.Arbitrary<ClusterIdentity> = fc.record({
  name: label,
  env: fc.oneof(fc.constant(''), label),
});

const same = (a: ClusterIdentity, b: ClusterIdentity) => a.name === b.name && a.env === b.env;
const namesOf = (one: ClusterIdentity) => {
  const { role, deleteRole, user } = csiAccessNames(one);
  return { tag: clusterTag(one), lock: lockPoolName(one), role, deleteRole, user };
};
const legacyNamesOf = (one: ClusterIdentity) => [
  legacyTag(one),
  legacyLockPoolName(one),
  ...Object.values(legacyCsiAccessNames(one)),
];

describe('names of a cluster', () => {
  // Objects with these names are in people's Proxmox.
  it.each([
    [{ name: 'homelab', env: '' }, 'oxherd_homelab'],
    [{ name: 'home', env: 'dev' }, 'oxherd_home_dev'],
    [{ name: 'home-dev', env: '' }, 'oxherd_home-dev'],
    [{ name: 'data', env: '' }, 'oxherd_data_'],
    [{ name: 'data', env: 'dev' }, 'oxherd_data_dev'],
  ])('of %j', (one, tag) => {
    expect(namesOf(one)).toEqual({
      tag,
      lock: `${tag}.lock`,
      role: `${tag}.csi`,
      deleteRole: `${tag}.csi-delete`,
      user: `${tag}.csi@pve`,
    });
    expect(isClusterTag(tag)).toBe(true);
  });

  it('are those of no other cluster, and no other kind of name', () => {
    fc.assert(
      fc.property(cluster, cluster, (one, other) => {
        const names = Object.values(namesOf(one));
        expect(new Set(names).size).toBe(names.length);
        expect(names).not.toContain(DATA_TAG);
        for (const legacy of legacyNamesOf(other)) expect(names).not.toContain(legacy);
        if (same(one, other)) return;
        const others = Object.values(namesOf(other));
        expect(names.filter((name) => others.includes(name))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('are names that Proxmox takes', () => {
    fc.assert(
      fc.property(cluster, (one) => {
        const { tag, lock, role, deleteRole, user } = namesOf(one);
        expect(tag).toMatch(/^[a-z0-9_][a-z0-9_\-+.]*$/);
        for (const id of [lock, role, deleteRole]) expect(id).toMatch(/^[A-Za-z0-9.\-_]+$/);
        expect(user).toMatch(/^[^\s:/@]+@pve$/);
        expect(user.length).toBeLessThanOrEqual(64);
      }),
    );
  });
});

describe('names of CSI volumes', () => {
  it('never change', () => {
    const name = (name: string, env: string) => csiVolumeName({ name, env }, vmid, 'pv-data');
    expect(name('homelab', '')).toBe('vm-9999-_3fa6cab720-pv-data');
    expect(name('homelab', 'dev')).toBe('vm-9999-_44550d0707-pv-data');
  });

  it('are not part of one another: the driver finds volumes by a part of their name', () => {
    const volume = fc.oneof(
      fc.array(fc.constantFrom('pv', 'data', 'old', '9999'), { minLength: 1, maxLength: 4 }),
      fc.array(label, { minLength: 1, maxLength: 2 }),
    );
    const text = volume.map((words) => words.join('-'));
    fc.assert(
      fc.property(cluster, text, cluster, text, (one, name, other, otherName) => {
        const made = csiVolumeName(one, vmid, name);
        const legacy = legacyCsiVolumeName(other, vmid, otherName);
        expect(made.includes(legacy)).toBe(false);
        expect(legacy.includes(made)).toBe(false);
        if (same(one, other) && name === otherName) return;
        expect(csiVolumeName(other, vmid, otherName).includes(made)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
