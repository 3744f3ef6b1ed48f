/**
 * From one pair of versions to another by hops that Talos and Kubernetes support: adjacent Talos minors, one
 * Kubernetes minor at a time, and after each hop a pair that Talos says it runs.
 */
import { kubernetesRelease, supportsKubernetes, TALOS_MINORS, talosRelease } from '../../model/releases.js';
import { compareVersions, formatMinor, formatVersion as show, type Version } from '../../model/version.js';

export interface Versions {
  readonly talos: Version;
  readonly kubernetes: Version;
}

export interface UpgradeHop {
  readonly what: 'talos' | 'kubernetes';
  readonly from: Version;
  readonly to: Version;
}

type UpgradePath =
  | { readonly legal: true; readonly hops: readonly UpgradeHop[] }
  | {
      readonly legal: false;
      readonly reason: string;
      /** A goal near the one asked for that can be reached. */
      readonly legalAlternative?: Versions;
    };

/** Releases to take on the way instead of the default of their minor. */
export type Via = Readonly<Partial<Record<UpgradeHop['what'], readonly Version[]>>>;

export function upgradePath(from: Versions, to: Versions, via: Via = {}): UpgradePath {
  const wrong = whyIllegal(from, to);
  if (wrong !== undefined) {
    const alternative = nearestGoal(from, to);
    return { legal: false, reason: wrong, ...(alternative && { legalAlternative: alternative }) };
  }
  const hops: UpgradeHop[] = [];
  let at = from;
  for (;;) {
    const hop = nextHop(at, to, via);
    if (!hop) return { legal: true, hops };
    hops.push(hop);
    at = afterHop(at, hop);
  }
}

export function afterHop(at: Versions, { what, to }: UpgradeHop): Versions {
  return { ...at, [what]: to };
}

/**
 * Talos first wherever the pair after it is supported: a newer Talos is what lets Kubernetes continue. The ranges rise
 * and overlap, so where Talos cannot move Kubernetes can, until both are at the goal.
 */
function nextHop(at: Versions, to: Versions, via: Via): UpgradeHop | undefined {
  const talos =
    compareVersions(at.talos, to.talos) < 0 ? oneMinorOn('talos', at.talos, to.talos, via) : undefined;
  if (talos && supportsKubernetes(talos, at.kubernetes)) return { what: 'talos', from: at.talos, to: talos };
  if (compareVersions(at.kubernetes, to.kubernetes) >= 0) return undefined;
  const kubernetes = oneMinorOn('kubernetes', at.kubernetes, to.kubernetes, via);
  return { what: 'kubernetes', from: at.kubernetes, to: kubernetes };
}

function oneMinorOn(what: UpgradeHop['what'], from: Version, goal: Version, via: Via): Version {
  if (goal.minor <= from.minor + 1) return goal;
  const minor = from.minor + 1;
  const asked = via[what]?.find((version) => version.major === from.major && version.minor === minor);
  const usual = what === 'talos' ? talosRelease(minor) : kubernetesRelease(minor);
  return asked ?? usual ?? { major: from.major, minor, patch: 0, pre: '' };
}

function whyIllegal(from: Versions, to: Versions): string | undefined {
  if (compareVersions(to.talos, from.talos) < 0) {
    return `Talos ${show(to.talos)} is older than ${show(from.talos)}: downgrading Talos is not supported`;
  }
  if (compareVersions(to.kubernetes, from.kubernetes) < 0) {
    return `Kubernetes ${show(to.kubernetes)} is older than ${show(from.kubernetes)}: downgrading Kubernetes is not supported`;
  }
  const unknown = [from.talos, to.talos].find((version) => !TALOS_MINORS[formatMinor(version)]);
  if (unknown) {
    const known = Object.keys(TALOS_MINORS);
    return `Talos ${formatMinor(unknown)} is not known (${known[0]} to ${known.at(-1)} are), so no path to it can be checked`;
  }
  if (!supportsKubernetes(to.talos, to.kubernetes)) {
    const [first, last] = TALOS_MINORS[formatMinor(to.talos)]?.kubernetes ?? [0, 0];
    return `Talos ${show(to.talos)} runs Kubernetes v1.${first} to v1.${last}, not ${show(to.kubernetes)}`;
  }
  if (from.kubernetes.major !== to.kubernetes.major || from.talos.major !== to.talos.major) {
    return 'a path between major versions is not known';
  }
  return whyNoWay(from, to);
}

/** A pair that Talos never supported may have no way out of it. */
function whyNoWay(from: Versions, to: Versions): string | undefined {
  let at = from;
  for (let hop = nextHop(at, to, {}); hop; hop = nextHop(at, to, {})) {
    at = afterHop(at, hop);
    if (!supportsKubernetes(at.talos, at.kubernetes)) {
      return `the way leads over Talos ${show(at.talos)} with Kubernetes ${show(at.kubernetes)}, which Talos does not support`;
    }
  }
  if (compareVersions(at.talos, to.talos) === 0) return undefined;
  return `no supported pair leads from Talos ${show(from.talos)} with Kubernetes ${show(from.kubernetes)} to Talos ${show(to.talos)}`;
}

/** Never back, only to Talos versions that are known, and to a pair that is supported. */
function nearestGoal(from: Versions, to: Versions): Versions | undefined {
  const newest = talosRelease(
    Math.max(...Object.keys(TALOS_MINORS).map((minor) => Number(minor.split('.')[1]))),
  );
  const back = compareVersions(to.talos, from.talos) < 0;
  const talos = back ? from.talos : TALOS_MINORS[formatMinor(to.talos)] ? to.talos : newest;
  if (!talos) return undefined;
  const kubernetes = later(from.kubernetes, to.kubernetes);
  const candidates = [
    { talos, kubernetes },
    // The Kubernetes that was asked for, on the oldest newer Talos that runs it.
    ...Object.values(TALOS_MINORS).flatMap(({ release }) => {
      const candidate = talosRelease(Number(release.split('.')[1]));
      return candidate && compareVersions(candidate, talos) > 0 ? [{ talos: candidate, kubernetes }] : [];
    }),
    // The Talos that was asked for, with the nearest Kubernetes that it runs.
    ...(TALOS_MINORS[formatMinor(talos)]?.kubernetes ?? [])
      .map(kubernetesRelease)
      .sort((a, b) => distance(a, kubernetes) - distance(b, kubernetes))
      .map((nearest) => ({ talos, kubernetes: nearest })),
  ];
  const nearest = candidates.find((candidate) => whyIllegal(from, candidate) === undefined);
  // To stay where one is needs no advice.
  return nearest && moves(from, nearest) ? nearest : undefined;
}

function moves(from: Versions, to: Versions): boolean {
  return compareVersions(from.talos, to.talos) !== 0 || compareVersions(from.kubernetes, to.kubernetes) !== 0;
}

function distance(a: Version, b: Version): number {
  return Math.abs(a.minor - b.minor);
}

function later(a: Version, b: Version): Version {
  return compareVersions(a, b) >= 0 ? a : b;
}
