/** Machines: their configs, their Talos, whether their nodes are drained, and what etcd needs. */
import type { Step, StepKind } from '../steps.js';
import { type Access, reads, writes } from './access.js';
import type { PlanFacts } from './plan-facts.js';

/** What happens to a node while it is drained, where this plan drains it. */
const WHILE_DRAINED: ReadonlySet<StepKind> = new Set<StepKind>([
  'await-growth',
  'await-machine',
  'configure-machine',
  'delete-old-system-disk',
  'detach-drive',
  'hand-over-drive',
  'move-drive',
  'reboot-machine',
  'remove-member',
  'renew-drive',
  'replace-os-disk',
  'restart-vm',
  'start-vm',
  'stop-vm',
  'upgrade-talos',
]);

/** Answered by the machine itself. */
const ASKS_MACHINE: ReadonlySet<StepKind> = new Set<StepKind>([
  'await-growth',
  'change-config',
  'pull-images',
  'pull-installer',
  'upgrade-component',
]);

/** Steps of the plan that others look for. */
export interface PlanIndex {
  readonly steps: readonly Step[];
  readonly of: <K extends StepKind>(kind: K) => readonly Extract<Step, { kind: K }>[];
  /** Nodes that this plan drains. */
  readonly drained: ReadonlySet<string>;
  /** Nodes whose config waits for a boot. */
  readonly staged: ReadonlySet<string>;
  /** Nodes whose file systems grow with a boot. */
  readonly growing: ReadonlySet<string>;
}

export function machineAccesses(step: Step, index: PlanIndex, facts: PlanFacts): Access[] {
  const node = step.node ?? '';
  const vmid = facts.nodes.get(node)?.talosVmid;
  return [
    ...(vmid !== undefined && ASKS_MACHINE.has(step.kind) ? [reads(`power ${vmid}`, 'running')] : []),
    ...drainAccesses(step, node, index),
    ...configAccesses(step, node, index),
    ...bootAccesses(step, node, index),
    ...etcdAccesses(step, index),
  ];
}

function drainAccesses(step: Step, node: string, { drained }: PlanIndex): Access[] {
  if (step.kind === 'begin-disruption') return [writes(`cordon ${node}`, 'ours')];
  if (step.kind === 'end-disruption') return [writes(`cordon ${node}`, 'none')];
  if (step.kind === 'forget-node') return drained.has(node) ? [reads(`cordon ${node}`, 'none')] : [];
  const offline = step.kind === 'migrate-vm' && !step.online;
  // Parts of Kubernetes are upgraded once the node is back.
  const interrupts =
    step.kind !== 'upgrade-component' &&
    (step.impact === 'restart' || step.impact === 'replace' || step.impact === 'component');
  if (!drained.has(node) || !(WHILE_DRAINED.has(step.kind) || offline || interrupts)) return [];
  return [reads(`cordon ${node}`, 'ours')];
}

function configAccesses(step: Step, node: string, { of, staged, drained }: PlanIndex): Access[] {
  const key = `config ${node}`;
  switch (step.kind) {
    case 'configure-machine':
      return [writes(key, step.configHash), reads('secrets')];
    case 'change-config':
      return [
        writes(
          key,
          step.configHash,
          step.fromHash,
          ...(step.triedHash === undefined ? [] : [step.triedHash]),
        ),
        ...(step.mode === 'staged' ? [writes(`boot ${node}`, 'staged')] : []),
        // What only says where the node is takes effect once it is there; an upgrade may need the rest before.
        ...(step.mode === 'staged' || of('upgrade-talos').some((other) => other.node === node)
          ? []
          : hostsOf(node, of('migrate-vm'))),
      ];
    case 'upgrade-component':
      return [writes(key, step.configHash, step.fromHash)];
    case 'reboot-machine':
      return [reads(key, step.configHash)];
    case 'upgrade-talos':
      return [reads(key), writes(`talos ${node}`, step.to)];
    case 'forget-node':
      return drained.has(node) ? [] : [reads(key)];
    case 'await-machine':
      return [reads(key)];
    case 'detach-drive':
      return staged.has(node) ? [reads(`boot ${node}`, 'booted', 'stopped')] : [];
    case 'write-client-files':
      return [reads('secrets')];
    case 'create-secrets':
      return [writes('secrets', 'there')];
    default:
      return [];
  }
}

function hostsOf(node: string, moves: readonly Extract<Step, { kind: 'migrate-vm' }>[]): Access[] {
  return moves.filter((move) => move.node === node).map((move) => reads(`host ${move.vmid}`, move.host));
}

/** A staged config and a larger disk take effect at a boot. */
function bootAccesses(step: Step, node: string, { of, staged, growing }: PlanIndex): Access[] {
  const boots = bootOf(step);
  // Each disk for itself: they grow in any order, and all of them at the boot.
  const files = growing.has(node)
    ? of('grow-drive').flatMap((grow) => (grow.node === node ? [`file system ${grow.vmid} ${grow.wwn}`] : []))
    : [];
  return [
    ...(staged.has(node) && boots ? [writes(`boot ${node}`, boots)] : []),
    ...(staged.has(node) && step.kind === 'reboot-machine' && !boots
      ? [reads(`boot ${node}`, 'booted')]
      : []),
    ...(boots === 'booted' ? files.map((file) => writes(file, 'grown')) : []),
    ...(growing.has(node) && step.kind === 'grow-drive'
      ? [writes(`file system ${step.vmid} ${step.wwn}`, 'small')]
      : []),
    ...(step.kind === 'await-growth' ? files.map((file) => reads(file, 'grown')) : []),
  ];
}

function bootOf(step: Step): 'booted' | 'stopped' | undefined {
  switch (step.kind) {
    case 'stop-vm':
      return 'stopped';
    case 'start-vm':
    case 'restart-vm':
    case 'upgrade-talos':
      return 'booted';
    case 'reboot-machine':
      return step.impact === 'none' ? undefined : 'booted';
    default:
      return undefined;
  }
}

function etcdAccesses(step: Step, { of }: PlanIndex): Access[] {
  const joining = of('await-machine').filter((other) => other.role === 'controlplane');
  switch (step.kind) {
    case 'bootstrap':
      return [
        writes('etcd', 'running'),
        ...of('configure-machine')
          .filter((other) => joining.some(({ node }) => node === other.node))
          .map((other) => reads(`config ${other.node}`)),
      ];
    case 'await-machine':
      return [reads('etcd'), writes(`ready ${step.node}`, 'yes')];
    case 'take-snapshot':
      return [writes('snapshot', 'taken')];
    case 'remove-member':
      return [reads('snapshot', 'taken')];
    case 'retire-node':
      return step.role === 'worker'
        ? []
        : [reads('snapshot', 'taken'), ...joining.map(({ node }) => reads(`ready ${node}`))];
    case 'set-options':
      return /^etcd (fresh|restore)$/m.test(step.changes.description?.from ?? '')
        ? joining.map(({ node }) => reads(`ready ${node}`))
        : [];
    case 'pull-installer':
      return [writes(`installer ${step.node}`, 'pulled')];
    case 'upgrade-talos':
      return of('pull-installer').map(({ node }) => reads(`installer ${node}`));
    default:
      return [];
  }
}
