/**
 * A node that starts again: a new EPHEMERAL disk, because someone asked for it, or because its old one was that of an
 * etcd member which was removed and would be refused for ever. The old disk is set aside on the data VM, never erased.
 */

import type { NodeDesign } from '../../design/design.js';
import { type EtcdNote, parseDataNotes } from '../../formats/marks/data-notes.js';
import type { Vmid, Wwn } from '../../model/identity.js';
import type { Observed } from '../../observe/observed.js';
import { hasEtcdData } from '../../observe/observed-machines.js';
import { isAbsent, visibleVm } from '../../observe/observed-vms.js';
import { detachDrive, stopVm } from '../drives/drive-steps.js';
import { memberOwners } from '../facts/member-owners.js';
import { livingEtcd } from '../facts/members.js';
import { resetsEtcd } from '../facts/resets-etcd.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import type { EphemeralReset, PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { removeMember } from './plan-lost-member.js';

/** Steps until the disk may be made again; `undefined`: it stays as it is. */
export function planEphemeralReset(
  given: PlanContext,
  node: NodeDesign,
): Planned<EphemeralReset | undefined> {
  return drafted<EphemeralReset | undefined>(given, (context) => {
    const { list, observed, problems } = context;
    const dataVm = node.dataVm && visibleVm(observed, node.dataVm.vmid);
    const data = dataVm && vmView(dataVm);
    const note = data && parseDataNotes(data.effective.description ?? '').etcd;
    const why = reason(context, node, note);
    const talosVm = visibleVm(observed, node.talosVm.vmid);
    // Without either VM everything is new anyway.
    if (why === undefined || (!talosVm && !data)) return undefined;
    if (!node.dataVm) {
      problems.push({
        code: 'fresh-single',
        scope: 'plan',
        node: node.name,
        message: `${node.name} has the layout single: its system, /var and data are one disk, which cannot be reset in part`,
        advice: `remove ${node.name} from oxherd.yaml and apply, destroy VM ${node.talosVm.vmid}, then add the node again`,
      });
      return undefined;
    }
    const wwns = new Set<Wwn>(
      node.drives
        .filter((drive) => drive.owner === node.dataVm?.vmid && (!data || drive.kind === 'ephemeral'))
        .map((drive) => drive.wwn),
    );
    const view = talosVm && vmView(talosVm);
    const running = talosVm?.status === 'running';
    const stop = running
      ? stopVm(list, { node, host: talosVm.host, name: talosVm.name, reasons: [why] })
      : undefined;
    const removed = resetsEtcd(context) ? undefined : removeMember(context, node, why, [stop]);
    const renewal = {
      why,
      wwns,
      after: [stop, removed, ...detach(context, node, view, wwns, [stop, removed])].filter(
        (step) => step !== undefined,
      ),
      stopped: running,
    };
    context.resets.set(node.name, renewal);
    return renewal;
  });
}

function reason(context: PlanContext, node: NodeDesign, note: EtcdNote | undefined): string | undefined {
  const { asked, observed, design } = context;
  if (note?.state === 'removed' && wasRemoved(context, node, note.memberId)) {
    return `its disk was that of etcd member ${note.memberId ?? '(unknown)'}, which was removed and cannot rejoin`;
  }
  if (!asked.fresh.includes(node.name)) return undefined;
  if (resetsEtcd({ asked, design }) && isMadeAlready(note, asked.restore !== undefined, observed, node))
    return undefined;
  return asked.restore ? 'etcd is restored from a snapshot' : 'requested with --fresh';
}

/** The note is written before the member leaves: only etcd's list tells whether it did. */
function wasRemoved(
  context: PlanContext,
  { name, talosVm }: NodeDesign,
  memberId: string | undefined,
): boolean {
  const etcd = livingEtcd(context);
  // Its VM is destroyed only after the member has left.
  if (etcd.state !== 'living') return isAbsent(context.observed, talosVm.vmid);
  const owners = memberOwners(context, etcd.members);
  return !etcd.members.some(({ id }) => id === memberId || owners.get(id)?.node === name);
}

/** By a run that was cut off. What an empty etcd has begun is what was asked for; a restore begins with its own file. */
function isMadeAlready(
  note: EtcdNote | undefined,
  restoring: boolean,
  { machines }: Pick<Observed, 'machines'>,
  { name }: NodeDesign,
): boolean {
  if (note?.state === 'fresh' && !restoring) return true;
  const details = machines[name]?.details;
  const used = details?.known === true && hasEtcdData(details.value);
  return (note?.state === 'fresh' || note?.state === 'restore') && !used;
}

function detach(
  { list }: Draft,
  node: NodeDesign,
  view: VmView | undefined,
  wwns: ReadonlySet<Wwn>,
  needs: readonly (string | undefined)[],
): string[] {
  return (view?.drives ?? []).flatMap((drive) => {
    if (!view || !drive.wwn || !wwns.has(drive.wwn)) return [];
    const name = node.drives.find(({ wwn }) => wwn === drive.wwn)?.name ?? drive.wwn;
    return [
      detachDrive(
        list,
        { ...drive, wwn: drive.wwn },
        {
          node,
          host: view.vm.host,
          title: `detach ${name} from VM ${view.vm.vmid}`,
          reason: 'replaced by a new one',
          impact: 'none',
          needs,
        },
      ),
    ];
  });
}

/** Once a control plane of a cluster that started again is ready, its disk is a member's like any other. */
export function notePromotions(given: PlanContext, nodes: readonly NodeDesign[]): Planned {
  return drafted(given, (context) => {
    if (!resetsEtcd(context)) return;
    // All together, so that a run which is cut off before finds none of them done.
    const ready = context.list.steps.flatMap((step) =>
      step.kind === 'await-machine' && step.role === 'controlplane' ? [step.id] : [],
    );
    for (const node of nodes) {
      if (node.role === 'worker' || !node.dataVm) continue;
      const { vmid, host } = node.dataVm;
      const from = lastDescription(context, vmid);
      const to = from?.replace(/^etcd (fresh|restore)$/m, 'etcd member');
      if (from === to) continue;
      context.list.add(`${vmid}/etcd`, {
        kind: 'set-options',
        node: node.name,
        title: `note on data VM ${vmid} that its disk is a member of etcd`,
        reasons: ['until then an interrupted run starts over'],
        impact: 'none',
        needs: ready,
        load: { host: visibleVm(context.observed, vmid)?.host ?? host },
        vmid,
        host: visibleVm(context.observed, vmid)?.host ?? host,
        changes: { description: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) } },
      });
    }
  });
}

/** What a data VM says of itself when the steps so far are done. */
function lastDescription({ list, observed }: PlanContext, vmid: Vmid): string | undefined {
  const written = list.steps.flatMap((step) => {
    if (!('vmid' in step) || step.vmid !== vmid) return [];
    if (step.kind === 'create-data-vm') return [String(step.options.description ?? '')];
    if (step.kind === 'set-options') return step.changes.description?.to ?? [];
    return step.kind === 'renew-drive' || step.kind === 'add-drive' ? [step.description] : [];
  });
  const there = visibleVm(observed, vmid);
  return written.at(-1) ?? (there && vmView(there)?.effective.description);
}
