/** What is there when a node's VMs have moved: everything else that its plan holds is planned on that. */
import type { NodeDesign } from '../design/design.js';
import type { SlotDrive } from '../formats/drive-slots.js';
import type { Wwn } from '../model/identity.js';
import type { ObservedVm } from '../observe/observed.js';
import type { PlanContext } from './input.js';
import { viewOfVm } from './view-of-vm.js';

export interface MoveOutcome {
  /** The Talos VM is down. */
  readonly stopped: boolean;
  /** Drives that it had to let go of, as they were. */
  readonly drives: ReadonlyMap<Wwn, SlotDrive>;
}

export function afterMove(context: PlanContext, node: NodeDesign, outcome: MoveOutcome): PlanContext {
  const { observed } = context;
  const vms = { ...observed.vms };
  const talos = vms[node.talosVm.vmid];
  const data = node.dataVm && vms[node.dataVm.vmid];
  if (talos) vms[talos.vmid] = arrived(talos, node.host, outcome);
  if (data) vms[data.vmid] = { ...data, host: node.host };
  return { ...context, observed: { ...observed, vms }, moved: { drives: outcome.drives, to: node.host } };
}

function arrived(vm: ObservedVm, host: string, { stopped, drives }: MoveOutcome): ObservedVm {
  const view = viewOfVm(vm);
  if (!view || !vm.config.known) return { ...vm, host };
  const gone = new Set([...drives.values()].map((drive) => drive.slot));
  const without = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(values).filter(([key]) => !gone.has(key)));
  // What was pending takes hold at the start that follows.
  const state = stopped
    ? { ...vm.config.value, values: without(view.effective), pending: {} }
    : vm.config.value;
  return {
    ...vm,
    host,
    ...(stopped && { status: 'stopped' as const }),
    config: { known: true, value: state },
  };
}
