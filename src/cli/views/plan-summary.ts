/** The last lines of a plan: what is created, changed, restarted and removed, and the expected downtime. */
import {
  type Downtime,
  durationWords,
  isDisruptive,
  nodesHeading,
  type Plan,
  type PlanTotals,
  shortNames,
  totalsOf,
} from '../../session/plan/index.js';
import { counted } from './count.js';
import type { Paint } from './paint.js';

export function summaryText(plan: Plan, colors: Paint, unchanged: string): string {
  const blocked = plan.problems.some((problem) => problem.scope === 'plan');
  if (blocked) return colors.red(`Cannot apply: ${counted(plan.problems.length, 'problem')} to solve first.`);
  if (plan.steps.length === 0) {
    return plan.problems.length > 0
      ? colors.yellow(`No changes on the other nodes; ${counted(plan.problems.length, 'problem')}.`)
      : colors.green(unchanged);
  }
  const totals = totalsOf(plan);
  const parts = partsOf(totals);
  const rest = parts.length > 0 ? `: ${parts.join(', ')}` : '';
  const id = plan.planId === '' ? '' : colors.dim(` Plan ${plan.planId.slice(0, 12)}.`);
  const downtime = plan.action === 'destroy' ? [] : [downtimeText(plan, totals)];
  return [`${colors.bold(`${counted(totals.steps, 'step')}${rest}.`)}${id}`, ...downtime].join('\n');
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

function downtimeText(plan: Plan, { downtime, componentRestarts, reset }: PlanTotals): string {
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

function rangeOf(times: readonly (Downtime['total'] | undefined)[]): Downtime['total'] | undefined {
  const known = times.flatMap((time) => time ?? []);
  if (known.length < times.length) return undefined;
  return {
    least: Math.min(...known.map((time) => time.least)),
    most: Math.max(...known.map((time) => time.most)),
  };
}

/** The blocks stand by node; this is how nodes follow each other, and which of them takes how long. */
export function orderText({ steps }: Plan, colors: Paint): string[] {
  const { waves, byNode, drained, off } = totalsOf({ steps }).downtime;
  const nodes = waves.flat();
  if (nodes.length < 2) return [];
  const together = Math.max(...waves.map((wave) => wave.length));
  const how = together > 1 ? `up to ${together} workers at a time` : 'one at a time';
  const until = drained ? ', each drained first' : '';
  const byTime = new Map<string, string[]>();
  for (const node of nodes) {
    const seconds = byNode.get(node);
    const words = off.includes(node)
      ? 'until the host returns'
      : `for ${seconds ? durationWords(seconds) : 'unknown'}`;
    byTime.set(words, [...(byTime.get(words) ?? []), node]);
  }
  return [
    [
      colors.bold('order'),
      `  ${shortNames(nodes)}: ${how}${until}`,
      ...(byTime.size > 1
        ? [...byTime].map(([words, names]) => `    unavailable ${words}: ${nodesHeading(names)}`)
        : []),
    ].join('\n'),
  ];
}
