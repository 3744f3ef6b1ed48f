/**
 * Parts of the scope that this observation did not read. A verdict over them rests on nothing: "No changes", "Healthy"
 * and "Done" are said only if this list is empty.
 */
import type { Design } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { scopeOf, type UnreadPart, unreadParts } from '../../observe/observed-unread.js';
import { drainedHosts, offForMaintenance } from './drained-nodes.js';

interface Scope {
  /** Only these nodes, and nothing of the whole cluster. */
  readonly only?: readonly string[] | undefined;
  /** This host is given up: nothing of it will be read again. */
  readonly lostHost?: string | undefined;
}

/** Nodes that are off because their host is in maintenance, and the storages of that host, do not count. */
export function incompleteParts(
  design: Design,
  observed: Observed,
  { only, lostHost }: Scope = {},
): UnreadPart[] {
  const drained = offForMaintenance(design, observed);
  const nodes = design.nodes.filter(({ name }) => !drained.has(name));
  const away = new Set([
    ...drainedHosts(design, observed),
    ...[...drained.values()].map(({ host }) => host),
    ...(lostHost === undefined ? [] : [lostHost]),
  ]);
  return unreadParts(scopeOf({ ...design, nodes }, only, design.nodes), withoutStoragesOf(away, observed));
}

/** A host that is in maintenance and down cannot list what its storages hold. */
function withoutStoragesOf(hosts: ReadonlySet<string>, observed: Observed): Observed {
  const there = <T>(listings: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(listings).filter(([place]) => {
        const [host = ''] = place.split('/');
        return !hosts.has(host) || observed.hosts[host]?.online !== false;
      }),
    );
  return {
    ...observed,
    volumes: there(observed.volumes),
    images: there(observed.images),
    bridges: there(observed.bridges),
  };
}

/** The one line that a person reads first. */
export function incompleteText(parts: readonly UnreadPart[]): string {
  const nodes = new Set(parts.flatMap(({ node }) => node ?? []));
  const others = parts.filter(({ node }) => node === undefined).length;
  const counts = [
    ...(nodes.size > 0 ? [`${nodes.size} ${nodes.size === 1 ? 'node' : 'nodes'}`] : []),
    ...(others > 0 ? [`${others} ${others === 1 ? 'part' : 'parts'} of the cluster`] : []),
  ];
  return `Could not compare ${counts.join(' and ')}.`;
}
