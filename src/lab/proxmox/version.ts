import type { HostRecord } from './db.js';

/** The version that the recordings come from. */
const VERSION = { release: '9.2', repoid: '14a22df3', version: '9.2.11' } as const;
export const QEMU_VERSION = '11.0.0';

/** QEMU of releases that differ from the recordings. */
const QEMU_OF: Readonly<Record<string, string>> = { '8.4': '9.2.0', '9.0': '10.0.2', '9.1': '10.1.2' };

export function versionOf(host: Pick<HostRecord, 'version'> | undefined): {
  readonly release: string;
  readonly repoid: string;
  readonly version: string;
} {
  const version = host?.version;
  if (version === undefined) return VERSION;
  return { ...VERSION, version, release: version.split('.').slice(0, 2).join('.') };
}

export function qemuOf(host: Pick<HostRecord, 'version'> | undefined): string {
  return QEMU_OF[versionOf(host).release] ?? QEMU_VERSION;
}

/** Groups of HA became rules with it. */
export function isBeforeRules(host: Pick<HostRecord, 'version'> | undefined): boolean {
  return Number(versionOf(host).release.split('.')[0]) < 9;
}
