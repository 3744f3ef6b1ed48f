/** The last lines of a plan: what is created, changed, restarted and removed, and the expected downtime. */

import { counted } from '../../model/count.js';
import {
  durationWords,
  incompleteText,
  nodesHeading,
  type Plan,
  planWords,
  shortNames,
  totalsOf,
} from '../../session/plan/index.js';
import type { Paint } from './paint.js';

export function summaryText(plan: Plan, colors: Paint, unchanged: string): string {
  const blocked = plan.problems.some((problem) => problem.scope === 'plan');
  if (blocked) return colors.red(`Cannot apply: ${counted(plan.problems.length, 'problem')} to solve first.`);
  const unread = plan.incomplete.length > 0 ? colors.yellow(incompleteText(plan.incomplete)) : undefined;
  if (plan.steps.length === 0) {
    if (unread !== undefined && plan.problems.length === 0) return unread;
    return plan.problems.length > 0
      ? colors.yellow(`No changes on the other nodes; ${counted(plan.problems.length, 'problem')}.`)
      : colors.green(unchanged);
  }
  const { what, downtime } = planWords(plan);
  const id = plan.planId === '' ? '' : colors.dim(` Plan ${plan.planId.slice(0, 12)}.`);
  return [`${colors.bold(what)}${id}`, downtime, unread].filter((line) => line !== undefined).join('\n');
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
