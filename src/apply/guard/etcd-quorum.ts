/** Whether etcd can spare a member now: enough others are healthy, and none of them learns or is behind. */
import { majorityOf } from '../../model/quorum.js';
import { attempt } from '../../observe/attempt.js';
import { readEtcd } from '../../observe/observe-machines.js';
import type { EtcdMember, EtcdView } from '../../observe/observed-machines.js';
import type { Addressed, StepContext } from '../support/context.js';
import { etcdLag } from '../support/etcd-lag.js';
import { adminOf } from '../support/machine-wait.js';
import { StepError } from '../support/read-vm.js';
import type { Refusal } from './refusal.js';

/** In words: how many must stay, how many are healthy without this one, and which are not. */
export async function quorumRefusal(
  { node, controlPlanes }: { readonly node?: string; readonly controlPlanes: readonly Addressed[] },
  context: StepContext,
): Promise<Refusal | undefined> {
  const views = await viewsOf(controlPlanes, context);
  const members = Math.max(controlPlanes.length, ...views.map(({ etcd }) => etcd?.members.length ?? 0));
  const needed = majorityOf(members);
  const others = views.filter(({ name }) => name !== node);
  const unhealthy = unhealthyOf(others);
  const healthy = others.length - unhealthy.length;
  if (healthy < needed)
    return noQuorum(
      `${needed} of ${members} etcd members are needed, and without it only ${healthy} would be healthy (${unhealthy.join(', ') || 'there are no more'})`,
    );
  for (const { name, ip, etcd } of others) {
    if (etcd?.learner) return noQuorum(`the etcd member of ${name} is still a learner`);
    const behind = etcd && (await attempt(() => etcdLag((at) => adminOf(context, at).etcd, ip)));
    if (behind?.known && behind.value !== undefined) return noQuorum(`${name}: ${behind.value}`);
  }
  return undefined;
}

/** A member that leaves for good, and the etcd that the plan saw. */
interface Leaving {
  readonly staying: readonly Addressed[];
  readonly memberId?: string;
  readonly members: readonly string[];
}

/** Control planes that stay must all be healthy members of the same etcd, and hold its majority without the one that leaves. */
export async function stayingRefusal(
  { staying, memberId, members }: Leaving,
  context: StepContext,
): Promise<Refusal | undefined> {
  const views = await viewsOf(staying, context);
  const unhealthy = unhealthyOf(views);
  if (staying.length === 0 || unhealthy.length > 0) {
    const healthy = staying.length - unhealthy.length;
    const which = unhealthy.length > 0 ? ` (${unhealthy.join(', ')})` : '';
    return noQuorum(
      `${healthy} of the ${staying.length} remaining control planes are healthy, and all must be${which}`,
    );
  }
  const apart = apartRefusal(views, members, context);
  if (apart) return apart;
  const listed = views[0]?.etcd?.members ?? [];
  const voters = listed.filter((member) => !member.learner && member.id !== memberId);
  const needed = majorityOf(voters.length);
  const own = new Set(views.map(({ etcd }) => etcd?.memberId));
  const others = await Promise.all(
    voters.filter(({ id }) => !own.has(id)).map((member) => isHealthy(member, context)),
  );
  const healthy = voters.filter(({ id }) => own.has(id)).length + others.filter((one) => one).length;
  if (healthy >= needed) return undefined;
  return noQuorum(
    `without it ${needed} of ${voters.length} etcd members are needed, and only ${healthy} would be healthy`,
  );
}

/** Asks a member that is neither in oxherd.yaml nor leaving, at the address of its peers. */
async function isHealthy({ id, addresses = [] }: EtcdMember, context: StepContext): Promise<boolean> {
  for (const address of addresses) {
    const etcd = await attempt(() => readEtcd(adminOf(context, address)));
    if (etcd.known && etcd.value.memberId === id) return unhealthyReason(etcd.value) === undefined;
  }
  return false;
}

/** Members of two etcd clusters, or of another one than the plan saw: what one has says nothing about the other. */
function apartRefusal(
  views: readonly MemberView[],
  planned: readonly string[],
  context: StepContext,
): Refusal | undefined {
  for (const { name, etcd } of views) {
    const stranger = views.find((other) => !etcd?.members.some(({ id }) => id === other.etcd?.memberId));
    if (stranger) return noQuorum(`${stranger.name} is no member of the etcd of ${name}`);
    if (etcd && planned.length > 0 && !isSameEtcd(etcd.members, planned, context))
      return noQuorum(`${name} is a member of another etcd than the plan saw`);
  }
  return undefined;
}

/**
 * Talos tells no cluster id. A list that shares no member with the one that the plan saw is of another etcd. Members that
 * joined in this run count as seen, because all that the plan saw may be replaced by them.
 */
function isSameEtcd(
  listed: readonly { readonly id: string }[],
  planned: readonly string[],
  { memory }: Pick<StepContext, 'memory'>,
): boolean {
  const joined = memory.get(SEEN_MEMBERS)?.split(' ') ?? [];
  if (!listed.some(({ id }) => planned.includes(id) || joined.includes(id))) return false;
  memory.set(SEEN_MEMBERS, [...new Set([...joined, ...listed.map(({ id }) => id)])].join(' '));
  return true;
}

/** Under which the run remembers the ids of all members of the etcd that the plan saw. */
const SEEN_MEMBERS = 'etcd-members';

/** That a member is missing in the list of another etcd does not mean that it left. */
export function requireSameEtcd(
  { node, members: planned }: { readonly node?: string; readonly members: readonly string[] },
  members: readonly { readonly id: bigint }[],
  context: Pick<StepContext, 'memory'>,
): void {
  const listed = members.map(({ id }) => ({ id: id.toString(16) }));
  if (isSameEtcd(listed, planned, context)) return;
  throw new StepError(
    'apply.other-etcd',
    `the control planes run another etcd than the one that the plan saw${node === undefined ? '' : `: what ${node} is to it is not known`}`,
    { advice: 'nothing was removed; run plan again' },
  );
}

/** A member whose data is gone: a majority of all voters, itself included, must agree to its removal. */
export async function removalRefusal(
  { staying, members }: Leaving,
  voters: number,
  context: StepContext,
): Promise<Refusal | undefined> {
  const views = await viewsOf(staying, context);
  const healthy = views.filter(
    ({ etcd }) => etcd !== undefined && isVoter(etcd) && isSameEtcd(etcd.members, members, context),
  ).length;
  const needed = majorityOf(voters);
  if (healthy >= needed) return undefined;
  return noQuorum(
    `${needed} of ${voters} members must agree to its removal, and without it ${healthy} ${healthy === 1 ? 'is' : 'are'} healthy`,
  );
}

/** A member that was removed still answers for itself; the list that it is given names it no more. */
function isVoter({ memberId, members, learner, leader }: EtcdView): boolean {
  return leader !== '' && !learner && members.some(({ id }) => id === memberId);
}

function noQuorum(why: string): Refusal {
  return {
    code: 'guard.quorum',
    why,
    advice: 'repair the other members first (see `oxherd status`), then run it again',
  };
}

interface MemberView extends Addressed {
  readonly etcd?: EtcdView;
}

function viewsOf(controlPlanes: readonly Addressed[], context: StepContext): Promise<MemberView[]> {
  return Promise.all(
    controlPlanes.map(async ({ name, ip }) => {
      const etcd = await attempt(() => readEtcd(adminOf(context, ip)));
      return { name, ip, ...(etcd.known && { etcd: etcd.value }) };
    }),
  );
}

function unhealthyOf(views: readonly MemberView[]): string[] {
  return views.flatMap(({ name, etcd }) => {
    const why = unhealthyReason(etcd);
    return why === undefined ? [] : [`${name} ${why}`];
  });
}

function unhealthyReason(etcd: EtcdView | undefined): string | undefined {
  if (!etcd) return 'does not answer';
  if (etcd.learner) return 'is a learner';
  if (etcd.leader === '') return 'sees no leader';
  if (etcd.alarms.length > 0) return `has an alarm: ${etcd.alarms.join(', ')}`;
  return etcd.errors.length > 0 ? etcd.errors.join(', ') : undefined;
}

/** Under which the run remembers which etcd member a node was before it was disrupted. */
export function memberKey(node: string | undefined): string {
  return `etcd-member ${node}`;
}
