/** Load balancer objects that oxherd.yaml no longer has: Services lose what they stand for, so they are removed. */
import { POOL_KIND } from '../../design/kubernetes/load-balancer.js';
import { type ObjectRef, refText } from '../../design/kubernetes/managed-object.js';
import type { Planned } from '../planned.js';
import { type KubernetesDraft, type KubernetesPlan, part, readPart } from './kubernetes-part.js';

export function planLoadBalancerRemoval(given: KubernetesPlan): Planned {
  return part(given, removeLeft);
}

function removeLeft({ context, design, there }: KubernetesDraft): void {
  const objects = there && readPart(context, 'load balancer objects', there.loadBalancer);
  const wanted = new Set(design.objects.map(({ ref }) => nameOf(ref)));
  const left = (objects ?? []).filter((ref) => !wanted.has(nameOf(ref)));
  const remove = (object: ObjectRef, needs: readonly string[]): string =>
    context.list.add(refText(object), {
      kind: 'delete-object',
      title: `remove ${refText(object)}`,
      reasons: [
        object.kind === POOL_KIND
          ? 'not in oxherd.yaml; Services of type LoadBalancer lose their addresses'
          : 'not in oxherd.yaml',
      ],
      impact: 'live',
      needs,
      object,
    });
  const others = left.filter(({ kind }) => kind !== POOL_KIND).map((ref) => remove(ref, []));
  // The pool tells a later plan that there may be others: it goes last.
  for (const ref of left.filter(({ kind }) => kind === POOL_KIND)) remove(ref, others);
}

/** Whatever version of the API it was read through. */
function nameOf({ kind, name }: ObjectRef): string {
  return `${kind} ${name}`;
}
