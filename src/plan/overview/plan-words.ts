/** A plan in one or two sentences: what is created, changed, restarted and removed, and the expected downtime. */
import { counted } from '../../model/count.js';
import { isDisruptive } from '../impact.js';
import type { Plan } from '../plan.js';
import { durationWords, type Seconds } from '../roll/estimated-downtime.js';
import { shortNames } from './node-names.js';
import { type PlanTotals, totalsOf } from './totals.js';

interface PlanWords {
  /** `5 steps: create 1 VM, restart 2 nodes.` */
  readonly what: string;
  /** Absent for a destroy. */
  readonly downtime?: string;
}

export function planWords(plan: Pick<Plan, 'steps' | 'action'>): PlanWords {
  const totals = totalsOf(plan);
  const parts = partsOf(totals);
  const rest = parts.length > 0 ? `: ${parts.join(', ')}` : '';
  return {
    what: `${counted(totals.steps, 'step')}${rest}.`,
    ...(plan.action !== 'destroy' && { downtime: downtimeText(plan, totals) }),
  };
}

function partsOf(totals: PlanTotals): string[] {
  const nodes = (what: string, names: readonly string[]) =>
    names.length > 0 ? `${what} ${counted(names.length, 'node')}` : '';
  return [
    totals.createdVms > 0 ? `create ${counted(totals.createdVms, 'VM')}` : '',
    nodes('change', totals.changed),
    nodes('restart components on', totals.componentRestarts),
    nodes('restart', totals.restarted),
    nodes('replace the system disk of', totals.newSystemDisks),
    nodes('reset', totals.reset),
    totals.removedVms > 0 ? `remove ${counted(totals.removedVms, 'VM')}` : '',
    totals.dataLossSteps > 0
      ? `${counted(totals.dataLossSteps, 'step')} ${totals.dataLossSteps === 1 ? 'destroys' : 'destroy'} data`
      : '',
  ].filter(Boolean);
}

function downtimeText(plan: Pick<Plan, 'steps'>, { downtime, componentRestarts, reset }: PlanTotals): string {
  const { waves, byNode, total, apiUnavailable, off } = downtime;
  const nodes = waves.flat().filter((node) => !off.includes(node));
  const stay = off.length > 0 ? ` ${shortNames(off)} off until the host returns.` : '';
  if (nodes.length === 0 && off.length > 0) return `Downtime:${stay}`;
  if (nodes.length === 0) {
    if (reset.length > 0) return `Downtime: ${shortNames(reset)} until Ready again.`;
    if (componentRestarts.length > 0) return 'Downtime: none; components restart one node at a time.';
    return plan.steps.every((step) => !isDisruptive(step.impact) || step.impact === 'remove')
      ? 'Downtime: none.'
      : 'Downtime: unknown.';
  }
  const times = nodes.map((node) => byNode.get(node));
  const each = rangeOf(times);
  const alone = nodes.length === 1;
  const all = alone || !each ? '' : `, ${durationWords(total)} in total`;
  const api =
    apiUnavailable.length > 0
      ? ` The Kubernetes API is unavailable while ${shortNames(apiUnavailable)} ${apiUnavailable.length === 1 ? 'restarts' : 'restart'}.`
      : '';
  const who = alone ? `${nodes[0]} ` : '';
  const time = each ? durationWords(each) : 'unknown';
  return `Downtime: ${who}${time}${alone ? '' : ' per node'}${all}${downtime.drained ? ', plus draining' : ''}.${stay}${api}`;
}

function rangeOf(times: readonly (Seconds | undefined)[]): Seconds | undefined {
  const known = times.flatMap((time) => time ?? []);
  if (known.length < times.length) return undefined;
  return {
    least: Math.min(...known.map((time) => time.least)),
    most: Math.max(...known.map((time) => time.most)),
  };
}
