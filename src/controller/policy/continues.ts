/** Whether a plan is what was left of an approved one when its run was cut off. */
import type { Impact, Step } from '../../session/plan/index.js';
import { rank } from './decide.js';

const CREATES: ReadonlySet<string> = new Set<Step['kind']>(['create-talos-vm', 'create-data-vm']);
/** What is left of such a step where it was cut off; nothing is taken from a VM here. */
const FINISHES: ReadonlySet<string> = new Set<Step['kind']>([
  'add-drive',
  'attach-drive',
  'grow-drive',
  'set-options',
  'set-drive-options',
  'add-helper-drive',
  'start-vm',
]);

interface Planned {
  /** Digest of the desired state. */
  readonly desired: string;
  readonly steps: readonly {
    readonly kind: string;
    readonly node?: string | undefined;
    readonly impact: Impact;
  }[];
}

/**
 * A run that was cut off leaves a shorter plan with another id. It goes on under the same approval where it works towards the
 * same desired state, and has no kind of step on any node that was not approved there, nor a worse one. A node that was to be
 * created may also be finished: cut off in the middle of that step, its VM is there and its disk has not grown yet.
 */
export function continues(approved: Planned, rest: Planned): boolean {
  if (approved.desired !== rest.desired) return false;
  const worst = new Map<string, number>();
  for (const step of approved.steps) {
    const key = `${step.kind} ${step.node ?? ''}`;
    worst.set(key, Math.max(worst.get(key) ?? -1, rank(step.impact)));
  }
  const created = new Set(approved.steps.flatMap(({ kind, node }) => (CREATES.has(kind) ? [node] : [])));
  return rest.steps.every(({ kind, node, impact }) => {
    const finishes = node !== undefined && created.has(node) && FINISHES.has(kind) ? rank('live') : -1;
    return rank(impact) <= Math.max(worst.get(`${kind} ${node ?? ''}`) ?? -1, finishes);
  });
}
