/**
 * A node of the config, and what others call it. Talos sets the first label of its name as the host name: Kubernetes
 * registers the node under it (under the whole name with `registerWithFQDN`), and etcd lists its member by it. No two
 * nodes of a config share a first label, so each of the names belongs to one node.
 */

export function firstLabel(name: string): string {
  return (name.split('.')[0] ?? name).toLowerCase();
}

/** Names under which Kubernetes may know a node: the usual one first. */
export function nodeObjectNames(node: string): readonly string[] {
  return [...new Set([firstLabel(node), node.toLowerCase()])];
}

export function isNodeObjectOf(node: string, objectName: string): boolean {
  return nodeObjectNames(node).includes(objectName);
}

/** Talos names members by host name; versions differ in whether the domain is part of it. */
export function isMemberOf(node: string, memberName: string): boolean {
  return nodeObjectNames(node).includes(memberName.toLowerCase());
}

/** The object of a node. While it changes from one name to the other there are two: the one that is Ready counts. */
export function nodeObjectOf<T>(
  node: string,
  objects: readonly T[],
  { nameOf, isReady }: { nameOf: (object: T) => string; isReady: (object: T) => boolean },
): T | undefined {
  const names = nodeObjectNames(node);
  let first: T | undefined;
  for (const object of objects) {
    if (!names.includes(nameOf(object))) continue;
    if (isReady(object)) return object;
    first ??= object;
  }
  return first;
}
