/** How many nodes can be unavailable at the same time, whichever order the needs leave open. */

import { spareOf } from '../../model/quorum.js';
import { restartsComponent } from '../facts/roll-steps.js';
import type { StepOrder } from '../facts/step-order.js';
import type { Step } from '../steps.js';
import type { PlanFacts } from './plan-facts.js';
import type { Violation } from './violation.js';

/** From the step that takes a node away to the one after which it is back, or gone for good. */
interface Absence {
  readonly node: string;
  readonly begin: string;
  readonly end: string;
  /** How many nodes may be unavailable together with it, itself included. */
  readonly limit: number;
  readonly host: string;
  readonly controlPlane?: boolean;
  /** It does not end by this plan: the node is off until its host returns. */
  readonly stays?: boolean;
}

export function availabilityViolations(order: StepOrder<Step>, facts: PlanFacts): Violation[] {
  const absences = absencesIn(order.sorted, facts);
  const ends = (a: Absence, b: Absence) => !a.stays && order.isBefore(a.end, b.begin);
  const together = (a: Absence, b: Absence) => !ends(a, b) && !ends(b, a);
  // Those that stay off were agreed to as a whole; etcd must do without them all the same.
  const passing = absences.filter(({ stays }) => !stays);
  return [
    ...pairViolations(passing, together, facts),
    ...crowdViolations(passing, together),
    ...memberViolations(absences, together, facts),
    ...partViolations(order, absences),
  ];
}

function absencesIn(steps: readonly Step[], { nodes }: PlanFacts): Absence[] {
  const ends = new Map(
    steps.flatMap((step) => (step.kind === 'end-disruption' ? [[step.node, step.id] as const] : [])),
  );
  const destroys = new Map(
    steps.flatMap((step) => (step.kind === 'destroy-talos-vm' ? [[step.vmid, step.id] as const] : [])),
  );
  return steps.flatMap((step): Absence[] => {
    const node = step.node ?? '';
    const host = nodes.get(node)?.host ?? '';
    const controlPlane = nodes.get(node)?.role === 'controlplane';
    if (step.kind === 'begin-disruption')
      return [
        {
          node,
          begin: step.id,
          end: ends.get(node) ?? step.id,
          limit: step.maxAway,
          host,
          controlPlane,
          ...(step.stays && { stays: true }),
        },
      ];
    if (step.kind === 'retire-node')
      return [{ node, begin: step.id, end: destroys.get(step.vmid) ?? step.id, limit: 1, host }];
    // Within its disruption where it has one; else a turn of its own.
    if (restartsComponent(step) && !ends.has(node))
      return [{ node, begin: step.id, end: step.id, limit: 1, host }];
    return [];
  });
}

function pairViolations(
  absences: readonly Absence[],
  together: (a: Absence, b: Absence) => boolean,
  { spreadHosts }: PlanFacts,
): Violation[] {
  return absences.flatMap((a, index) =>
    absences.slice(index + 1).flatMap((b): Violation[] => {
      const sameHost = spreadHosts && a.host !== '' && a.host === b.host;
      if ((a.limit > 1 && b.limit > 1 && !sameHost) || !together(a, b)) return [];
      const why = sameHost ? `both on ${a.host}` : 'one node at a time may be unavailable';
      return [
        {
          rule: 'unavailable',
          message: `${a.node} and ${b.node} could be unavailable together (${why})`,
          steps: [a.begin, a.end, b.begin, b.end],
        },
      ];
    }),
  );
}

/** Members of etcd that stay off, and any other that could be away together with them. */
function memberViolations(
  absences: readonly Absence[],
  together: (a: Absence, b: Absence) => boolean,
  { nodes }: PlanFacts,
): Violation[] {
  const members = [...nodes.values()].filter(({ role }) => role === 'controlplane').length;
  const spare = spareOf(members);
  const planes = absences.filter(({ controlPlane }) => controlPlane);
  const off = planes.filter(({ stays }) => stays);
  if (off.length === 0 || members < 3) return [];
  const passing = planes.find((one) => !one.stays && off.some((other) => together(one, other)));
  const away = [...off, ...(passing ? [passing] : [])];
  if (away.length <= spare) return [];
  return [
    {
      rule: 'unavailable',
      message: `${away.map(({ node }) => node).join(', ')} could be off together, and etcd can lose ${spare} of ${members}`,
      steps: away.map(({ begin }) => begin),
    },
  ];
}

/** The largest set of nodes that no order keeps apart: as many as there are nodes without a successor of their own. */
function crowdViolations(
  absences: readonly Absence[],
  together: (a: Absence, b: Absence) => boolean,
): Violation[] {
  const limit = Math.max(0, ...absences.map((absence) => absence.limit));
  const crowd = absences.filter((absence) => absence.limit > 1);
  if (crowd.length <= limit) return [];
  const next = new Map<Absence, Absence>();
  const follows = new Map<Absence, Absence[]>();
  for (const [index, a] of crowd.entries())
    follows.set(
      a,
      crowd.slice(index + 1).filter((b) => !together(a, b)),
    );
  const previous = new Map<Absence, Absence>();
  const place = (a: Absence, tried: Set<Absence>): boolean => {
    for (const b of follows.get(a) ?? []) {
      if (tried.has(b)) continue;
      tried.add(b);
      const holder = previous.get(b);
      if (holder && !place(holder, tried)) continue;
      previous.set(b, a);
      next.set(a, b);
      return true;
    }
    return false;
  };
  const chained = crowd.filter((a) => place(a, new Set())).length;
  const width = crowd.length - chained;
  if (width <= limit) return [];
  return [
    {
      rule: 'unavailable',
      message: `${width} nodes could be unavailable together, and ${limit} may be`,
      steps: crowd.map((absence) => absence.begin),
    },
  ];
}

/** Parts of Kubernetes change while every node is there. */
function partViolations(order: StepOrder<Step>, absences: readonly Absence[]): Violation[] {
  return order.sorted.flatMap((step) =>
    step.kind !== 'upgrade-component'
      ? []
      : absences.flatMap((absence): Violation[] =>
          order.isBefore(absence.end, step.id) || order.isBefore(step.id, absence.begin)
            ? []
            : [
                {
                  rule: 'unavailable',
                  message: `${step.title} could happen while ${absence.node} is unavailable`,
                  steps: [absence.begin, step.id, absence.end],
                },
              ],
        ),
  );
}
