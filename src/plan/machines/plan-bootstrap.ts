/** The bootstrap of etcd, or its restore. */

import type { NodeDesign } from '../../design/design.js';
import { parseDataNotes } from '../../formats/marks/data-notes.js';
import { hasEtcdData, type ObservedMachine } from '../../observe/observed-machines.js';
import { visibleVm, visibleVms } from '../../observe/observed-vms.js';
import { livingEtcd } from '../facts/members.js';
import { resetsEtcd } from '../facts/resets-etcd.js';
import { vmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import { drafted, type Planned } from '../planned.js';

/** Once in a cluster's life: only while no control plane has etcd data, and all are known to have none. */
export function planBootstrap(
  given: PlanContext,
  configured: readonly (readonly [NodeDesign, string | undefined])[],
): Planned<string | undefined> {
  return drafted<string | undefined>(given, (context) => {
    const { list, observed, notes, asked } = context;
    const controlPlanes = configured.filter(([node]) => node.role === 'controlplane');
    const first = [...controlPlanes].sort(([a], [b]) => a.talosVm.vmid - b.talosVm.vmid)[0];
    if (!first) return undefined;
    // Control planes that left oxherd.yaml still run it: the new ones join.
    if (!resetsEtcd(context) && livingEtcd(context).state === 'living') return undefined;
    const others = otherControlPlanes(context, new Set(controlPlanes.map(([node]) => node.name)));
    const states = resetsEtcd(context)
      ? []
      : [
          ...controlPlanes.map(([node]) => etcdState(observed.machines[node.name])),
          ...others.map(({ name }) =>
            observed.machines[name]?.presence === 'configured'
              ? etcdState(observed.machines[name])
              : ('unknown' as const),
          ),
        ];
    if (states.includes('running')) return undefined;
    if (!resetsEtcd(context) && apiAnswers(context)) {
      notes.push({
        code: 'unknown',
        message:
          'the Kubernetes API answers, so etcd runs on a machine that oxherd cannot ask: nothing is bootstrapped',
      });
      return undefined;
    }
    if (states.includes('unknown')) {
      notes.push({
        code: 'unknown',
        message: `whether etcd was bootstrapped is not known: ${others.length > 0 ? `${others.map(({ name }) => name).join(', ')} may have its data and cannot be asked; run it without --only` : 'a control plane refuses to tell'}`,
      });
      return undefined;
    }
    const members = asked.restore || resetsEtcd(context) ? [] : keptMembers(context, controlPlanes);
    return list.add('etcd', {
      kind: 'bootstrap',
      ...(members.length > 0 && { action: 'wait' as const }),
      node: first[0].name,
      title:
        members.length > 0
          ? 'wait until etcd has resumed from the data VMs'
          : `${asked.restore ? 'restore' : 'bootstrap'} etcd on ${first[0].name}`,
      reasons: asked.restore
        ? [`from ${asked.restore.path}`, `sha256 ${asked.restore.sha256}`]
        : members.length > 0
          ? [`its members are on ${members.join(', ')}`]
          : ['no control plane has etcd data'],
      impact: 'none',
      needs: controlPlanes.map(([, step]) => step),
      ip: first[0].ip,
      machines: knownVms(context),
      controlPlanes: [...controlPlanes.map(([node]) => node), ...others].map((node) => node.ip),
      ...(asked.restore && { restore: asked.restore }),
    });
  });
}

function apiAnswers({ observed }: PlanContext): boolean {
  return Object.values(observed.kubernetes?.endpoints ?? {}).some((ready) => ready);
}

/** VMs with the tag of this cluster that were accounted for when the plan was made. */
function knownVms({ design, observed }: PlanContext): number[] {
  const wanted = design.nodes.flatMap(({ talosVm, dataVm }) => [
    talosVm.vmid,
    ...(dataVm ? [dataVm.vmid] : []),
  ]);
  // Look-alikes have the tag and were found to be of another cluster.
  const seen = [...visibleVms(observed), ...Object.values(observed.lookalikes)].map(({ vmid }) => vmid);
  const ids = [...wanted, ...seen].map(Number);
  return [...new Set(ids)].sort((a, b) => a - b);
}

/** Data VMs whose disks are members of an etcd that was there before. */
function keptMembers(
  { observed }: PlanContext,
  controlPlanes: readonly (readonly [NodeDesign, string | undefined])[],
): string[] {
  return controlPlanes.flatMap(([{ dataVm }]) => {
    const vm = dataVm && visibleVm(observed, dataVm.vmid);
    const note = vm && parseDataNotes(vmView(vm)?.effective.description ?? '').etcd;
    return note?.state === 'member' ? [`data VM ${vm?.vmid}`] : [];
  });
}

/** Control planes that this plan leaves alone, and that may have etcd data all the same. */
function otherControlPlanes(
  { design, observed }: PlanContext,
  planned: ReadonlySet<string>,
): readonly NodeDesign[] {
  return design.nodes.filter(
    ({ name, role, talosVm, dataVm }) =>
      role === 'controlplane' &&
      !planned.has(name) &&
      (visibleVm(observed, talosVm.vmid) !== undefined ||
        (dataVm && visibleVm(observed, dataVm.vmid) !== undefined)),
  );
}

/** Machines that do not answer yet count as without etcd: the step asks every one of them again before it acts. */
function etcdState(machine: ObservedMachine | undefined): 'none' | 'running' | 'unknown' {
  if (machine?.presence !== 'configured') return 'none';
  if (!machine.details.known) return 'unknown';
  return hasEtcdData(machine.details.value) ? 'running' : 'none';
}
