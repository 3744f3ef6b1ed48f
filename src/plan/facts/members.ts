/** etcd's members as the control planes of oxherd.yaml see them now. */
import type { NodeDesign } from '../../design/design.js';
import { majorityOf } from '../../model/quorum.js';
import { type EtcdView, hasEtcdData } from '../../observe/observed-machines.js';
import type { PlanContext } from '../input.js';

type LivingEtcd =
  /** No control plane has etcd data, or none can be asked. */
  | { readonly state: 'none' }
  /** Some have data, and there is no leader among them. */
  | { readonly state: 'no-quorum'; readonly seen: readonly string[] }
  | {
      readonly state: 'living';
      readonly members: EtcdView['members'];
      /** Voters that answer and follow a leader, by name of the node. */
      readonly healthy: readonly string[];
    };

/** As those say that are not `without`. */
export function livingEtcd(
  { design, observed }: Pick<PlanContext, 'design' | 'observed'>,
  without = '',
): LivingEtcd {
  const seen: string[] = [];
  const healthy: string[] = [];
  let members: EtcdView['members'] = [];
  for (const { name, role } of design.nodes) {
    const details = observed.machines[name]?.details;
    if (role !== 'controlplane' || name === without || !details?.known) continue;
    if (!hasEtcdData(details.value)) continue;
    seen.push(name);
    const etcd = details.value.etcd;
    if (!etcd?.known || etcd.value.leader === '') continue;
    const { memberId, members: listed, learner } = etcd.value;
    // A member that was removed still answers for itself; the list it is given names it no more.
    if (learner || !listed.some((member) => member.id === memberId)) continue;
    healthy.push(name);
    members = listed;
  }
  if (healthy.length > 0) return { state: 'living', members, healthy };
  return seen.length > 0 ? { state: 'no-quorum', seen } : { state: 'none' };
}

/** Whether the members besides `name` can take it off the list: a majority of all voters must agree to it. */
export function canRemove(
  etcd: LivingEtcd & { state: 'living' },
  name: string,
): { needed: number; staying: number; voters: number; may: boolean } {
  const voters = etcd.members.filter((member) => !member.learner).length;
  const needed = majorityOf(voters);
  const staying = etcd.healthy.filter((other) => other !== name).length;
  return { voters, needed, staying, may: staying >= needed };
}

export function otherControlPlanes({ design }: Pick<PlanContext, 'design'>, node: Pick<NodeDesign, 'name'>) {
  return design.nodes
    .filter((other) => other.role === 'controlplane' && other.name !== node.name)
    .map(({ name, ip }) => ({ name, ip }));
}
