import type { PlanContext } from '../input.js';

/** All control planes at once: etcd itself starts again, empty or from a snapshot. */
export function resetsEtcd({ design, asked }: Pick<PlanContext, 'design' | 'asked'>): boolean {
  return design.nodes
    .filter((node) => node.role === 'controlplane')
    .every((node) => asked.fresh.includes(node.name));
}
