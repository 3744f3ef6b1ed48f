/** Which step must come before which: the needs of a plan, closed over their chains. */
interface Ordered {
  readonly id: string;
  readonly needs: readonly string[];
}

export class StepOrder<S extends Ordered> {
  /** Every step after those it needs; steps of a cycle are left out. */
  readonly sorted: readonly S[];
  readonly #place = new Map<string, number>();
  /** By place in `sorted`: the places that come before it, as bits. */
  readonly #before: Uint32Array[] = [];

  constructor(readonly steps: readonly S[]) {
    this.sorted = sortByNeeds(steps);
    const words = Math.ceil(this.sorted.length / 32);
    for (const [index, step] of this.sorted.entries()) {
      this.#place.set(step.id, index);
      const bits = new Uint32Array(words);
      for (const need of step.needs) {
        const at = this.#place.get(need);
        const earlier = at === undefined ? undefined : this.#before[at];
        if (at === undefined || !earlier) continue;
        for (let word = 0; word < words; word += 1) bits[word] = (bits[word] ?? 0) | (earlier[word] ?? 0);
        bits[at >> 5] = (bits[at >> 5] ?? 0) | (1 << (at & 31));
      }
      this.#before.push(bits);
    }
  }

  /** In every order that the needs allow. */
  isBefore(first: string, second: string): boolean {
    const [a, b] = [this.#place.get(first), this.#place.get(second)];
    if (a === undefined || b === undefined) return false;
    return (((this.#before[b]?.[a >> 5] ?? 0) >>> (a & 31)) & 1) === 1;
  }

  areOrdered(a: string, b: string): boolean {
    return a === b || this.isBefore(a, b) || this.isBefore(b, a);
  }

  /** Needs that do not follow from others. */
  directNeeds(step: S): readonly string[] {
    return step.needs.filter(
      (need) => !step.needs.some((other) => other !== need && this.isBefore(need, other)),
    );
  }

  /** Steps that wait for each other, the first one once more at the end; `undefined`: none do. */
  cycle(): readonly string[] | undefined {
    const sorted = new Set(this.sorted.map((step) => step.id));
    const stuck = new Map(this.steps.filter((step) => !sorted.has(step.id)).map((step) => [step.id, step]));
    const [first] = stuck.keys();
    if (first === undefined) return undefined;
    const path: string[] = [];
    // Each of them waits for another of them, so that the way ends where it has been.
    for (let at: string | undefined = first; at !== undefined; ) {
      const seen = path.indexOf(at);
      if (seen >= 0) return [...path.slice(seen), at];
      path.push(at);
      at = stuck.get(at)?.needs.find((need) => stuck.has(need));
    }
    return path;
  }
}

function sortByNeeds<S extends Ordered>(steps: readonly S[]): readonly S[] {
  const there = new Set(steps.map((step) => step.id));
  const waiting = new Map<string, S[]>();
  const open = new Map<S, number>();
  for (const step of steps) {
    const needs = [...new Set(step.needs)].filter((need) => there.has(need));
    open.set(step, needs.length);
    for (const need of needs) waiting.set(need, [...(waiting.get(need) ?? []), step]);
  }
  const sorted = steps.filter((step) => open.get(step) === 0);
  for (let index = 0; index < sorted.length; index += 1) {
    const step = sorted[index];
    for (const next of (step && waiting.get(step.id)) ?? []) {
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) sorted.push(next);
    }
  }
  return sorted;
}
