/** No two running VMs ever hold one address, MAC or name. */

import type { StepOrder } from '../facts/step-order.js';
import type { Step } from '../steps.js';
import { claimsIn, type PlanFacts } from './plan-facts.js';
import type { Violation } from './violation.js';

/** A VM holds something from a step on (absent: from the beginning) until one of these. */
interface Hold {
  readonly vmid: number;
  readonly claim: string;
  readonly from?: string;
  readonly until: readonly string[];
}

export function claimViolations(order: StepOrder<Step>, facts: PlanFacts): Violation[] {
  const byClaim = new Map<string, Hold[]>();
  for (const hold of holdsIn(order.sorted, facts))
    byClaim.set(hold.claim, [...(byClaim.get(hold.claim) ?? []), hold]);
  return [...byClaim.values()].flatMap((holds) =>
    holds.flatMap((a, index) =>
      holds.slice(index + 1).flatMap((b): Violation[] => {
        if (a.vmid === b.vmid || isOver(a, b, order) || isOver(b, a, order)) return [];
        return [
          {
            rule: 'claim',
            message: `VM ${a.vmid} and VM ${b.vmid} could both run with ${a.claim}`,
            steps: [a.from, ...a.until, b.from, ...b.until].filter((id) => id !== undefined),
          },
        ];
      }),
    ),
  );
}

/** `a` has given it up before `b` takes it. */
function isOver(a: Hold, b: Hold, order: StepOrder<Step>): boolean {
  const { from } = b;
  return from !== undefined && a.until.some((id) => order.isBefore(id, from));
}

function holdsIn(steps: readonly Step[], { claims }: PlanFacts): Hold[] {
  const byVm = new Map<number, Step[]>();
  for (const step of steps) {
    if (!('vmid' in step)) continue;
    const own = byVm.get(step.vmid);
    if (own) own.push(step);
    else byVm.set(step.vmid, [step]);
  }
  const stepsOf = (vmid: number) => byVm.get(vmid) ?? [];
  const destroyed = (vmid: number) =>
    stepsOf(vmid).flatMap((step) => (step.kind === 'destroy-talos-vm' ? [step.id] : []));
  const held = [...claims].flatMap(([vmid, list]) =>
    list.map(
      (claim): Hold => ({
        vmid,
        claim,
        until: [...destroyed(vmid), ...changesOf(stepsOf(vmid), claim)],
      }),
    ),
  );
  const taken = steps.flatMap((step): Hold[] => {
    if (step.kind === 'create-talos-vm') {
      const start = stepsOf(step.vmid).find((other) => other.kind === 'start-vm');
      return start
        ? claimsIn(step.options).map((claim) => ({ vmid: step.vmid, claim, from: start.id, until: [] }))
        : [];
    }
    if (step.kind !== 'set-options') return [];
    const before = claims.get(step.vmid);
    if (!before) return [];
    const after = claimsIn(
      Object.fromEntries(Object.entries(step.changes).map(([key, { to = '' }]) => [key, to])),
    );
    return after
      .filter((claim) => !before.includes(claim))
      .map((claim) => ({ vmid: step.vmid, claim, from: step.id, until: destroyed(step.vmid) }));
  });
  return [...held, ...taken];
}

/** Another value of the same kind takes its place. */
function changesOf(steps: readonly Step[], claim: string): string[] {
  const [kind] = claim.split(' ');
  const key = { ip: 'ipconfig0', mac: 'net0', name: 'name' }[kind ?? ''];
  return steps.flatMap((step) => {
    if (step.kind !== 'set-options' || key === undefined) return [];
    const { to } = step.changes[key] ?? {};
    return to === undefined || claimsIn({ [key]: to }).includes(claim) ? [] : [step.id];
  });
}
