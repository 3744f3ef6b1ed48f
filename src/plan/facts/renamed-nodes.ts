/**
 * A node with another name is the same machine: its VMs, disks and address stay. Kubernetes knows it by its name alone,
 * so the machine registers a second time, and the object of the old name is removed. Machine and object are matched by
 * the SMBIOS uuid, which never changes.
 */

import type { NodeDesign } from '../../design/design.js';
import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import { isNodeObjectOf } from '../../model/node-names.js';
import type { Observed } from '../../observe/observed.js';
import type { KubeNode } from '../../observe/observed-kubernetes.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { drafted, type Planned } from '../planned.js';

/** Node objects that are this machine under another name. */
function formerSelves(node: NodeDesign, observed: Observed): readonly KubeNode[] {
  const nodes = observed.kubernetes?.nodes;
  const uuid = uuidOf(node);
  if (!nodes?.known || uuid === undefined) return [];
  return nodes.value.filter(
    (one) => !isNodeObjectOf(node.name, one.name) && one.systemUuid.toLowerCase() === uuid,
  );
}

/** The name under which Kubernetes knows a node that has not come back with its new one yet. */
export function nameBefore(node: NodeDesign, observed: Observed): string | undefined {
  const nodes = observed.kubernetes?.nodes;
  if (nodes?.known && nodes.value.some((one) => isNodeObjectOf(node.name, one.name))) return undefined;
  return formerSelves(node, observed).find((one) => one.ready)?.name;
}

export function uuidOf(node: NodeDesign): string | undefined {
  return parsePropertyString(String(node.talosVm.options.smbios1 ?? '')).uuid?.toLowerCase();
}

/** For steps that must know the machine they talk to. */
export function machineUuid(node: NodeDesign): { readonly uuid?: string } {
  const uuid = uuidOf(node);
  return uuid === undefined ? {} : { uuid };
}

/** Two machines that register under one name would fight for it. */
export function renameProblems(nodes: readonly NodeDesign[], observed: Observed): Problem[] {
  return nodes.flatMap((node) =>
    formerSelves(node, observed)
      .filter((former) => nodes.some((other) => isNodeObjectOf(other.name, former.name)))
      .map((former) => ({
        code: 'rename-taken',
        scope: 'plan' as const,
        node: node.name,
        message: `VM ${node.talosVm.vmid} is ${former.name} in Kubernetes; oxherd.yaml calls it ${node.name} and gives the name ${former.name} to another VM`,
        advice: `rename in two steps: give VM ${node.talosVm.vmid} an unused name, apply, then the names you want`,
      })),
  );
}

/** After everything else of the node: the machine is back under its new name by then. */
export function planFormerNames(given: PlanContext, nodes: readonly NodeDesign[]): Planned {
  return drafted(given, ({ list, observed }) => {
    for (const node of nodes) {
      const uuid = uuidOf(node);
      const own = list.steps.filter((step) => step.node === node.name);
      const back = own.find((step) => step.kind === 'end-disruption') ?? own.at(-1);
      for (const former of formerSelves(node, observed)) {
        // Nothing renames it by this plan: it may be away.
        if (uuid === undefined || (former.ready && own.length === 0)) continue;
        list.add(former.name, {
          kind: 'forget-node',
          node: node.name,
          title: `remove the node object ${former.name} from Kubernetes`,
          reasons: [`VM ${node.talosVm.vmid} is ${node.name} now`],
          impact: 'none',
          needs: [back?.id],
          name: former.name,
          uuid,
        });
      }
    }
  });
}
