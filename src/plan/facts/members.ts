/** etcd's members as the control planes of this cluster see them now. */
import type { Design, NodeDesign } from '../../design/design.js';
import { majorityOf } from '../../model/quorum.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { type EtcdView, hasEtcdData } from '../../observe/observed-machines.js';
import { visibleVms } from '../../observe/observed-vms.js';
import type { PlanContext } from '../input.js';

type LivingEtcd =
  /** No control plane has etcd data, or none can be asked. */
  | { readonly state: 'none' }
  /** Some have data, and there is no leader among them. */
  | { readonly state: 'no-quorum'; readonly seen: readonly string[] }
  | {
      readonly state: 'living';
      readonly members: EtcdView['members'];
      /** Voters that answer and follow a leader: names of nodes, and labels of VMs that oxherd.yaml does not have. */
      readonly healthy: readonly string[];
    };

type Seen = Pick<PlanContext, 'design' | 'observed'>;

/** As those say that are not `without`. Control planes that left oxherd.yaml are asked too: etcd may be only theirs. */
export function livingEtcd({ design, observed }: Seen, without = ''): LivingEtcd {
  const seen: string[] = [];
  const voters: { readonly label: string; readonly view: EtcdView }[] = [];
  for (const { label, machine } of controlPlaneMachines(design, observed)) {
    if (label === without || !machine?.details.known) continue;
    const details = machine.details.value;
    if (!hasEtcdData(details)) continue;
    seen.push(label);
    if (!details.etcd?.known) continue;
    const view = details.etcd.value;
    // A member that was removed still answers for itself; the list it is given names it no more.
    if (view.leader !== '' && !view.learner && view.members.some(({ id }) => id === view.memberId))
      voters.push({ label, view });
  }
  const [first] = voters;
  if (!first) return seen.length > 0 ? { state: 'no-quorum', seen } : { state: 'none' };
  const { members } = first.view;
  // Members of another etcd follow a leader too, and say nothing about this one.
  const healthy = voters.filter(({ view }) => members.some(({ id }) => id === view.memberId));
  return { state: 'living', members, healthy: healthy.map(({ label }) => label) };
}

function controlPlaneMachines(design: Design, { machines, removedMachines = {}, vms }: Observed) {
  return [
    ...design.nodes
      .filter(({ role }) => role === 'controlplane')
      .map(({ name }) => ({ label: name, machine: machines[name] })),
    ...visibleVms({ vms }).flatMap((vm) => {
      const machine = removedMachines[vm.vmid];
      return machine ? [{ label: vmLabel(vm), machine }] : [];
    }),
  ];
}

/** No node has such a name. */
function vmLabel({ vmid, name }: Pick<ObservedVm, 'vmid' | 'name'>): string {
  return `VM ${vmid} (${name})`;
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
