/**
 * What a planner gives back, and how planners are put together. A planner is given a context that it cannot change, works
 * on a draft of its own, and gives back all steps, problems and notes so far with its own among them; whoever called
 * takes that over or leaves it. So a planner is a function of its input, and a node that cannot be planned leaves nothing.
 */
import type { EphemeralReset, PlanContext } from './input.js';
import type { Note, Problem } from './plan.js';
import { StepList } from './step-list.js';
import type { Step } from './steps.js';

export interface Planned<T = void> {
  readonly steps: readonly Step[];
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
  readonly resets: ReadonlyMap<string, EphemeralReset>;
  /** For the planners that follow, such as the id of a step that they wait for. */
  readonly value: T;
}

/** A planner's own copy; the parts of a planner write into it. */
export interface Draft extends PlanContext {
  readonly list: StepList;
  readonly resets: Map<string, EphemeralReset>;
  readonly problems: Problem[];
  readonly notes: Note[];
  /** Goes on with what another planner gave back. */
  take<T>(planned: Planned<T>): T;
}

export function drafted<T>(given: PlanContext, plan: (draft: Draft) => T): Planned<T> {
  const draft = draftOf(given);
  const value = plan(draft);
  const { list, problems, notes, resets } = draft;
  return { steps: list.steps, problems, notes, resets, value };
}

/** What was found about a node that is left as it is; its steps are not. */
export function withoutSteps<T>(given: PlanContext, planned: Planned<T>): Planned<T> {
  return { ...planned, steps: given.list.steps };
}

export function draftOf(given: PlanContext): Draft {
  const list = new StepList(given.list.steps);
  const problems = [...given.problems];
  const notes = [...given.notes];
  const resets = new Map(given.resets);
  return {
    ...given,
    list,
    problems,
    notes,
    resets,
    take(planned) {
      list.replace(planned.steps);
      problems.splice(0, problems.length, ...planned.problems);
      notes.splice(0, notes.length, ...planned.notes);
      for (const [node, reset] of planned.resets) resets.set(node, reset);
      return planned.value;
    },
  };
}
