/** Under which the run remembers which etcd member a node was before it was disrupted. */
export function memberKey(node: string | undefined): string {
  return `etcd-member ${node}`;
}
