/** A node keeps its role for life: what makes a control plane one is in its disk and in etcd, not in its config. */

import type { Role } from '../../config/config-values.js';
import type { Design, NodeDesign } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { roleOfMachine } from '../../observe/observed-machines.js';
import { visibleVm } from '../../observe/observed-vms.js';
import type { Problem } from '../plan.js';

const WORDS: Readonly<Record<Role, string>> = { controlplane: 'control plane', worker: 'worker' };
const TAGS: Readonly<Record<Role, string>> = { controlplane: 'control-plane', worker: 'worker' };

export function roleProblems(design: Design, observed: Observed): Problem[] {
  return design.nodes.flatMap((node) => {
    const role = roleNow(node, observed);
    if (role === undefined || role === node.role) return [];
    const [is, shall] = [WORDS[role], WORDS[node.role]];
    const again = `then add it as a ${shall} with another vmid and apply; the data of the old one stays on data VM ${node.dataVm?.vmid ?? node.talosVm.vmid}`;
    return [
      {
        code: 'role-change',
        scope: 'plan',
        node: node.name,
        message: `${node.name} is a ${is}, oxherd.yaml says ${shall}; ${reason(role)}`,
        advice: `remove ${node.name} from oxherd.yaml and apply, ${again}`,
      },
    ];
  });
}

function reason(role: Role): string {
  return role === 'controlplane'
    ? 'its disk holds a member of etcd, which must leave the cluster before the node goes'
    : 'its disk holds the state of a worker, and a control plane starts with an empty one';
}

/** What the machine was told counts most; the VM's tags tell it while the machine is off. */
function roleNow(node: NodeDesign, observed: Observed): Role | undefined {
  const role = roleOfMachine(observed.machines[node.name]);
  if (role !== undefined) return role;
  const tags = visibleVm(observed, node.talosVm.vmid)?.tags ?? [];
  const roles = (['controlplane', 'worker'] as const).filter((role) => tags.includes(TAGS[role]));
  return roles.length === 1 ? roles[0] : undefined;
}
