/** Collects steps in order and gives each its id. */
import { ACTION_OF, type StepAction } from './step-actions.js';
import type { Step, StepKind } from './steps.js';

/** A step before it has its id. Spread over the kinds, so that each keeps its own fields. */
type Draft<S extends Step = Step> = S extends Step
  ? Omit<S, 'id' | 'needs' | 'load' | 'reasons' | 'action' | 'relies'> & {
      /** Only where it is not the usual one of its kind. */
      readonly action?: StepAction;
      readonly reasons?: readonly string[];
      readonly needs?: readonly (string | undefined)[];
      readonly load?: S['load'];
    }
  : never;

export class StepList {
  /** Known once a step is added: most drafts of a list add none. */
  #ids: Set<string> | undefined;
  readonly steps: Step[];

  constructor(steps: readonly Step[] = []) {
    this.steps = [...steps];
  }

  /** `subject` and the kind make the id. Returns the id, for the `needs` of others. */
  add(subject: string, draft: Draft): string {
    const id = `${draft.kind}:${subject}`;
    this.#ids ??= new Set(this.steps.map((step) => step.id));
    if (this.#ids.has(id)) throw new Error(`two steps ${id}`);
    this.#ids.add(id);
    const needs = [...new Set((draft.needs ?? []).filter((need) => need !== undefined))];
    this.steps.push({ action: ACTION_OF[draft.kind], load: {}, reasons: [], ...draft, id, needs });
    return id;
  }

  /** The id of a step of that kind and subject, if it is planned. */
  idOf(kind: StepKind, subject: string): string | undefined {
    const id = `${kind}:${subject}`;
    return this.steps.some((step) => step.id === id) ? id : undefined;
  }

  /** Lets steps wait for one more. */
  addNeeds(ids: readonly string[], need: string): void {
    for (const [index, step] of this.steps.entries()) {
      if (ids.includes(step.id) && !step.needs.includes(need)) {
        this.steps[index] = { ...step, needs: [...step.needs, need] };
      }
    }
  }

  /** Puts another step in the place of one; its id stays. */
  change(id: string, change: (step: Step) => Step): void {
    const index = this.steps.findIndex((step) => step.id === id);
    const step = this.steps[index];
    if (step) this.steps[index] = change(step);
  }

  /** Keeps the list readable from top to bottom: a step stands before those that wait for it. */
  moveBefore(id: string, others: readonly string[]): void {
    const from = this.steps.findIndex((step) => step.id === id);
    const to = this.steps.findIndex((step) => others.includes(step.id));
    if (from < 0 || to < 0 || from < to) return;
    const [step] = this.steps.splice(from, 1);
    if (step) this.steps.splice(to, 0, step);
  }

  /** The same from the other side: these stand right after the one they wait for. */
  moveAfter(id: string, others: readonly string[]): void {
    const moved = this.steps.filter((step) => others.includes(step.id));
    for (const step of moved) this.steps.splice(this.steps.indexOf(step), 1);
    const at = this.steps.findIndex((step) => step.id === id);
    this.steps.splice(at + 1, 0, ...moved);
  }

  /** Every step after those it waits for, and otherwise as it was. */
  sortByNeeds(): void {
    const place = new Map(this.steps.map((step, index) => [step.id, index]));
    const open = this.steps.map((step) => step.needs.filter((need) => place.has(need)).length);
    const waiting = new Map<string, number[]>();
    for (const [index, { needs }] of this.steps.entries())
      for (const need of needs) waiting.set(need, [...(waiting.get(need) ?? []), index]);
    const ready = open.flatMap((needs, index) => (needs === 0 ? [index] : []));
    const sorted: Step[] = [];
    for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
      const step = this.steps[next];
      if (!step) continue;
      sorted.push(step);
      for (const index of waiting.get(step.id) ?? []) {
        const left = (open[index] ?? 0) - 1;
        open[index] = left;
        if (left > 0) continue;
        const before = ready.findIndex((other) => other > index);
        ready.splice(before < 0 ? ready.length : before, 0, index);
      }
    }
    // Steps that wait for each other stay as they are: the check of the plan refuses them, and names the chain.
    if (sorted.length < this.steps.length) return;
    this.steps.splice(0, this.steps.length, ...sorted);
  }

  replace(steps: readonly Step[]): void {
    this.steps.splice(0, this.steps.length, ...steps);
    this.#ids = undefined;
  }
}
