/** A new system disk for a node; everything that matters is on disks of the data VM and stays. */
import type { NodeDesign } from '../../design/design.js';
import { wwidOf } from '../../model/identity.js';
import { blockersOf } from '../drives/claims.js';
import { newDrive } from '../drives/drive-facts.js';
import type { PlanContext } from '../input.js';
import { talosChange } from '../machines/plan-talos-upgrade.js';
import { vmView } from './view-of-vm.js';

export function planReplace(context: PlanContext, node: NodeDesign, imageStep: string | undefined): void {
  const { list, observed, problems } = context;
  const there = observed.vms[node.talosVm.vmid];
  const view = there && vmView(there);
  const os = node.drives.find((drive) => drive.kind === 'os');
  const slot = os && view?.byWwn.get(os.wwn)?.slot;
  if (!there || !view || !slot || !node.dataVm) {
    problems.push({
      code: 'replace',
      scope: 'plan',
      node: node.name,
      message: node.dataVm
        ? `${node.name} has no system disk that could be replaced`
        : `${node.name} has the layout single: its data is on its system disk`,
      advice: node.dataVm ? 'run `oxherd apply`' : 'upgrade it in place, or remove the node and add it anew',
    });
    return;
  }
  const blockers = blockersOf(context, view);
  if (blockers.length > 0) {
    problems.push(
      ...blockers.map(({ why, advice }) => ({
        code: 'foreign-drive',
        scope: 'plan' as const,
        node: node.name,
        message: `${node.name} cannot get a new system disk: ${why}`,
        advice,
      })),
    );
    return;
  }
  const details = observed.machines[node.name]?.details;
  const change = details?.known ? talosChange(node, details.value) : [];
  const why = change.length > 0 ? change : ['asked for'];
  const kept = node.drives.filter((drive) => drive.kept);
  const earlier = list.steps.filter((step) => step.node === node.name).map((step) => step.id);
  const replace = list.add(String(node.talosVm.vmid), {
    kind: 'replace-os-disk',
    node: node.name,
    title: `give ${node.name} a new system disk with Talos ${node.talosVersion}`,
    reasons: [...why, 'its VM, identity and data stay'],
    impact: 'replace',
    needs: [imageStep, ...earlier],
    load: { host: there.host, storage: os.storage },
    vmid: node.talosVm.vmid,
    dataVmid: node.dataVm.vmid,
    host: there.host,
    ip: node.ip,
    role: node.role,
    drive: newDrive(os, slot),
    keptOn: Object.fromEntries(
      kept.map((drive) => [drive.kind === 'ephemeral' ? 'EPHEMERAL' : `u-${drive.name}`, wwidOf(drive.wwn)]),
    ),
  });
  list.add(`${node.talosVm.vmid}`, {
    kind: 'start-vm',
    node: node.name,
    title: `start VM ${node.talosVm.vmid} (${there.name})`,
    reasons: ['it has a new system disk'],
    impact: 'none',
    needs: [replace],
    load: { host: there.host },
    vmid: node.talosVm.vmid,
    host: there.host,
  });
}
