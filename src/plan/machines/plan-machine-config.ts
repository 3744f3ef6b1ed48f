/** The config of a machine: its first one, or another one and the reboot that it may need. */
import type { NodeDesign } from '../../design/design.js';
import type { ComponentVersions } from '../../design/machine-config/context.js';
import type { ObservedMachine } from '../../observe/observed-machines.js';
import { configAuthor, driftOf } from '../drift/drift-authors.js';
import type { DesiredMachines, PlanContext } from '../input.js';
import { runningComponents } from '../kubernetes/kubernetes-components.js';
import { machineUuid } from '../vms/renamed-nodes.js';
import { addressNow, isReaddressed } from './address-now.js';
import { configChange } from './config-change.js';

/** The step after which the machine has its config; `undefined`: it has it. */
export function planConfig(
  context: PlanContext,
  node: NodeDesign,
  machines: DesiredMachines,
  secrets: string | undefined,
): string | undefined {
  const { list, observed } = context;
  const config = machines.configs[node.name];
  if (!config) return undefined;
  const vm = observed.vms[node.talosVm.vmid];
  const machine = observed.machines[node.name];
  const starts = list.steps.find((step) => step.kind === 'start-vm' && step.vmid === node.talosVm.vmid)?.id;
  // A VM that starts, or does not answer yet, may have its config already; the step finds out.
  const replaced = context.asked.replace.includes(node.name);
  const renewed = context.resets.has(node.name) ? 'it starts with a new disk' : undefined;
  const reason = replaced
    ? 'it gets a new system disk'
    : (renewed ?? configReason(vm !== undefined, machine?.presence));
  // A machine that comes back from a replace must not run ahead of the order in which Kubernetes is upgraded.
  const running = machine && runningComponents(machine, machines.kubernetes);
  if (reason !== undefined) {
    return list.add(node.name, {
      kind: 'configure-machine',
      node: node.name,
      title: `give ${node.name} its config`,
      reasons: [reason],
      impact: 'none',
      needs: [starts, secrets],
      load: { host: node.host },
      vmid: node.talosVm.vmid,
      host: node.host,
      ip: node.ip,
      configHash: (running ? machines.configWith(node.name, running) : config).hash,
      ...(running && { components: running }),
      ...machineUuid(node),
      wwids: config.wwids,
    });
  }
  if (machine === undefined) return undefined;
  const wanted = running ? machines.configWith(node.name, running) : config;
  return planChange(context, node, machine, wanted, running);
}

function configReason(
  exists: boolean,
  presence: ObservedMachine['presence'] | undefined,
): string | undefined {
  if (!exists || presence === 'off') return 'it may need one when it has started';
  if (presence === 'maintenance') return 'it waits for one';
  if (presence === 'absent') return 'it runs, but does not answer yet';
  return undefined;
}

function planChange(
  { list, notes, observed }: PlanContext,
  node: NodeDesign,
  machine: ObservedMachine,
  wanted: DesiredMachines['configs'][string],
  components: ComponentVersions | undefined,
): string | undefined {
  const config = machine.details.known ? machine.details.value.config : machine.details;
  if (!config.known) {
    notes.push({
      code: 'unknown',
      node: node.name,
      message: `the config of ${node.name} could not be read: ${config.why}`,
    });
    return undefined;
  }
  if (config.value.hash === wanted.hash) return undefined;
  const found = configChange(config.value.redacted, wanted.redacted, runningVersion(machine, node));
  // Another address takes hold with the boot that gives the VM its new cloud-init drive: both at once.
  const change = isReaddressed(node, observed)
    ? { ...found, mode: 'staged' as const, rebootPaths: [...found.rebootPaths, 'its address'] }
    : found;
  const author = configAuthor(config.value, wanted);
  const step = list.add(node.name, {
    kind: 'change-config',
    node: node.name,
    title: `change the config of ${node.name}${change.mode === 'staged' ? ' at its next reboot' : ''}`,
    reasons: change.paths,
    ...driftOf(change.paths.map((path) => [path, author])),
    impact: 'live',
    ...machineUuid(node),
    ip: addressNow(node, observed),
    configHash: wanted.hash,
    fromHash: config.value.hash,
    mode: change.mode,
    ...(components && { components }),
    diff: change.diff,
  });
  if (change.mode === 'no-reboot') return step;
  return list.add(node.name, {
    kind: 'reboot-machine',
    node: node.name,
    title: `reboot ${node.name}`,
    reasons: [`${change.rebootPaths.join(', ')} takes hold at a reboot`],
    impact: 'restart',
    needs: [step],
    vmid: node.talosVm.vmid,
    ip: node.ip,
    role: node.role,
    configHash: wanted.hash,
  });
}

function runningVersion({ details }: ObservedMachine, node: NodeDesign): string {
  return details.known ? details.value.talosVersion : node.talosVersion;
}
