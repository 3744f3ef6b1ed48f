/** A control plane whose data is gone: its member leaves etcd's list by id, and only while the others hold quorum. */

import type { NodeDesign } from '../../design/design.js';
import { isMemberOf } from '../../model/node-names.js';
import { isAbsent, visibleVm } from '../../observe/observed-vms.js';
import { type Candidate, memberIdOf, memberOwners } from '../facts/member-owners.js';
import { canRemove, livingEtcd, otherControlPlanes } from '../facts/members.js';
import { resetsEtcd } from '../facts/resets-etcd.js';
import type { PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { planSnapshot } from './plan-snapshot.js';

/** The step after which a node without its data may be made; `undefined`: etcd knows no such member. */
export function planLostMember(given: PlanContext, node: NodeDesign): Planned<string | undefined> {
  return drafted<string | undefined>(given, (context) => {
    const { observed } = context;
    const { vmid } = node.dataVm ?? node.talosVm;
    // A VM that lost the disks it uses is another matter: someone has to say that they are gone for good.
    if (!isAbsent(observed, vmid) || !isAbsent(observed, node.talosVm.vmid) || resetsEtcd(context))
      return undefined;
    const what = node.dataVm ? `data VM ${vmid}` : `VM ${vmid}`;
    const former = formerHolder(context, node);
    if (!former) return removeMember(context, node, `its data is lost: there is no ${what}`, []);
    const { member, owner } = former;
    const why = `VM ${owner.vmid} was ${member.hostname} before, and its machine does not answer`;
    if (memberIdOf(owner.machine) === undefined)
      return removeMember(context, { ...node, vmid: owner.vmid }, why, []);
    context.problems.push({
      code: 'name-taken',
      scope: 'plan',
      node: node.name,
      message: `${node.name} is to be VM ${node.talosVm.vmid}, but VM ${owner.vmid} runs as ${member.hostname} and is member ${member.id} of etcd: two machines of one name would replace each other there`,
      advice: `give the new node another name, or remove ${node.name} from oxherd.yaml, apply, then add it with vmid ${node.talosVm.vmid}`,
    });
    return undefined;
  });
}

/** Another machine that is in etcd under the name of a node that is yet to be made: Talos would remove its member. */
function formerHolder(context: PlanContext, { name, role }: NodeDesign) {
  const etcd = livingEtcd(context, name);
  if (role === 'worker' || etcd.state !== 'living') return undefined;
  const owners = memberOwners(context, etcd.members);
  for (const member of etcd.members) {
    const owner = owners.get(member.id);
    if (owner && owner.node === undefined && isMemberOf(name, member.hostname)) return { member, owner };
  }
  return undefined;
}

export function removeMember(
  context: Draft,
  node: Pick<NodeDesign, 'name' | 'role' | 'dataVm'> & {
    /** Of the Talos VM whose member it is, if that is not the node's own. */
    readonly vmid?: number;
  },
  why: string,
  needs: readonly (string | undefined)[],
): string | undefined {
  const { list, observed, problems } = context;
  if (node.role === 'worker') return undefined;
  const etcd = livingEtcd(context, node.name);
  if (etcd.state === 'none') return undefined;
  if (etcd.state === 'no-quorum') {
    problems.push({
      code: 'etcd-no-quorum',
      scope: 'plan',
      node: node.name,
      message: `${node.name} cannot rejoin etcd (${why}): etcd has no quorum (${etcd.seen.join(', ')} ${etcd.seen.length === 1 ? 'has' : 'have'} data, but no leader)`,
      advice: restoreAdvice(context),
    });
    return undefined;
  }
  const owners = memberOwners(context, etcd.members);
  const member = etcd.members.find(({ id }) => isOwner(owners.get(id), node));
  if (!member) return undefined;
  const { voters, needed, staying, may } = canRemove(etcd, node.name);
  if (!may) {
    problems.push({
      code: 'etcd-quorum',
      scope: 'plan',
      node: node.name,
      message: `the etcd member of ${node.name} cannot be removed (${why}): ${needed} of ${voters} members must agree, and without it ${staying} ${staying === 1 ? 'is' : 'are'} healthy`,
      advice: restoreAdvice(context),
    });
    return undefined;
  }
  const data = node.dataVm && visibleVm(observed, node.dataVm.vmid);
  return list.add(node.name, {
    kind: 'remove-member',
    node: node.name,
    title: `remove member ${member.id} (${node.name}) from etcd`,
    reasons: [
      why,
      `${needed} of ${voters} members must agree; ${staying} are healthy; it joins as a new one`,
    ],
    impact: 'reset',
    needs: [...needs, planSnapshot(context)],
    memberId: member.id,
    members: etcd.members.map(({ id }) => id),
    staying: otherControlPlanes(context, node),
    ...(data && { dataVm: { vmid: data.vmid, host: data.host } }),
  });
}

function isOwner(
  owner: Candidate | undefined,
  { name, vmid }: { readonly name: string; readonly vmid?: number },
): boolean {
  return vmid === undefined ? owner?.name === name : owner?.vmid === vmid;
}

function restoreAdvice({ design }: Pick<PlanContext, 'design'>): string {
  return `repair the other members (see \`oxherd status\`); if their data is lost too: oxherd etcd restore FILE --confirm ${design.cluster.name}`;
}
