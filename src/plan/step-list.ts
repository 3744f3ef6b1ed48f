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

  /** Forgets the steps from `index` on. */
  drop(index: number): void {
    for (const step of this.steps.splice(index)) this.#ids.delete(step.id);
  }
}
