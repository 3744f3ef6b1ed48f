import { parseVersion } from '../../../model/version.js';

export function versionInfo(version: string): Record<string, string> {
  const { major = 1, minor = 0 } = parseVersion(version) ?? {};
  return {
    major: String(major),
    minor: String(minor),
    emulationMajor: String(major),
    emulationMinor: String(minor),
    minCompatibilityMajor: String(major),
    minCompatibilityMinor: String(Math.max(0, minor - 1)),
    gitVersion: version,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
    goVersion: 'go1.26.8',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
