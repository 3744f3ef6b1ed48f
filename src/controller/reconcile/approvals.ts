/** Approvals of a cluster: those for this plan, and those that count no more. */
import { isKubernetesError } from '../../clients/kubernetes/index.js';
import { APPROVALS, type FleetObject } from '../api/group.js';
import { readApproval } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import type { GivenApproval } from '../policy/decide.js';

interface NamedApproval {
  readonly name: string;
  readonly by: string;
  readonly planId: string;
}

export interface Approvals {
  /** For this very plan; the one that holds longest, also where it has expired. */
  readonly given?: GivenApproval & NamedApproval;
  /** Whether that one still holds. */
  readonly valid: boolean;
  /** All that hold for this plan: one run uses them up. */
  readonly open: readonly NamedApproval[];
  /** For plans that are no more. */
  readonly stale: readonly NamedApproval[];
}

/** Those that have expired are marked so. */
export async function approvalsFor(
  context: Pick<ControllerContext, 'client' | 'time'>,
  at: { readonly namespace: string; readonly name: string },
  planId: string,
): Promise<Approvals> {
  const now = context.time.now();
  const objects = await context.client.list(APPROVALS, { namespace: at.namespace });
  const ours = objects.flatMap((object) => {
    const phase = phaseOf(object);
    if (phase !== undefined && phase !== 'Expired') return [];
    const { name, spec, deleted } = readApproval(object);
    if (spec.clusterRef.name !== at.name || deleted) return [];
    return [{ name, by: spec.approvedBy, planId: spec.planId, expires: spec.expires, phase }];
  });
  for (const { name, expires, phase } of ours)
    if (phase === undefined && now >= expires)
      await closeApproval(
        context,
        at.namespace,
        name,
        'Expired',
        `expired at ${new Date(expires).toISOString()}`,
      );
  const [given] = ours.filter((approval) => approval.planId === planId).sort((a, b) => b.expires - a.expires);
  const holding = ours.filter(({ phase, expires }) => phase === undefined && now < expires);
  return {
    ...(given && { given }),
    valid: given !== undefined && holding.includes(given),
    open: holding.filter((approval) => approval.planId === planId),
    stale: holding.filter((approval) => approval.planId !== planId),
  };
}

/** Used, expired or stale ones count no more. */
export async function closeApproval(
  { client }: Pick<ControllerContext, 'client'>,
  namespace: string,
  name: string,
  phase: 'Used' | 'Expired' | 'Stale',
  message: string,
): Promise<void> {
  const options = { kind: 'merge', namespace, subresource: 'status' } as const;
  await client.patch(APPROVALS, name, { status: { phase, message } }, options).catch((error: unknown) => {
    // Whoever gave it took it back.
    if (!isKubernetesError(error, 'kubernetes.not-found')) throw error;
  });
}

function phaseOf({ status }: FleetObject): unknown {
  return typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
}
