/** Few control planes: while one is away, so is the Kubernetes API. Announced, and refused where oxherd.yaml says so. */

import type { PolicyConfig } from '../../config/policy-config.js';
import type { Draft } from '../planned.js';

export function planOutage(
  { list, notes, problems }: Pick<Draft, 'list' | 'notes' | 'problems'>,
  policy: PolicyConfig['outage'],
): void {
  const steps = list.steps.flatMap((step) => (step.kind === 'begin-disruption' && step.outage ? [step] : []));
  const [first] = steps;
  if (!first) return;
  const names = steps.map((step) => step.node).join(', ');
  const count = first.controlPlanes.length;
  const planes = `${count} control plane${count === 1 ? '' : 's'}`;
  const why = `with ${planes} the Kubernetes API is unavailable while ${steps.length === 1 ? names : `each of ${names}`} is changed`;
  if (policy === 'refuse') {
    problems.push({
      code: 'outage',
      scope: 'plan',
      message: `${why}, and policy.outage is refuse`,
      advice:
        'add control planes until there are three, or write `outage: ask` for this change; other nodes can be changed with --only',
    });
    return;
  }
  const rest = first.others.length > 0 ? '; pods on other nodes keep running' : '';
  notes.push({ code: 'outage', message: `${why}${rest}; an etcd snapshot is taken before` });
}
