/**
 * A node goes to another host. Where everything it uses lies on shared storage it keeps running; otherwise it is
 * stopped, releases the disks of its data VM, both VMs are migrated, and what changes them comes after that.
 */

import type { NodeDesign } from '../../design/design.js';
import type { VmDrive } from '../../formats/proxmox/vm-config.js';
import type { Wwn } from '../../model/identity.js';
import { bytes, formatSize } from '../../model/size.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { detachDrive, stopVm } from '../drives/drive-steps.js';
import { actualSize } from '../facts/drive-facts.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { hostMoveProblems, type MovingVm, nodesOn, pinnedOn } from './host-move-problems.js';
import { migrationRoute, volumeLines } from './migration-route.js';
import { type AfterMove, afterMove } from './moved-observation.js';
import { type HostDecision, localForeignDrives } from './node-host.js';
import { versionSkew } from './version-skew.js';

interface PlannedMove {
  /** The step after which both VMs are there. */
  readonly last: string | undefined;
  /** For everything else that is planned for the node: its VMs as they are after the move. */
  readonly there: AfterMove;
}

/** `node` stands on the host it goes to. `undefined`: it cannot go, and that is said. */
export function planHostMove(
  given: PlanContext,
  node: NodeDesign,
  { why }: NonNullable<HostDecision['move']>,
): Planned<PlannedMove | undefined> {
  return drafted<PlannedMove | undefined>(given, (context) => {
    const { observed, list, problems } = context;
    const talos = movingVm(context, node, node.talosVm.vmid);
    const data = node.dataVm && movingVm(context, node, node.dataVm.vmid);
    const moving = [data, talos].filter((vm): vm is MovingVm => vm !== undefined);
    const found = hostMoveProblems(context, node, moving);
    problems.push(...found);
    if (found.length > 0) return undefined;
    const talosVm = visibleVm(observed, node.talosVm.vmid);
    const running = talosVm?.status === 'running';
    const obstacles = [
      ...(talos ? obstaclesToLive(talos.view, context, node.host) : []),
      ...(data && Object.keys(data.route.copies).length > 0 ? ['the disks of its data VM are copied'] : []),
    ];
    const live = running && obstacles.length === 0;
    const stop =
      running && !live
        ? stopVm(list, {
            node,
            host: talosVm.host,
            name: nameOf(vmView(talosVm)),
            reasons: [why, `it cannot move while it runs: ${obstacles.join(', ')}`],
          })
        : undefined;
    const foreign = talosVm ? localForeignDrives(node, observed) : [];
    const detached = foreign.flatMap((drive) => detach(context, node, drive, stop));
    const others = live ? list.steps.filter((step) => step.kind === 'migrate-vm').map((step) => step.id) : [];
    // The VM that runs goes first, so that nothing has changed where it cannot go.
    const order = live ? [talos, data] : [data, talos];
    let last = stop;
    for (const vm of order) {
      if (!vm) continue;
      last = migrate(context, node, vm, [last, stop, ...detached, ...others], {
        online: live && vm === talos,
        why,
      });
    }
    notePinned(context, node);
    return {
      last,
      there: afterMove(context, node, {
        vms: moving,
        stopped: !live,
        drives: byWwn(foreign, context, talosVm?.host ?? ''),
      }),
    };
  });
}

/** From its config: the list of the cluster does not know a new VM's name for some seconds. */
function nameOf(view: VmView | undefined): string {
  return view?.effective.name ?? '';
}

function movingVm({ observed }: PlanContext, node: NodeDesign, vmid: number): MovingVm | undefined {
  const vm = visibleVm(observed, vmid);
  const view = vm && vmView(vm);
  if (!view || vm.host === node.host) return undefined;
  return { view, route: migrationRoute(view, node, observed, node.host) };
}

/** Why it cannot go on running while it moves. */
export function obstaclesToLive(
  view: VmView,
  { observed }: Pick<PlanContext, 'observed'>,
  to: string,
): string[] {
  const local = volumeLines(view, observed).filter((line) => !line.shared);
  const passed = Object.keys(view.effective).filter((key) => /^hostpci\d+$/.test(key));
  // The guest keeps the features of the CPU it was started on.
  const hostCpu = /^(cputype=)?(host|max)(,|$)/.test(view.effective.cpu ?? '');
  const skew = versionSkew(observed, view.vm.host, to);
  return [
    ...(local.length > 0 ? [`${local.map((line) => line.key).join(', ')} lie on ${view.vm.host} alone`] : []),
    ...passed.map((key) => `${key} is a device of ${view.vm.host}`),
    ...(hostCpu ? [`its CPU type is that of ${view.vm.host}`] : []),
    ...(skew === undefined ? [] : [`${to}: ${skew}`]),
  ];
}

function detach(
  { list, observed }: Draft,
  node: NodeDesign,
  drive: VmDrive,
  stop: string | undefined,
): string[] {
  const { wwn } = drive;
  if (!wwn) return [];
  const { vmid } = node.talosVm;
  const name = node.drives.find((one) => one.wwn === wwn)?.name ?? drive.file;
  const step = detachDrive(
    list,
    { ...drive, wwn },
    {
      node,
      host: visibleVm(observed, vmid)?.host ?? node.host,
      title: `detach ${name} from VM ${vmid}`,
      reason: 'it moves with its data VM',
      impact: 'none',
      needs: [stop],
    },
  );
  return [step];
}

function migrate(
  { list }: Draft,
  node: NodeDesign,
  { view, route }: MovingVm,
  needs: readonly (string | undefined)[],
  { online, why }: { readonly online: boolean; readonly why: string },
): string {
  const { vmid, host: from } = view.vm;
  const isData = vmid === node.dataVm?.vmid;
  const copies = Object.entries(route.copies).map(
    ([storage, size]) => `${formatSize(bytes(size))} are copied to ${storage} of ${node.host}`,
  );
  return list.add(String(vmid), {
    kind: 'migrate-vm',
    node: node.name,
    title: `move ${isData ? 'data VM' : 'VM'} ${vmid} (${nameOf(view)}) from ${from} to ${node.host}`,
    reasons: [
      why,
      ...(copies.length > 0 ? copies : ['everything it has lies on shared storage; nothing is copied']),
      ...(online ? ['it keeps running'] : []),
    ],
    impact: online ? 'live' : 'none',
    needs,
    load: { host: node.host, ...(Object.keys(route.copies)[0] && { storage: Object.keys(route.copies)[0] }) },
    vmid,
    from,
    host: node.host,
    online,
    storages: route.storages,
    copies: route.copies,
  });
}

/** With the size that the storage tells: on the host they come from. */
function byWwn(
  drives: readonly VmDrive[],
  { observed }: PlanContext,
  host: string,
): ReadonlyMap<Wwn, VmDrive> {
  return new Map(
    drives.flatMap((drive) => {
      const size = actualSize(observed.volumes, host, drive.file);
      const known = size === undefined ? drive : { ...drive, size: bytes(size) };
      return drive.wwn ? [[drive.wwn, known] as const] : [];
    }),
  );
}

function notePinned({ observed, design, notes }: Draft, node: NodeDesign): void {
  const from = visibleVm(observed, node.talosVm.vmid)?.host ?? '';
  for (const volid of pinnedOn(node, observed)) {
    notes.push({
      code: 'left-alone',
      node: node.name,
      message: `${volid} of the CSI driver stays on ${from}: its pods move to ${nodesOn(design.nodes, observed, from, node).join(', ')}`,
    });
  }
}

/** A config that only says where the node is takes effect once it is there. */
export function configsAfterMoves(given: PlanContext): Planned {
  return drafted(given, ({ list }) => {
    const moved = new Set(list.steps.flatMap((step) => (step.kind === 'migrate-vm' ? [step.node] : [])));
    for (const step of [...list.steps]) {
      if (step.kind !== 'change-config' || step.mode === 'staged' || !moved.has(step.node)) continue;
      const own = list.steps.filter((other) => other.node === step.node);
      const back = own.find((other) => other.kind === 'end-disruption');
      const arrived = own.filter((other) => other.kind === 'migrate-vm').at(-1);
      const after = back ?? arrived;
      // An upgrade that waits for it comes before the move.
      const upgrade = own.find((other) => other.kind === 'upgrade-talos');
      if (!after || back?.needs.includes(step.id) || upgrade?.needs.includes(step.id)) continue;
      list.addNeeds([step.id], after.id);
      list.moveAfter(after.id, [step.id]);
    }
  });
}
