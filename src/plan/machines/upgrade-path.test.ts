import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { supportsKubernetes, TALOS_MINORS } from '../../model/releases.js';
import { compareVersions, formatVersion, parseVersion, type Version } from '../../model/version.js';
import { afterHop, upgradePath, type Versions, type Via } from './upgrade-path.js';

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (!parsed) throw new Error(`${text} is not a version`);
  return parsed;
}

function versions(talos: string, kubernetes: string): Versions {
  return { talos: version(talos), kubernetes: version(kubernetes) };
}

function shown(from: Versions, to: Versions, via: Via = {}): readonly string[] {
  const path = upgradePath(from, to, via);
  return path.legal ? path.hops.map((hop) => `${hop.what} ${formatVersion(hop.to)}`) : [path.reason];
}

describe('the table', () => {
  const rows = Object.entries(TALOS_MINORS);
  it('has adjacent minors whose ranges rise and overlap, as the path relies on', () => {
    for (const [index, [minor, { kubernetes, release }]] of rows.entries()) {
      expect(minor).toBe(`v1.${12 + index}`);
      expect(release.startsWith(`${minor}.`)).toBe(true);
      const before = rows[index - 1]?.[1].kubernetes;
      if (!before) continue;
      expect(kubernetes[0]).toBeGreaterThanOrEqual(before[0]);
      expect(kubernetes[1]).toBeGreaterThanOrEqual(before[1]);
      expect(kubernetes[0]).toBeLessThanOrEqual(before[1]);
    }
  });
});

describe('a path', () => {
  it('goes over every Talos minor, by its known release', () => {
    expect(shown(versions('v1.12.0', 'v1.35.0'), versions('v1.14.0', 'v1.35.0'))).toEqual([
      'talos v1.13.9',
      'talos v1.14.0',
    ]);
  });

  it('goes over every Kubernetes minor, and takes the patch that was asked for', () => {
    const asked = { kubernetes: [version('v1.36.4')] };
    expect(shown(versions('v1.14.1', 'v1.35.2'), versions('v1.14.1', 'v1.37.1'), asked)).toEqual([
      'kubernetes v1.36.4',
      'kubernetes v1.37.1',
    ]);
  });

  it('goes with Kubernetes first where the next Talos would not run what is there', () => {
    expect(shown(versions('v1.12.4', 'v1.30.1'), versions('v1.14.1', 'v1.33.0'))).toEqual([
      'kubernetes v1.31.0',
      'talos v1.13.9',
      'kubernetes v1.32.0',
      'talos v1.14.1',
      'kubernetes v1.33.0',
    ]);
  });

  it('goes with Talos first where Kubernetes is at the end of its range, or past it', () => {
    expect(shown(versions('v1.13.9', 'v1.36.0'), versions('v1.14.1', 'v1.37.0'))).toEqual([
      'talos v1.14.1',
      'kubernetes v1.37.0',
    ]);
    expect(shown(versions('v1.12.4', 'v1.36.0'), versions('v1.13.9', 'v1.36.0'))).toEqual(['talos v1.13.9']);
  });

  it('is one hop between patches, and none where nothing changes', () => {
    expect(shown(versions('v1.14.0-beta.1', 'v1.36.0'), versions('v1.14.1', 'v1.36.2'))).toEqual([
      'talos v1.14.1',
      'kubernetes v1.36.2',
    ]);
    expect(shown(versions('v1.14.1', 'v1.36.0'), versions('v1.14.1', 'v1.36.0'))).toEqual([]);
  });
});

describe('an illegal goal', () => {
  const refused = (from: Versions, to: Versions) => {
    const path = upgradePath(from, to);
    if (path.legal) throw new Error('this is legal');
    const { legalAlternative: other } = path;
    return {
      reason: path.reason,
      instead: other && `${formatVersion(other.talos)} ${formatVersion(other.kubernetes)}`,
    };
  };

  it('is an older Talos or an older Kubernetes', () => {
    expect(refused(versions('v1.14.1', 'v1.36.0'), versions('v1.13.9', 'v1.36.0'))).toEqual({
      reason: expect.stringContaining('Talos v1.13.9 is older than v1.14.1'),
      instead: undefined,
    });
    expect(refused(versions('v1.12.4', 'v1.34.0'), versions('v1.11.5', 'v1.34.0')).instead).toBeUndefined();
    expect(refused(versions('v1.13.9', 'v1.36.1'), versions('v1.14.1', 'v1.36.0'))).toEqual({
      reason: expect.stringContaining('Kubernetes v1.36.0 is older than v1.36.1'),
      instead: 'v1.14.1 v1.36.1',
    });
  });

  it('is a Kubernetes that the Talos does not run: the alternative is a newer Talos', () => {
    expect(refused(versions('v1.13.8', 'v1.35.0'), versions('v1.13.8', 'v1.37.0'))).toEqual({
      reason: 'Talos v1.13.8 runs Kubernetes v1.31 to v1.36, not v1.37.0',
      instead: 'v1.14.1 v1.37.0',
    });
    expect(refused(versions('v1.12.0', 'v1.30.0'), versions('v1.14.1', 'v1.30.0'))).toEqual({
      reason: 'Talos v1.14.1 runs Kubernetes v1.32 to v1.37, not v1.30.0',
      instead: 'v1.14.1 v1.32.0',
    });
    expect(refused(versions('v1.14.1', 'v1.36.0'), versions('v1.14.1', 'v1.38.0')).instead).toBe(
      'v1.14.1 v1.37.0',
    );
  });

  it('is a Talos that is not known: the alternative is the newest that is', () => {
    expect(refused(versions('v1.13.9', 'v1.36.0'), versions('v1.15.0', 'v1.36.0'))).toEqual({
      reason: 'Talos v1.15 is not known (v1.12 to v1.14 are), so no path to it can be checked',
      instead: 'v1.14.1 v1.36.0',
    });
  });

  it('is one that no supported pair leads to', () => {
    expect(refused(versions('v1.12.4', 'v1.37.0'), versions('v1.14.1', 'v1.37.0')).reason).toMatch(
      /no supported pair leads from Talos v1.12.4 with Kubernetes v1.37.0/,
    );
  });
});

const talos = fc.record({ minor: fc.integer({ min: 12, max: 14 }), patch: fc.integer({ min: 0, max: 9 }) });
const kubernetes = fc.record({
  minor: fc.integer({ min: 29, max: 38 }),
  patch: fc.integer({ min: 0, max: 3 }),
});
const pair = fc
  .record({ talos, kubernetes })
  .map(({ talos: t, kubernetes: k }) => versions(`v1.${t.minor}.${t.patch}`, `v1.${k.minor}.${k.patch}`));

/** Breadth first over minors, with no knowledge of the order in which hops are chosen. */
function fewestHops(from: Versions, to: Versions): number | undefined {
  const patchHop = (a: Version, b: Version) => Number(a.minor === b.minor && compareVersions(a, b) !== 0);
  const seen = new Set<string>();
  let front = [{ talos: from.talos.minor, kubernetes: from.kubernetes.minor }];
  for (let hops = 0; front.length > 0; hops += 1) {
    for (const at of front) {
      if (at.talos !== to.talos.minor || at.kubernetes !== to.kubernetes.minor) continue;
      return hops + patchHop(from.talos, to.talos) + patchHop(from.kubernetes, to.kubernetes);
    }
    front = front.flatMap((at) =>
      [
        { ...at, talos: at.talos + 1 },
        { ...at, kubernetes: at.kubernetes + 1 },
      ].filter((next) => {
        const key = `${next.talos} ${next.kubernetes}`;
        if (seen.has(key)) return false;
        seen.add(key);
        return supportsKubernetes(version(`v1.${next.talos}.0`), version(`v1.${next.kubernetes}.0`)) === true;
      }),
    );
  }
  return undefined;
}

describe('between any two pairs', () => {
  it('every hop is legal, the goal is reached, and no path is shorter', () => {
    let legal = 0;
    fc.assert(
      fc.property(pair, pair, (from, to) => {
        const path = upgradePath(from, to);
        if (!path.legal) return;
        legal += 1;
        let at = from;
        for (const hop of path.hops) {
          expect(compareVersions(hop.from, at[hop.what])).toBe(0);
          expect(compareVersions(hop.to, hop.from)).toBeGreaterThan(0);
          expect(hop.to.minor - hop.from.minor).toBeLessThanOrEqual(1);
          at = afterHop(at, hop);
          expect(supportsKubernetes(at.talos, at.kubernetes)).toBe(true);
        }
        expect(at).toEqual(to);
        expect(path.hops.length).toBe(fewestHops(from, to));
      }),
      { numRuns: 2_000 },
    );
    expect(legal).toBeGreaterThan(200);
  });

  it('a refusal is a refusal: backwards, an unsupported pair, or nowhere to go', () => {
    fc.assert(
      fc.property(pair, pair, (from, to) => {
        const path = upgradePath(from, to);
        if (path.legal) return;
        const back =
          compareVersions(to.talos, from.talos) < 0 || compareVersions(to.kubernetes, from.kubernetes) < 0;
        const unsupported = supportsKubernetes(to.talos, to.kubernetes) !== true;
        expect(back || unsupported || fewestHops(from, to) === undefined).toBe(true);
        if (path.legalAlternative) expect(upgradePath(from, path.legalAlternative).legal).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
