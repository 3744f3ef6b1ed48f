import type { PlanContext } from '../input.js';

/** Once in a plan, before the first member of etcd leaves for good; after `needs`, where nothing took it before. */
export function planSnapshot({ list }: Pick<PlanContext, 'list'>, needs: readonly string[] = []): string {
  const id = 'take-snapshot:etcd';
  if (list.steps.some((step) => step.id === id)) return id;
  return list.add('etcd', {
    kind: 'take-snapshot',
    title: 'take a snapshot of etcd and read it back',
    reasons: ['a member leaves etcd for good'],
    impact: 'none',
    needs,
  });
}
