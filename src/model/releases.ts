/** What is known of Talos and Kubernetes releases: which runs which, and which one to take on the way to another. */
import { formatMinor, parseVersion, type Version } from './version.js';

interface TalosMinor {
  /**
   * First and last Kubernetes minor, from the `compatibility/talos1xx` packages of Talos's Go module `pkg/machinery`
   * v1.14.1 (MinimumKubernetesVersion, MaximumKubernetesVersion).
   */
  readonly kubernetes: readonly [first: number, last: number];
  /** Taken where an upgrade passes through this minor and no one asked for another patch. */
  readonly release: string;
}

/** By minor, oldest first, without a gap. */
export const TALOS_MINORS: Readonly<Record<string, TalosMinor>> = {
  'v1.12': { kubernetes: [30, 35], release: 'v1.12.4' },
  'v1.13': { kubernetes: [31, 36], release: 'v1.13.9' },
  'v1.14': { kubernetes: [32, 37], release: 'v1.14.1' },
};

/** `undefined`: a Talos that is not known, so nothing can be said. */
export function supportsKubernetes(talos: Version, kubernetes: Version): boolean | undefined {
  const range = TALOS_MINORS[formatMinor(talos)]?.kubernetes;
  if (!range) return undefined;
  return kubernetes.major === 1 && kubernetes.minor >= range[0] && kubernetes.minor <= range[1];
}

export function talosRelease(minor: number): Version | undefined {
  const release = TALOS_MINORS[`v1.${minor}`]?.release;
  return release === undefined ? undefined : parseVersion(release);
}

/** Every Kubernetes minor has a first release; later patches are the user's to name. */
export function kubernetesRelease(minor: number): Version {
  return { major: 1, minor, patch: 0, pre: '' };
}
