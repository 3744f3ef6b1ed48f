/** Collects steps in order and gives each its id. */
import type { Step, StepKind, StepOf } from './steps.js';

type Draft<K extends StepKind> = Omit<StepOf<K>, 'id' | 'needs' | 'load' | 'reasons'> & {
  readonly reasons?: readonly string[];
  readonly needs?: readonly (string | undefined)[];
  readonly load?: StepOf<K>['load'];
};

export class StepList {
  readonly steps: Step[] = [];
  readonly #ids = new Set<string>();

  /** `subject` and the kind make the id. Returns the id, for the `needs` of others. */
  add<K extends StepKind>(subject: string, draft: Draft<K> & { readonly kind: K }): string {
    const id = `${draft.kind}:${subject}`;
    if (this.#ids.has(id)) throw new Error(`two steps ${id}`);
    this.#ids.add(id);
    const needs = [...new Set((draft.needs ?? []).filter((need) => need !== undefined))];
    this.steps.push({ load: {}, reasons: [], ...draft, id, needs } as unknown as Step);
    return id;
  }

  /** Lets steps wait for one more. */
  addNeeds(ids: readonly string[], need: string): void {
    for (const [index, step] of this.steps.entries()) {
      if (ids.includes(step.id) && !step.needs.includes(need)) {
        this.steps[index] = { ...step, needs: [...step.needs, need] };
      }
    }
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

  /** Forgets the steps from `index` on. */
  drop(index: number): void {
    for (const step of this.steps.splice(index)) this.#ids.delete(step.id);
  }
}
