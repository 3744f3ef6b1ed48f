/** What happens without the Kubernetes API: announced, confirmed by people, and refused if oxherd.yaml says so. */

import type { PolicyConfig } from '../../config/policy-config.js';
import type { Draft } from '../planned.js';
import type { Step, StepOf } from '../steps.js';

type Announced = Pick<Draft, 'list' | 'notes' | 'problems'>;

export function planOutage(context: Announced, policy: PolicyConfig['outage']): void {
  fewControlPlanes(context, policy);
  onlyKubelet(context, policy);
  noApi(context, policy);
}

/** The kubelet of a single node has no other node to be tried on. */
function onlyKubelet(context: Announced, policy: PolicyConfig['outage']): void {
  const [node] = onlyKubelets(context.list.steps);
  if (node === undefined) return;
  const why = `${node} is the only node: if its new kubelet does not start, no pod is started or restarted until it does`;
  announce(context, policy, {
    why,
    note: why,
    advice: 'add a node, so that the new kubelet is tried on one that is drained, or write `outage: ask`',
  });
}

/** Nodes whose kubelet changes while there is no other node for their work. */
export function onlyKubelets(steps: readonly Step[]): string[] {
  return steps.flatMap((step) =>
    step.kind === 'upgrade-component' && step.drained?.outage && step.node !== undefined ? [step.node] : [],
  );
}

/** While one of few control planes is down, so is the API. */
function fewControlPlanes(context: Announced, policy: PolicyConfig['outage']): void {
  const steps = context.list.steps.flatMap((step) =>
    step.kind === 'begin-disruption' && step.outage ? [step] : [],
  );
  const [first] = steps;
  if (!first) return;
  const names = steps.map((step) => step.node).join(', ');
  const count = first.controlPlanes.length;
  const planes = `${count} control plane${count === 1 ? '' : 's'}`;
  const why = `with ${planes} the Kubernetes API is unavailable while ${steps.length === 1 ? names : `each of ${names}`} is changed`;
  const rest = first.others.length > 0 ? '; pods on other nodes keep running' : '';
  announce(context, policy, {
    why,
    note: `${why}${rest}; an etcd snapshot is taken before`,
    advice:
      'add control planes until there are three, or write `outage: ask` for this change; other nodes can be changed with --only',
  });
}

/** The API is down already: a cluster must be repairable in that state, and only people can say that this is a repair. */
function noApi(context: Announced, policy: PolicyConfig['outage']): void {
  const nodes = nodesWithoutApi(context.list.steps);
  if (nodes.length === 0) return;
  const why = `the Kubernetes API does not answer: ${nodes.join(', ')} would be taken down without a drain, and without asking gates, the other nodes and etcd`;
  announce(context, policy, {
    why,
    note: `${why}; if it answers by then, they are drained and asked as usual`,
    advice:
      'see `oxherd status`; bring the API back first, or write `outage: ask` to repair the cluster with this plan',
  });
}

/** Nodes that are taken down while no API server answers; none while the cluster is yet to be bootstrapped. */
export function nodesWithoutApi(steps: readonly Step[]): string[] {
  if (steps.some(({ kind }) => kind === 'bootstrap')) return [];
  return steps.flatMap((step) =>
    takesDown(step) && step.apiDown && step.node !== undefined ? [step.node] : [],
  );
}

function takesDown(step: Step): step is StepOf<'begin-disruption'> | StepOf<'retire-node'> {
  return step.kind === 'begin-disruption' || step.kind === 'retire-node';
}

function announce(
  { notes, problems }: Announced,
  policy: PolicyConfig['outage'],
  { why, note, advice }: { readonly why: string; readonly note: string; readonly advice: string },
): void {
  if (policy !== 'refuse') {
    notes.push({ code: 'outage', message: note });
    return;
  }
  problems.push({ code: 'outage', scope: 'plan', message: `${why}, and policy.outage is refuse`, advice });
}
