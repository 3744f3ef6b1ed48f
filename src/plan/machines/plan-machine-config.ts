/** The config of a machine: its first one, or another one and the reboot that it may need. */

import type { NodeDesign } from '../../design/design.js';
import type { ComponentVersions } from '../../design/machine-config/context.js';
import type { MachineConfigView, ObservedMachine } from '../../observe/observed-machines.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { configAuthor, driftOf } from '../drift/drift-authors.js';
import { addressNow, isReaddressed } from '../facts/address-now.js';
import { configuredComponents } from '../facts/kubernetes-components.js';
import { otherControlPlanes } from '../facts/members.js';
import { changesMac } from '../facts/option-changes.js';
import { machineUuid } from '../facts/renamed-nodes.js';
import type { DesiredMachines, PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import type { StepList } from '../step-list.js';
import { type ConfigChange, configChange } from './config-change.js';
import { newImages } from './new-images.js';

/** The step after which the machine has its config; `undefined`: it has it. */
export function planConfig(
  given: PlanContext,
  node: NodeDesign,
  machines: DesiredMachines,
  secrets: string | undefined,
): Planned<string | undefined> {
  return drafted<string | undefined>(given, (context) => {
    const { list, observed } = context;
    const config = machines.configs[node.name];
    if (!config) return undefined;
    const vm = visibleVm(observed, node.talosVm.vmid);
    const machine = observed.machines[node.name];
    // One that waits for its config may be restarted for another reason: it gets it afterwards, within the same absence.
    const starts = list.steps.find(
      (step) => (step.kind === 'start-vm' || step.kind === 'restart-vm') && step.vmid === node.talosVm.vmid,
    )?.id;
    // A VM that starts, or does not answer yet, may have its config already; the step finds out.
    const replaced = context.asked.replace.includes(node.name);
    const renewed = context.resets.has(node.name) ? 'new disk' : undefined;
    const reason = replaced
      ? 'it gets a new system disk'
      : (renewed ?? configReason(vm !== undefined, machine?.presence));
    // A machine that comes back from a replace must not run ahead of the order in which Kubernetes is upgraded.
    const running = machine && configuredComponents(machine, machines.kubernetes);
    if (reason !== undefined) {
      // A machine that only does not answer has its config as a rule: the step sends it one only if it asks for one.
      const isSilent = reason === SILENT;
      return list.add(node.name, {
        kind: 'configure-machine',
        node: node.name,
        ...(isSilent && { action: 'wait' as const }),
        title: isSilent
          ? `wait until ${node.name} answers, and apply its machine config if it has none`
          : `apply machine config to ${node.name}`,
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
    // The next version of a part is tried just now: its own step makes that permanent, or finds it reverted.
    if (running && keepsConfig(machine, wanted.hash)) return undefined;
    return planChange(context, node, machine, wanted, running);
  });
}

const SILENT = 'it runs, but does not answer yet';

/** The config on its disk is the wanted one, whatever is tried beside it. */
function keepsConfig({ details }: ObservedMachine, hash: string): boolean {
  const config = details.known ? details.value.config : undefined;
  return config?.known === true && config.value.persistent?.hash === hash;
}

function configReason(
  exists: boolean,
  presence: ObservedMachine['presence'] | undefined,
): string | undefined {
  if (!exists || presence === 'off') return 'new machine';
  if (presence === 'maintenance') return 'it waits for one';
  if (presence === 'absent') return SILENT;
  return undefined;
}

function planChange(
  { list, notes, design, observed }: Draft,
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
  const { from, change: found } = changeOf(config.value, wanted, runningVersion(machine, node));
  if (!found) return undefined;
  // Another address takes effect with the boot that gives the VM its new cloud-init drive: both at once.
  const otherNic = list.steps.some(
    (step) => step.kind === 'set-options' && step.vmid === node.talosVm.vmid && changesMac(step.changes),
  );
  const change: ConfigChange =
    isReaddressed(node, observed) || otherNic
      ? { ...found, mode: 'staged', restarts: [], rebootPaths: [...found.rebootPaths, 'its network'] }
      : found;
  const author = configAuthor(config.value, wanted);
  const step = list.add(node.name, {
    kind: 'change-config',
    node: node.name,
    title: changeTitle(node.name, change),
    reasons: change.paths,
    ...driftOf(change.paths.map((path) => [path, author])),
    impact: change.restarts.length > 0 ? 'component' : 'live',
    ...machineUuid(node),
    ip: addressNow(node, observed),
    configHash: wanted.hash,
    fromHash: from.hash,
    ...(from.hash !== config.value.hash && { triedHash: config.value.hash }),
    mode: change.mode,
    ...(change.restarts.length > 0 && {
      restarts: {
        components: change.restarts,
        role: node.role,
        others: otherControlPlanes({ design }, node).filter(
          ({ name }) => observed.machines[name]?.presence === 'configured',
        ),
        images: newImages(from.redacted, wanted.redacted, change.restarts),
      },
    }),
    ...(components && { components }),
    diff: change.diff,
  });
  if (change.mode !== 'staged') {
    orderWithNic(list, node, step);
    return step;
  }
  return list.add(node.name, {
    kind: 'reboot-machine',
    node: node.name,
    title: `reboot ${node.name}`,
    reasons: [`${change.rebootPaths.join(', ')} takes effect at a reboot`],
    impact: 'restart',
    needs: [step],
    ...machineUuid(node),
    vmid: node.talosVm.vmid,
    ip: node.ip,
    role: node.role,
    configHash: wanted.hash,
  });
}

function runningVersion({ details }: ObservedMachine, node: NodeDesign): string {
  return details.known ? details.value.talosVersion : node.talosVersion;
}

function changeTitle(node: string, { mode, restarts }: ConfigChange): string {
  if (mode === 'staged') return `change the config of ${node} at its next reboot`;
  return restarts.length === 0
    ? `change the config of ${node}`
    : `change the config of ${node} (${restarts.join(', ')})`;
}

/**
 * What the machine has. A config that is being tried may still go back: then the one on its disk counts. One that is
 * staged is on the disk, and does not run yet: then the one that runs counts.
 */
function changeOf(
  active: MachineConfigView,
  wanted: DesiredMachines['configs'][string],
  talosVersion: string,
): { from: Pick<MachineConfigView, 'hash' | 'redacted'>; change?: ConfigChange } {
  const { persistent } = active;
  const running =
    active.hash === wanted.hash ? undefined : configChange(active.redacted, wanted.redacted, talosVersion);
  if (!persistent || persistent.hash === wanted.hash || running?.mode === 'staged')
    return { from: active, ...(running && { change: running }) };
  return { from: persistent, change: configChange(persistent.redacted, wanted.redacted, talosVersion) };
}

/**
 * A link cannot have more MTU than its device: the device grows before it and shrinks after it. Other options wait until
 * the config has proved itself: its address and gateway are in cloud-init too. A node that moves gets its config once it
 * has started on its new host, with the options it has by then.
 */
function orderWithNic(list: StepList, { name, talosVm }: NodeDesign, change: string): void {
  if (list.steps.some((step) => step.kind === 'migrate-vm' && step.node === name)) return;
  const options = list.steps.filter((step) => step.kind === 'set-options' && step.vmid === talosVm.vmid);
  const nic = options.find((step) => step.impact === 'component');
  if (nic?.kind !== 'set-options') {
    if (!restartsComponent(list, change)) return;
    const later = options.filter((step) => step.kind === 'set-options' && isCloudInit(step.changes));
    list.addNeeds(
      later.map((step) => step.id),
      change,
    );
    list.moveBefore(
      change,
      later.map((step) => step.id),
    );
    // A link is configured once its device is there.
    for (const step of options) if (!later.includes(step)) list.addNeeds([change], step.id);
    return;
  }
  if (Object.values(nic.changes).some(({ from, to }) => mtuOf(to) < mtuOf(from))) {
    list.addNeeds([nic.id], change);
    list.moveBefore(change, [nic.id]);
  } else list.addNeeds([change], nic.id);
}

function isCloudInit(changes: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(changes).every((key) => /^(ipconfig\d+|nameserver|searchdomain|description)$/.test(key));
}

function restartsComponent(list: StepList, id: string): boolean {
  return list.steps.some((step) => step.id === id && step.impact === 'component');
}

function mtuOf(net: string | undefined): number {
  return Number(/(?:^|,)mtu=(\d+)/.exec(net ?? '')?.[1] ?? 1500);
}
