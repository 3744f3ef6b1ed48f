/**
 * Interprets a plan before anything is done. Each step says what it reads and what it writes; two steps of which one
 * writes what the other reads must be ordered by their needs. Where all of them are, every order that the needs allow
 * walks through the same states, and one walk shows whether each step finds what it relies on.
 */

import { StepOrder } from '../facts/step-order.js';
import type { Step, StepKind } from '../steps.js';
import type { Access } from './access.js';
import { availabilityViolations } from './check-availability.js';
import { claimViolations } from './check-claims.js';
import { clusterAccesses } from './cluster-accesses.js';
import { machineAccesses, type PlanIndex } from './machine-accesses.js';
import type { PlanFacts } from './plan-facts.js';
import type { Violation } from './violation.js';
import { vmAccesses } from './vm-accesses.js';

export function planViolations(steps: readonly Step[], facts: PlanFacts): Violation[] {
  const order = new StepOrder(steps);
  const broken = [...missingNeeds(steps), ...cycles(order)];
  if (broken.length > 0) return broken;
  const index = indexOf(order.sorted);
  const byStep = new Map(order.sorted.map((step) => [step, accessesOf(step, index, facts)]));
  return [
    ...races(order, byStep),
    ...stateViolations(order, byStep, facts),
    ...availabilityViolations(order, facts),
    ...claimViolations(order, facts),
    ...undrained(order.sorted, index, facts),
  ];
}

function missingNeeds(steps: readonly Step[]): Violation[] {
  const ids = new Set(steps.map((step) => step.id));
  return steps.flatMap((step) =>
    step.needs
      .filter((need) => !ids.has(need))
      .map((need) => ({
        rule: 'need' as const,
        message: `${step.id} needs ${need}, which is not in the plan`,
        steps: [step.id, need],
      })),
  );
}

function cycles(order: StepOrder<Step>): Violation[] {
  const cycle = order.cycle();
  return cycle ? [{ rule: 'cycle', message: 'these steps wait for each other', steps: cycle }] : [];
}

function indexOf(steps: readonly Step[]): PlanIndex {
  const byKind = new Map<StepKind, Step[]>();
  for (const step of steps) {
    const alike = byKind.get(step.kind);
    if (alike) alike.push(step);
    else byKind.set(step.kind, [step]);
  }
  const nodesOf = (filter: (step: Step) => boolean) =>
    new Set(steps.filter(filter).map((step) => step.node ?? ''));
  return {
    steps,
    of: <K extends StepKind>(kind: K) => (byKind.get(kind) ?? []) as Extract<Step, { kind: K }>[],
    drained: nodesOf((step) => step.kind === 'begin-disruption'),
    staged: nodesOf((step) => step.kind === 'change-config' && step.mode === 'staged'),
    growing: nodesOf(
      (step) =>
        step.kind === 'await-growth' || (step.kind === 'reboot-machine' && (step.growing ?? []).length > 0),
    ),
  };
}

/** A step that reads and writes one thing does so once. */
function accessesOf(step: Step, index: PlanIndex, facts: PlanFacts): readonly Access[] {
  const merged = new Map<string, Access>();
  const all = [
    ...vmAccesses(step, index.steps, facts),
    ...machineAccesses(step, index, facts),
    ...clusterAccesses(step, index),
  ];
  for (const access of all) merged.set(access.key, { ...merged.get(access.key), ...access });
  return [...merged.values()];
}

/** Writers of one thing must follow each other, and readers stand between two of them. */
function races(order: StepOrder<Step>, byStep: ReadonlyMap<Step, readonly Access[]>): Violation[] {
  const byKey = new Map<string, { readonly step: Step; readonly writes: boolean }[]>();
  for (const [step, accesses] of byStep)
    for (const { key, sets } of accesses) {
      const list = byKey.get(key) ?? [];
      list.push({ step, writes: sets !== undefined });
      byKey.set(key, list);
    }
  return [...byKey].flatMap(([key, users]) => {
    const found: Violation[] = [];
    const check = (a: Step, b: Step) => {
      if (order.areOrdered(a.id, b.id)) return;
      found.push({
        rule: 'order',
        message: `${a.id} and ${b.id} could happen in either order, and both are about ${key}`,
        steps: [a.id, b.id],
      });
    };
    let last: Step | undefined;
    let since: Step[] = [];
    for (const { step, writes } of users) {
      if (last) check(last, step);
      if (!writes) {
        since.push(step);
        continue;
      }
      for (const reader of since) check(reader, step);
      last = step;
      since = [];
    }
    return found;
  });
}

/** One walk through the plan: each step finds what it relies on, and no node stays cordoned by us. */
function stateViolations(
  order: StepOrder<Step>,
  byStep: ReadonlyMap<Step, readonly Access[]>,
  { initial }: PlanFacts,
): Violation[] {
  const state = new Map(initial);
  const writer = new Map<string, string>();
  const found: Violation[] = [];
  for (const step of order.sorted) {
    const accesses = byStep.get(step) ?? [];
    for (const { key, is } of accesses) {
      const value = state.get(key) ?? unsaid(key);
      if (!is || value === undefined || is.includes(value)) continue;
      const by = writer.get(key);
      found.push({
        rule: 'state',
        message: `${step.id} needs ${key} to be ${is.join(' or ')}, and it is ${value} then`,
        steps: [...(by === undefined ? [] : [by]), step.id],
      });
    }
    for (const { key, sets } of accesses) {
      if (sets === undefined) continue;
      state.set(key, sets);
      writer.set(key, step.id);
    }
  }
  const stays = new Set(
    order.sorted.flatMap((step) =>
      step.kind === 'begin-disruption' && step.stays ? [`cordon ${step.node}`] : [],
    ),
  );
  for (const [key, value] of state) {
    const by = writer.get(key);
    if (key.startsWith('cordon ') && value === 'ours' && by !== undefined && !stays.has(key))
      found.push({ rule: 'cordon', message: `${key.slice('cordon '.length)} stays cordoned`, steps: [by] });
  }
  return found;
}

/** What is not there until a step makes it. Everything else that no fact names is not known. */
function unsaid(key: string): string | undefined {
  return key === 'snapshot' ? 'missing' : undefined;
}

/** A node that the cluster counts on is drained before it goes. */
function undrained(steps: readonly Step[], { drained }: PlanIndex, facts: PlanFacts): Violation[] {
  if (!facts.rolled) return [];
  return steps.flatMap((step): Violation[] => {
    const node = step.node ?? '';
    const goes = step.impact === 'restart' || step.impact === 'replace';
    if (!goes || drained.has(node) || !facts.initial.has(`cordon ${node}`)) return [];
    return [{ rule: 'drain', message: `${step.id} disrupts ${node} without draining it`, steps: [step.id] }];
  });
}
