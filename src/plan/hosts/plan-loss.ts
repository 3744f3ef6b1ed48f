/** What is done for a host that never comes back before its nodes are made again: members and node objects, then disks. */

import type { Design, NodeDesign } from '../../design/design.js';
import { talosVmidOf, type Vmid } from '../../model/identity.js';
import type { Observed } from '../../observe/observed.js';
import { kubeNodeOf } from '../../observe/observed-kubernetes.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { findVolume } from '../../observe/observed-volumes.js';
import { ownerVm } from '../facts/drained-nodes.js';
import { vmView } from '../facts/view-of-vm.js';
import { makePlan } from '../make-plan.js';
import type { Plan } from '../plan.js';
import { type Draft, draftOf } from '../planned.js';
import { removeMember } from '../recovery/plan-lost-member.js';
import type { HostLoss } from './host-loss.js';

/** While the configs are still on the lost host: after that, nothing tells which nodes it had. */
export function planLossCleanup(design: Design, observed: Observed, { nodes, host }: HostLoss): Plan {
  const draft = emptyDraft(design, observed);
  let last: string | undefined;
  for (const { node: name, role, newMember } of nodes) {
    if (!newMember || role !== 'controlplane') continue;
    last = removeMember(draft, { name, role }, `its data was on ${host} alone`, [last]) ?? last;
  }
  for (const { node, newVm } of nodes) if (newVm) forgetNode(draft, node, host, last);
  const { problems, notes } = draft;
  const steps = problems.length > 0 ? [] : draft.list.steps;
  return makePlan(design, observed, { steps, problems, notes, lostHost: host });
}

/** Its pods are elsewhere sooner, and volumes on shared storage are detached from a VM that does not exist any more. */
function forgetNode({ list, observed }: Draft, node: string, host: string, after: string | undefined): void {
  const known = observed.kubernetes?.nodes;
  const object = known?.known ? kubeNodeOf(node, known.value) : undefined;
  if (!object) return;
  list.add(object.name, {
    kind: 'forget-node',
    node,
    title: `remove the node object ${object.name} from Kubernetes`,
    reasons: [`its VM was on ${host}`],
    impact: 'remove',
    needs: [after],
    name: object.name,
    uuid: object.systemUuid.toLowerCase(),
  });
}

/** Once the configs are elsewhere: lines of disks that stayed on the lost host leave them. */
export function planLostDrives(design: Design, observed: Observed, nodes: readonly NodeDesign[]): Plan {
  const draft = emptyDraft(design, observed);
  for (const node of nodes) {
    const data = node.dataVm && visibleVm(observed, node.dataVm.vmid);
    const view = data && vmView(data);
    for (const { file, wwn } of view?.drives ?? []) {
      if (!view || wwn === undefined) continue;
      if (findVolume(observed.volumes, view.vm.host, file).state !== 'absent') continue;
      const name = node.drives.find((drive) => drive.wwn === wwn)?.name ?? wwn;
      const { vmid, host } = view.vm;
      draft.list.add(`${vmid}/${wwn}`, {
        kind: 'forget-volume',
        node: node.name,
        title: `forget ${node.name}/${name}: ${file} no longer exists`,
        reasons: ['it was on a host that is lost'],
        impact: 'none',
        load: { host },
        vmid,
        talosVmid: talosVmidOf(vmid) as Vmid,
        host,
        wwn,
        volid: file,
      });
    }
  }
  return makePlan(design, observed, draft.list);
}

/** Nodes whose data VM came without its EPHEMERAL disk. */
export function nodesWithoutEphemeral(observed: Observed, nodes: readonly NodeDesign[]): string[] {
  return nodes
    .filter((node) => {
      const owner = node.dataVm && ownerVm(node, observed);
      const view = owner && vmView(owner);
      const ephemeral = node.drives.find(({ kind }) => kind === 'ephemeral');
      return view !== undefined && ephemeral !== undefined && !view.byWwn.has(ephemeral.wwn);
    })
    .map(({ name }) => name);
}

function emptyDraft(design: Design, observed: Observed): Draft {
  return draftOf({
    design,
    observed,
    namedHosts: new Map(design.nodes.map((node) => [node.name, node.host])),
    asked: { restart: [], replace: [], fresh: [] },
    list: { steps: [] },
    resets: new Map(),
    problems: [],
    notes: [],
  });
}
