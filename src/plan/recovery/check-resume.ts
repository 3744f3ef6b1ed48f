/** Whether etcd can go on from the disks that are there: with all of its members in oxherd.yaml, and none started again. */

import { parseDataNotes } from '../../formats/marks/data-notes.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { isMemberOf } from '../../model/node-names.js';
import { hasEtcdData } from '../../observe/observed-machines.js';
import { visibleVm, visibleVms } from '../../observe/observed-vms.js';
import { etcdSuspects } from '../facts/etcd-suspects.js';
import { livingEtcd } from '../facts/members.js';
import { resetsEtcd } from '../facts/resets-etcd.js';
import { vmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import type { Note, Problem } from '../plan.js';

export function resumeProblems(context: PlanContext): Problem[] {
  const { asked } = context;
  const etcd = livingEtcd(context);
  if (resetsEtcd(context)) {
    const begun = etcdDisks(context).every(({ note, inFile }) => !inFile || note.state === 'fresh');
    return etcd.state === 'living' && !asked.restore && !begun ? [alive(context, etcd.healthy)] : [];
  }
  if (etcd.state === 'living') return removedByOthers(context, etcd.members);
  return [...unfinished(context), ...missingMembers(context)];
}

function alive({ design }: PlanContext, healthy: readonly string[]): Problem {
  return {
    code: 'fresh-alive',
    scope: 'plan',
    message: `the cluster is alive: etcd runs on ${healthy.join(', ')}; --fresh would discard its data`,
    advice: `to give one node a new disk: oxherd apply --fresh --only NODE --confirm ${design.cluster.name}; to reset the whole cluster run \`oxherd destroy\` first; resume an interrupted reset with \`oxherd apply\``,
  };
}

/** Someone took a member off the list while its machine runs: it is refused from now on, and nothing brings it back. */
function removedByOthers(
  { design, observed, asked }: PlanContext,
  members: readonly { readonly id: string; readonly hostname: string }[],
): Problem[] {
  return design.nodes.flatMap(({ name, role, dataVm }): Problem[] => {
    const details = observed.machines[name]?.details;
    const data = dataVm && visibleVm(observed, dataVm.vmid);
    const note = data && parseDataNotes(vmView(data)?.effective.description ?? '').etcd;
    if (role === 'worker' || asked.fresh.includes(name) || note?.state === 'removed') return [];
    if (!details?.known || !hasEtcdData(details.value)) return [];
    const { etcd, services } = details.value;
    const ill = services.some((service) => service.id === 'etcd' && service.health === 'unhealthy');
    const listed = etcd?.known
      ? members.some((member) => member.id === etcd.value.memberId)
      : !ill || members.some((member) => isMemberOf(name, member.hostname));
    if (listed) return [];
    return [
      {
        code: 'member-removed',
        scope: 'node',
        node: name,
        message: `${name} runs etcd with the data of a member that was removed: the others refuse it`,
        advice: `join it as a new member: oxherd apply --fresh --only ${name} --confirm ${design.cluster.name}`,
      },
    ];
  });
}

/** A data VM of ours and what its disk is to etcd. */
function etcdDisks({ design, observed }: PlanContext) {
  return visibleVms(observed)
    .filter((vm) => vm.tags.includes(DATA_TAG))
    .sort((a, b) => a.vmid - b.vmid)
    .flatMap((vm) => {
      const note = parseDataNotes(vmView(vm)?.effective.description ?? '').etcd;
      return note ? [{ vm, note, inFile: design.nodes.some((node) => node.dataVm?.vmid === vm.vmid) }] : [];
    });
}

function missingMembers(context: PlanContext): Problem[] {
  const { cluster } = context.design;
  const suspects = etcdSuspects(context);
  if (suspects.length === 0) return [];
  return [
    {
      code: 'members-missing',
      scope: 'plan',
      message: `etcd does not run, and oxherd.yaml does not have ${suspects.join(', ')}, which may have its data: a second etcd must not begin beside ${suspects.length === 1 ? 'it' : 'them'}`,
      advice: `add them to oxherd.yaml again (they can be removed once the cluster runs), start the VMs that are off, or reset: oxherd apply --fresh --confirm ${cluster.name}, or oxherd etcd restore FILE --confirm ${cluster.name}`,
    },
  ];
}

/** A reset begins without them; `--confirm` confirms this as well. */
export function abandonedNotes(context: PlanContext): Note[] {
  const suspects = resetsEtcd(context) ? etcdSuspects(context) : [];
  if (suspects.length === 0) return [];
  return [
    {
      code: 'advice',
      message: `etcd starts again without ${suspects.join(', ')}, which may have its data and ${suspects.length === 1 ? 'is' : 'are'} given up: oxherd.yaml does not have ${suspects.length === 1 ? 'it' : 'them'}`,
    },
  ];
}

/** A fresh start or a restore that was cut off: half of the disks are new, and what the old ones hold is not wanted. */
function unfinished(context: PlanContext): Problem[] {
  const { design } = context;
  const own = etcdDisks(context).filter(({ inFile }) => inFile);
  const restoring = own.some(({ note }) => note.state === 'restore');
  const fresh = own.filter(({ note }) => note.state === 'fresh').length;
  if (!restoring && (fresh === 0 || fresh === own.length)) return [];
  const confirm = `--confirm ${design.cluster.name}`;
  return [
    {
      code: 'reset-unfinished',
      scope: 'plan',
      message: restoring
        ? 'a restore of etcd was started and not finished'
        : 'a reset of the cluster was started and not finished',
      advice: restoring
        ? `finish it: oxherd etcd restore FILE ${confirm}; or start empty: oxherd apply --fresh ${confirm}`
        : `finish it: oxherd apply --fresh ${confirm}; or start from a snapshot: oxherd etcd restore FILE ${confirm}`,
    },
  ];
}
