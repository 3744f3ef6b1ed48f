/** Whether etcd can spare a member now: enough others are healthy, none of them learns or is behind. */
import { attempt } from '../../observe/attempt.js';
import { readEtcd } from '../../observe/observe-machines.js';
import type { EtcdView } from '../../observe/observed-machines.js';
import type { StepOf } from '../../plan/steps.js';
import type { StepContext } from './context.js';
import { etcdLag } from './etcd-lag.js';
import { adminOf, until } from './machine-wait.js';
import { StepError } from './read-vm.js';

/** A member that joined or came back just now catches up in less; one that does not is a matter for people. */
const QUORUM_TIMEOUT_MS = 5 * 60_000;

export async function awaitQuorum(step: StepOf<'begin-disruption'>, context: StepContext): Promise<void> {
  await until(
    context,
    {
      timeoutMs: QUORUM_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('guard.quorum', `refusing to disrupt ${step.node}: ${last}`, {
          advice: 'it was left unchanged; see `oxherd status`, and retry when the other members are healthy',
        }),
    },
    async (waiting) => {
      const why = await whyNot(step, context);
      if (why === undefined) return true;
      waiting(why);
      return undefined;
    },
  );
}

/** In words: how many must stay, how many are healthy besides this one, who is not. */
async function whyNot(step: StepOf<'begin-disruption'>, context: StepContext): Promise<string | undefined> {
  const views = await Promise.all(
    step.controlPlanes.map(async ({ name, ip }) => {
      const etcd = await attempt(() => readEtcd(adminOf(context, ip)));
      return { name, ip, etcd: etcd.known ? etcd.value : undefined };
    }),
  );
  const members = Math.max(step.controlPlanes.length, ...views.map(({ etcd }) => etcd?.members.length ?? 0));
  const needed = Math.floor(members / 2) + 1;
  const others = views.filter(({ name }) => name !== step.node);
  const ill = others.flatMap(({ name, etcd }) => {
    const why = illness(etcd);
    return why === undefined ? [] : [`${name} ${why}`];
  });
  if (others.length - ill.length < needed) {
    return `${needed} of ${members} etcd members are needed, and without it only ${others.length - ill.length} would be healthy (${ill.join(', ') || 'there are no more'})`;
  }
  for (const { name, ip, etcd } of others) {
    if (etcd?.learner) return `the etcd member of ${name} is still a learner`;
    const behind = etcd && (await attempt(() => etcdLag((at) => adminOf(context, at).etcd, ip)));
    if (behind?.known && behind.value !== undefined) return `${name}: ${behind.value}`;
  }
  return undefined;
}

function illness(etcd: EtcdView | undefined): string | undefined {
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
