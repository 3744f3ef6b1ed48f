/** Moments to come, earliest first; equal ones in order of asking. Thousands of them cost no more than their logarithm. */
interface Moment {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
  /** Lab-internal events alone never make time pass: someone has to wait for something. */
  readonly awaited: boolean;
  cancelled: boolean;
}

export class MomentHeap {
  readonly #heap: Moment[] = [];
  /** How many of them someone waits for. */
  awaited = 0;
  #cancelled = 0;

  push(moment: Moment): void {
    if (moment.awaited) this.awaited += 1;
    this.#heap.push(moment);
    this.#rise(this.#heap.length - 1);
  }

  first(): Moment | undefined {
    while (this.#heap[0]?.cancelled) {
      this.#pop();
      this.#cancelled -= 1;
    }
    return this.#heap[0];
  }

  shift(): Moment | undefined {
    const first = this.first();
    if (!first) return undefined;
    this.#pop();
    // It has happened: there is nothing left to cancel.
    first.cancelled = true;
    if (first.awaited) this.awaited -= 1;
    return first;
  }

  cancel(moment: Moment): void {
    if (moment.cancelled) return;
    moment.cancelled = true;
    this.#cancelled += 1;
    if (moment.awaited) this.awaited -= 1;
    // What is cancelled goes when it comes up, or when most of the heap is like it.
    if (this.#cancelled > 64 && this.#cancelled * 2 > this.#heap.length) this.#sweep();
  }

  #sweep(): void {
    const kept = this.#heap.filter((moment) => !moment.cancelled).sort(before);
    this.#heap.length = 0;
    for (const moment of kept) this.#heap.push(moment);
    this.#cancelled = 0;
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (!last || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIf(index, parent)) return;
      index = parent;
    }
  }

  #sink(start: number): void {
    let index = start;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const smaller = this.#isBefore(right, left) ? right : left;
      if (smaller >= this.#heap.length || !this.#swapIf(smaller, index)) return;
      index = smaller;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const one = this.#heap[a];
    const other = this.#heap[b];
    return one !== undefined && other !== undefined && before(one, other) < 0;
  }

  /** Puts the one below above, if it comes first. */
  #swapIf(below: number, above: number): boolean {
    const one = this.#heap[below];
    const other = this.#heap[above];
    if (!one || !other || before(one, other) >= 0) return false;
    this.#heap[below] = other;
    this.#heap[above] = one;
    return true;
  }
}

function before(a: Moment, b: Moment): number {
  return a.at - b.at || a.order - b.order;
}
