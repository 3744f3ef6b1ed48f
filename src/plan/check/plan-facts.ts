/** What a plan starts from, as far as its check needs it: VMs, drives, machines and nodes as they were observed. */

import type { Design, NodeDesign } from '../../design/design.js';
import { parseNet, parsePropertyString } from '../../formats/proxmox/property-string.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleVm, visibleVms } from '../../observe/observed-vms.js';
import { vmView } from '../facts/view-of-vm.js';

export interface PlanFacts {
  /** State variable → its value before the first step. What is not named here is not known. */
  readonly initial: ReadonlyMap<string, string>;
  /** What a VM that runs keeps for itself: `ip 10.20.30.41`, `mac …`, `name …`; by vmid. */
  readonly claims: ReadonlyMap<number, readonly string[]>;
  readonly nodes: ReadonlyMap<string, NodeFacts>;
  /** Whether nodes that are changed are drained first: not in a plan of VMs alone, nor while the whole cluster begins. */
  readonly rolled: boolean;
  readonly spreadHosts: boolean;
}

interface NodeFacts {
  readonly role: NodeDesign['role'];
  readonly host: string;
  readonly talosVmid: number;
  readonly dataVmid?: number;
}

export function factsOf(
  design: Design,
  observed: Observed,
  { rolled, spreadHosts }: Pick<PlanFacts, 'rolled' | 'spreadHosts'>,
): PlanFacts {
  const initial = new Map<string, string>();
  const claims = new Map<number, readonly string[]>();
  const named = design.nodes.flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid ?? node.talosVm.vmid]);
  for (const vmid of named) if (!visibleVm(observed, vmid)) initial.set(`vm ${vmid}`, 'absent');
  for (const vm of visibleVms(observed)) {
    if (!vm.tags.includes(design.cluster.tag)) continue;
    for (const [key, value] of statesOf(vm, observed)) initial.set(key, value);
    if (vm.status === 'running') claims.set(vm.vmid, claimsOf(vm));
  }
  for (const [node, { details }] of Object.entries(observed.machines)) {
    const config = details.known ? details.value.config : undefined;
    if (config?.known) initial.set(`config ${node}`, config.value.hash);
  }
  const known = observed.kubernetes?.nodes;
  for (const node of known?.known ? known.value : [])
    initial.set(`cordon ${node.name}`, node.cordonedByUs ? 'ours' : 'none');
  return { initial, claims, nodes: new Map(design.nodes.map(nodeFacts)), rolled, spreadHosts };
}

function nodeFacts({ name, role, host, talosVm, dataVm }: NodeDesign): [string, NodeFacts] {
  return [name, { role, host, talosVmid: talosVm.vmid, ...(dataVm && { dataVmid: dataVm.vmid }) }];
}

function statesOf(vm: ObservedVm, { storages }: Observed): [string, string][] {
  const view = vmView(vm);
  return [
    [`vm ${vm.vmid}`, 'there'],
    [`host ${vm.vmid}`, vm.host],
    ...(vm.status === 'unknown' ? [] : ([[`power ${vm.vmid}`, vm.status]] as [string, string][])),
    ...(view?.drives ?? []).flatMap(({ wwn, file }): [string, string][] => {
      if (!wwn) return [];
      const storage = storages[`${vm.host}/${file.slice(0, file.indexOf(':'))}`];
      return [
        [`drive ${vm.vmid} ${wwn}`, 'attached'],
        [`shared ${vm.vmid} ${wwn}`, String(storage?.shared ?? 'unknown')],
      ];
    }),
  ];
}

function claimsOf(vm: ObservedVm): string[] {
  return claimsIn(vmView(vm)?.effective ?? {});
}

/** What a VM with these options keeps for itself once it runs. */
export function claimsIn(options: Readonly<Record<string, string | number>>): string[] {
  const ip = parsePropertyString(String(options.ipconfig0 ?? '')).ip?.split('/')[0];
  const mac = options.net0 === undefined ? undefined : parseNet(String(options.net0)).mac;
  return [
    ...(ip === undefined || ip === 'dhcp' ? [] : [`ip ${ip}`]),
    ...(mac === undefined ? [] : [`mac ${mac.toLowerCase()}`]),
    ...(options.name === undefined ? [] : [`name ${options.name}`]),
  ];
}
