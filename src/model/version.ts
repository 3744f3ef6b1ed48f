import { compareNaturally } from './natural-order.js';

/** `v1.14.1`; pre-releases such as `v1.14.0-beta.1` keep their tail. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly pre: string;
}

export function parseVersion(text: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/.exec(text);
  if (!match) return undefined;
  return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]), pre: match[4] ?? '' };
}

export function formatVersion(v: Version): string {
  return `v${v.major}.${v.minor}.${v.patch}${v.pre && `-${v.pre}`}`;
}

/** `v1.14`, the unit in which contracts and compatibility are stated. */
export function formatMinor(v: Version): string {
  return `v${v.major}.${v.minor}`;
}

export function compareVersions(a: Version, b: Version): number {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    a.patch - b.patch ||
    // A release comes after its pre-releases.
    Number(a.pre === '') - Number(b.pre === '') ||
    compareNaturally(a.pre, b.pre)
  );
}
