/**
 * ProxmoxSites that point at one Proxmox cluster: they share an endpoint, or a host with its certificate. Names of hosts and
 * addresses alone are the same in many places.
 */
import type { KnownSite } from '../api/objects.js';

interface SharedProxmox {
  /** The oldest of them, by which leases and claims of all of them go. */
  readonly first: string;
  /** Without the one that was asked for, by name. */
  readonly others: readonly string[];
}

export function sameProxmox(name: string, sites: readonly KnownSite[]): SharedProxmox {
  const marks = new Map(sites.map((site) => [site.name, new Set(marksOf(site))]));
  const group = new Set([name]);
  const seen = new Set(marks.get(name));
  for (let size = 0; size < group.size; ) {
    size = group.size;
    for (const [other, own] of marks) {
      if (group.has(other) || ![...own].some((mark) => seen.has(mark))) continue;
      group.add(other);
      for (const mark of own) seen.add(mark);
    }
  }
  const [first] = sites
    .filter((site) => group.has(site.name))
    .sort((a, b) => compare(a.created, b.created) || compare(a.name, b.name));
  return { first: first?.name ?? name, others: [...group].filter((one) => one !== name).sort(compare) };
}

function marksOf({ endpoints, hosts }: KnownSite): string[] {
  return [
    ...endpoints.map((endpoint) => endpoint.toLowerCase()),
    ...hosts.flatMap(({ name, fingerprint }) =>
      fingerprint === undefined ? [] : [`${name} ${fingerprint}`],
    ),
  ];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
