/** What keeps a node from moving to another host: said before anything is stopped. */

import type { NodeDesign } from '../../design/design.js';
import { ownerOfVolume, storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import { grantCommands, grantsFor } from '../../formats/proxmox/grant.js';
import { heldOn } from '../../formats/proxmox/permissions.js';
import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import { haObstacle } from '../ha/ha-obstacles.js';
import { mayDo, type PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { lacksOfSpace, type Route, volumeLines } from './migration-route.js';
import { moveObstacles, type Reason } from './move-obstacles.js';

export interface MovingVm {
  readonly view: VmView;
  readonly route: Route;
}

/** `node` stands on the host it goes to. */
export function hostMoveProblems(
  context: PlanContext,
  node: NodeDesign,
  vms: readonly MovingVm[],
): Problem[] {
  const reasons = [
    ...rightsTo(vms, context.observed),
    ...vms.flatMap(({ view, route }) => [
      ...moveObstacles(view, context.observed),
      ...devices(view, node, context.observed),
      ...images(view, context.observed),
      ...route.stranded.map(
        (storage): Reason => [
          `${node.host} has no storage ${storage} for the disks of VM ${view.vm.vmid}`,
          `give ${node.host} a storage ${storage}, or name another storage for all disks of ${node.name} that are on it`,
        ],
      ),
    ]),
    ...haRules(context.observed, node, vms),
    ...space(context, node, vms),
    ...pinnedVolumes(context, node),
  ];
  return reasons.map(([why, advice]) => ({
    code: 'host-move',
    scope: 'node',
    node: node.name,
    message: `${node.name} cannot move to ${node.host}: ${why}`,
    advice: `${advice}; or leave it where it is and write host: ${vms[0]?.view.vm.host ?? ''}`,
  }));
}

function haRules(observed: Observed, node: NodeDesign, vms: readonly MovingVm[]): Reason[] {
  return vms.flatMap(({ view: { vm } }) => {
    const why = haObstacle(observed, vm.vmid, node.host);
    return why === undefined ? [] : [[why, 'move that one first, or change the HA rule'] as const];
  });
}

function rightsTo(vms: readonly MovingVm[], observed: Observed): Reason[] {
  const missing = vms
    .map(({ view }) => view.vm.vmid)
    .filter((vmid) => !mayDo(observed, `/vms/${vmid}`, 'VM.Migrate'));
  if (missing.length === 0) return [];
  // What is granted on /vms takes the place of what is held from above, so the role has that too.
  const grants = grantsFor(
    missing.flatMap((vmid) => {
      const path = `/vms/${vmid}`;
      const listed = observed.permissions.known ? heldOn(observed.permissions.value, path) : [];
      const held = [...listed].filter((privilege) => privilege.startsWith('VM.'));
      return [...held, 'VM.Migrate'].map((privilege) => ({ path, privilege }));
    }),
  );
  const commands = grants.flatMap((grant) => grantCommands(grant, observed.tokenId ?? 'USER@REALM!TOKEN'));
  return [
    [
      `the token may not migrate VM ${missing.join(' and ')} (VM.Migrate)`,
      `grant it as an administrator: ${commands.join('; ')}`,
    ],
  ];
}

function devices({ vm, effective }: VmView, node: NodeDesign, { pciMappings }: Observed): Reason[] {
  return Object.entries(effective).flatMap(([key, value]): Reason[] => {
    if (!/^(hostpci|usb|serial|parallel)\d+$/.test(key) || value === 'socket') return [];
    const { mapping, host } = parsePropertyString(value, 'host');
    if (host === 'spice') return [];
    if (mapping === undefined)
      return [[`VM ${vm.vmid} uses a device of ${vm.host} (${key})`, `remove ${key}, or use a mapping`]];
    if (!pciMappings.known || pciMappings.value[mapping]?.includes(node.host)) return [];
    return [
      [
        `${node.host} has no device for the mapping ${mapping} (${key} of VM ${vm.vmid})`,
        'add one in Proxmox under Datacenter → Resource Mappings',
      ],
    ];
  });
}

/** An installed Talos does not need the ISO any more, and Proxmox does not migrate a VM with a local one. */
function images(view: VmView, observed: Observed): Reason[] {
  return volumeLines(view, observed)
    .filter((line) => line.image && !line.shared)
    .map(({ key, drive }) => [
      `VM ${view.vm.vmid} has ${drive.file} of ${view.vm.host} in its CD-ROM drive`,
      `eject it: qm set ${view.vm.vmid} --${key} none,media=cdrom`,
    ]);
}

/** Others that go there by the same plan count. */
function space({ list, observed }: PlanContext, node: NodeDesign, vms: readonly MovingVm[]): Reason[] {
  const others = list.steps.flatMap((step) =>
    step.kind === 'migrate-vm' && step.host === node.host ? [step.copies] : [],
  );
  const copies = vms.map(({ route }) => route.copies);
  const promised = (storage: string) => others.reduce((sum, one) => sum + (one[storage] ?? 0), 0);
  return lacksOfSpace(observed, node.host, copies, promised).map(({ storage, why }) => [
    why,
    `make room on ${storage} of ${node.host}`,
  ]);
}

/** Volumes of the CSI driver on local storage stay where they are; their pods need a node there. */
function pinnedVolumes({ observed, design }: PlanContext, node: NodeDesign): Reason[] {
  const pinned = pinnedOn(node, observed);
  const from = visibleVm(observed, node.talosVm.vmid)?.host;
  if (pinned.length === 0 || from === undefined || nodesOn(design.nodes, observed, from, node).length > 0)
    return [];
  return [
    [
      `volumes of the CSI driver are attached to it (${pinned.join(', ')}) that only ${from} has, and no other node is there to take their pods`,
      `add another node on ${from}, or move the volumes to ${node.host} with pvecsictl`,
    ],
  ];
}

/** Volumes attached to the Talos VM that neither of the node's VMs owns and no other host sees. */
export function pinnedOn(node: NodeDesign, observed: Observed): string[] {
  const vm = visibleVm(observed, node.talosVm.vmid);
  const view = vm && vmView(vm);
  if (!vm || !view) return [];
  return view.drives
    .filter((drive) => {
      const owner = ownerOfVolume(drive.file);
      const shared = observed.storages[`${vm.host}/${storageOfVolume(drive.file)}`]?.shared === true;
      return !shared && owner !== vm.vmid && owner !== node.dataVm?.vmid;
    })
    .map((drive) => drive.file);
}

/** Nodes on that host which can take the pods of this one. */
export function nodesOn(
  nodes: readonly NodeDesign[],
  observed: Observed,
  host: string,
  node: NodeDesign,
): string[] {
  return nodes
    .filter((other) => other.name !== node.name && (other.role === 'worker' || other.role === node.role))
    .filter((other) => visibleVm(observed, other.talosVm.vmid)?.host === host)
    .map((other) => other.name);
}
