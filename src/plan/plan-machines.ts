/** From running VMs to a Talos cluster: configs, bootstrap, files for clients. */
import type { NodeDesign } from '../design/design.js';
import type { ComponentVersions } from '../design/machine-config/context.js';
import { hasEtcdData, type ObservedMachine } from '../observe/observed-machines.js';
import { beginsAnew } from './begins-anew.js';
import { configChange } from './config-change.js';
import { configAuthor, driftOf } from './drift-authors.js';
import type { DesiredMachines, PlanContext } from './input.js';
import { runningComponents } from './kubernetes-components.js';
import { planGrowth } from './plan-growth.js';
import { planKubernetesUpgrade } from './plan-kubernetes-upgrade.js';
import { planLeftManifests, planTalosManifests } from './plan-manifest-sync.js';
import { notePromotions } from './plan-renewal.js';
import { planTalosUpgrades } from './plan-talos-upgrade.js';

export function planMachines(context: PlanContext, nodes: readonly NodeDesign[], whole: boolean): void {
  const { machines, list } = context;
  if (!machines) return;
  const secrets = machines.secrets.present ? undefined : 'create-secrets:talos';
  const configured = nodes.map((node) => [node, planConfig(context, node, machines, secrets)] as const);
  // What begins anew is compared when it has begun.
  const steady = nodes.filter((node) => !context.renewals.has(node.name));
  planTalosUpgrades(context, steady);
  planGrowth(context, steady, machines);
  planKubernetesUpgrade(context, steady, machines);
  planTalosManifests(context);
  if (whole) planLeftManifests(context);
  const bootstrap = planBootstrap(context, configured);
  for (const [node, step] of configured) {
    // A machine that only got another config is ready or not as it was before.
    if (!step?.startsWith('configure-machine:') && !bootstrap) continue;
    list.add(node.name, {
      kind: 'await-machine',
      node: node.name,
      title: `wait until ${node.name} is ready`,
      reasons: [node.role === 'controlplane' ? 'services, etcd member, volumes' : 'services, volumes'],
      impact: 'none',
      needs: [step, bootstrap],
      ip: node.ip,
      role: node.role,
      vmid: node.talosVm.vmid,
      host: node.host,
    });
  }
  notePromotions(context, nodes);
  if (whole && !machines.clientFiles.current) {
    list.add('local', {
      kind: 'write-client-files',
      title: `write kubeconfig and talosconfig to ${machines.clientFiles.folder}`,
      reasons: ['for kubectl and talosctl'],
      impact: 'none',
      needs: [secrets],
      folder: machines.clientFiles.folder,
    });
  }
}

/** First of all steps: everything that is secret depends on it. */
export function planSecrets({ machines, list }: PlanContext): void {
  if (!machines || machines.secrets.present) return;
  list.add('talos', {
    kind: 'create-secrets',
    title: `make the cluster's secrets in ${machines.secrets.path}`,
    reasons: ['there are none'],
    impact: 'none',
    path: machines.secrets.path,
  });
}

/** The step after which the machine has its config; `undefined`: it has it. */
function planConfig(
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
  const renewed = context.renewals.has(node.name) ? 'it starts with a new disk' : undefined;
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
  { list, notes }: PlanContext,
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
  const change = configChange(config.value.masked, wanted.masked, runningVersion(machine, node));
  const author = configAuthor(config.value, wanted);
  const step = list.add(node.name, {
    kind: 'change-config',
    node: node.name,
    title: `change the config of ${node.name}${change.mode === 'staged' ? ' at its next reboot' : ''}`,
    reasons: change.paths,
    ...driftOf(change.paths.map((path) => [path, author])),
    impact: 'live',
    ip: node.ip,
    configHash: wanted.hash,
    fromHash: config.value.hash,
    mode: change.mode,
    ...(components && { components }),
    diff: change.diff,
  });
  if (change.mode === 'no-reboot') return step;
  // A VM that is restarted anyway boots with it.
  const boots = list.steps.filter((other) => other.kind === 'restart-vm' && other.node === node.name);
  list.addNeeds(
    boots.map((other) => other.id),
    step,
  );
  const reboot = list.add(node.name, {
    kind: 'reboot-machine',
    node: node.name,
    title: boots.length > 0 ? `see that ${node.name} runs with its config` : `reboot ${node.name}`,
    reasons: [`${change.rebootPaths.join(', ')} takes hold at a reboot`],
    impact: boots.length > 0 ? 'none' : 'restart',
    // One after the other, also where somebody runs them by hand.
    needs: [
      step,
      ...boots.map((other) => other.id),
      ...list.steps.filter((other) => other.kind === 'await-machine').map((other) => other.id),
    ],
    vmid: node.talosVm.vmid,
    ip: node.ip,
    role: node.role,
    configHash: wanted.hash,
  });
  // A volume that leaves the file is mounted until the machine has booted without it.
  const unplugged = list.steps
    .filter((other) => other.kind === 'detach-drive' && other.node === node.name && other.impact === 'live')
    .map((other) => other.id);
  list.addNeeds(unplugged, reboot);
  list.moveAfter(reboot, unplugged);
  return reboot;
}

function runningVersion({ details }: ObservedMachine, node: NodeDesign): string {
  return details.known ? details.value.talosVersion : node.talosVersion;
}

/** Once in a cluster's life: only while no control plane has etcd data, and all are known to have none. */
function planBootstrap(
  context: PlanContext,
  configured: readonly (readonly [NodeDesign, string | undefined])[],
): string | undefined {
  const { list, observed, notes, asked } = context;
  const controlPlanes = configured.filter(([node]) => node.role === 'controlplane');
  const first = [...controlPlanes].sort(([a], [b]) => a.talosVm.vmid - b.talosVm.vmid)[0];
  if (!first) return undefined;
  const others = otherControlPlanes(context, new Set(controlPlanes.map(([node]) => node.name)));
  const states = beginsAnew(context)
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
  if (states.includes('unknown')) {
    notes.push({
      code: 'unknown',
      message: `whether etcd was bootstrapped is not known: ${others.length > 0 ? `${others.map(({ name }) => name).join(', ')} may have its data and cannot be asked; run it without --only` : 'a control plane refuses to tell'}`,
    });
    return undefined;
  }
  return list.add('etcd', {
    kind: 'bootstrap',
    node: first[0].name,
    title: `${asked.restore ? 'restore' : 'bootstrap'} etcd on ${first[0].name}`,
    reasons: asked.restore
      ? [`from ${asked.restore.path}`, `sha256 ${asked.restore.sha256}`]
      : ['no control plane has etcd data'],
    impact: 'none',
    needs: controlPlanes.map(([, step]) => step),
    ip: first[0].ip,
    controlPlanes: [...controlPlanes.map(([node]) => node), ...others].map((node) => node.ip),
    ...(asked.restore && { restore: asked.restore }),
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
      (observed.vms[talosVm.vmid] !== undefined || (dataVm && observed.vms[dataVm.vmid] !== undefined)),
  );
}

/** Machines that do not answer yet count as without etcd: the step asks every one of them again before it acts. */
function etcdState(machine: ObservedMachine | undefined): 'none' | 'running' | 'unknown' {
  if (machine?.presence !== 'configured') return 'none';
  if (!machine.details.known) return 'unknown';
  return hasEtcdData(machine.details.value) ? 'running' : 'none';
}
