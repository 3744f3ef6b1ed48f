/** Hosts with different versions of Proxmox VE, as between two hosts of an upgrade. */
import type { Observed } from '../../observe/observed.js';

/** Why a VM that runs on one host cannot go on running on the other; what is not known counts as the same. */
export function versionSkew(
  { hosts }: Pick<Observed, 'hosts'>,
  from: string,
  to: string,
): string | undefined {
  const [here, there] = [hosts[from]?.version, hosts[to]?.version];
  if (here === undefined || there === undefined || !isOlder(there, here)) return undefined;
  return `it runs Proxmox VE ${there}, and VMs of ${here} do not move to an older one`;
}

/** By major and minor: a newer QEMU writes states that an older one does not read. */
function isOlder(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split('.').map(Number));
  return (a?.[0] ?? 0) - (b?.[0] ?? 0) < 0 || (a?.[0] === b?.[0] && (a?.[1] ?? 0) < (b?.[1] ?? 0));
}
