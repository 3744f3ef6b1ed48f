/** Approvals of a cluster: the one for this plan, and those that are for another. */
import { APPROVALS, type FleetObject } from '../api/group.js';
import { readApproval } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import type { GivenApproval } from '../policy/decide.js';

export interface Approvals {
  /** For this very plan; the one that holds longest. */
  readonly given?: GivenApproval & { readonly name: string };
  /** For plans that are no more. */
  readonly stale: readonly { readonly name: string; readonly by: string; readonly planId: string }[];
}

export async function approvalsFor(
  { client }: Pick<ControllerContext, 'client'>,
  at: { readonly namespace: string; readonly name: string },
  planId: string,
): Promise<Approvals> {
  const all = (await client.list(APPROVALS, { namespace: at.namespace })).flatMap((object) =>
    phaseOf(object) === undefined ? [readApproval(object)] : [],
  );
  const ours = all.filter(({ spec, deleted }) => spec.clusterRef.name === at.name && !deleted);
  const [given] = ours
    .filter(({ spec }) => spec.planId === planId)
    .sort((a, b) => b.spec.expires - a.spec.expires);
  return {
    ...(given && {
      given: { name: given.name, by: given.spec.approvedBy, expires: given.spec.expires },
    }),
    stale: ours
      .filter(({ spec }) => spec.planId !== planId)
      .map(({ name, spec }) => ({ name, by: spec.approvedBy, planId: spec.planId })),
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
  await client.patch(APPROVALS, name, { status: { phase, message } }, options);
}

function phaseOf({ status }: FleetObject): unknown {
  return typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
}
