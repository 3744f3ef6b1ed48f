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
  #steps: readonly Step[];
  /** The same, once they are this list's alone: what was given to or by it is copied before it changes. */
  #own: Step[] | undefined;

  constructor(steps: readonly Step[] = []) {
    this.#steps = steps;
  }

  /** As they are now: what is changed later is not seen in it. */
  get steps(): readonly Step[] {
    this.#own = undefined;
    return this.#steps;
  }

  #changed(): Step[] {
    this.#own ??= [...this.#steps];
    this.#steps = this.#own;
    return this.#own;
  }

  /** `subject` and the kind make the id. Returns the id, for the `needs` of others. */
  add(subject: string, draft: Draft): string {
    const id = `${draft.kind}:${subject}`;
    this.#ids ??= new Set(this.#steps.map((step) => step.id));
    if (this.#ids.has(id)) throw new Error(`two steps ${id}`);
    this.#ids.add(id);
    const needs = [...new Set((draft.needs ?? []).filter((need) => need !== undefined))];
    this.#changed().push({ action: ACTION_OF[draft.kind], load: {}, reasons: [], ...draft, id, needs });
    return id;
  }

  /** The id of a step of that kind and subject, if it is planned. */
  idOf(kind: StepKind, subject: string): string | undefined {
    const id = `${kind}:${subject}`;
    return this.#steps.some((step) => step.id === id) ? id : undefined;
  }

  /** Lets steps wait for one more. */
  addNeeds(ids: readonly string[], need: string): void {
    for (const [index, step] of this.#steps.entries()) {
      if (ids.includes(step.id) && !step.needs.includes(need)) {
        this.#changed()[index] = { ...step, needs: [...step.needs, need] };
      }
    }
  }

  /** Puts another step in the place of one; its id stays. */
  change(id: string, change: (step: Step) => Step): void {
    const index = this.#steps.findIndex((step) => step.id === id);
    const step = this.#steps[index];
    if (step) this.#changed()[index] = change(step);
  }

  /** Keeps the list readable from top to bottom: a step stands before those that wait for it. */
  moveBefore(id: string, others: readonly string[]): void {
    const from = this.#steps.findIndex((step) => step.id === id);
    const to = this.#steps.findIndex((step) => others.includes(step.id));
    if (from < 0 || to < 0 || from < to) return;
    const steps = this.#changed();
    const [step] = steps.splice(from, 1);
    if (step) steps.splice(to, 0, step);
  }

  /** The same from the other side: these stand right after the one they wait for. */
  moveAfter(id: string, others: readonly string[]): void {
    const moved = this.#steps.filter((step) => others.includes(step.id));
    const steps = this.#changed();
    for (const step of moved) steps.splice(steps.indexOf(step), 1);
    const at = steps.findIndex((step) => step.id === id);
    steps.splice(at + 1, 0, ...moved);
  }

  /** Every step after those it waits for, and otherwise as it was. */
  sortByNeeds(): void {
    const place = new Map(this.#steps.map((step, index) => [step.id, index]));
    const open = this.#steps.map((step) => step.needs.filter((need) => place.has(need)).length);
    const waiting = new Map<string, number[]>();
    for (const [index, { needs }] of this.#steps.entries())
      for (const need of needs) waiting.set(need, [...(waiting.get(need) ?? []), index]);
    const ready = open.flatMap((needs, index) => (needs === 0 ? [index] : []));
    const sorted: Step[] = [];
    for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
      const step = this.#steps[next];
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
    if (sorted.length < this.#steps.length) return;
    this.replace(sorted);
  }

  replace(steps: readonly Step[]): void {
    if (steps === this.#steps) return;
    this.#steps = steps;
    this.#own = undefined;
    this.#ids = undefined;
  }
}
