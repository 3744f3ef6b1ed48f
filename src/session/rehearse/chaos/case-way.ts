/** One case under way: ended where the rest is known, and remembered for later ones where it is not. */
import type { Twin } from '../../../lab/twin/start-twin.js';
import type { RunEvent } from '../../../model/events.js';
import type { ArmedFault } from './armed-fault.js';
import {
  type Ending,
  type KnownRest,
  type KnownRests,
  type Learned,
  type Stand,
  WELL,
} from './known-rests.js';

/** The run with the fault, the one after it, and the one after a person has helped. */
export type Phase = 'first' | 'second' | 'helped';

interface Visited {
  readonly phase: Phase;
  readonly key: string;
  /** How often the fault had struck before. */
  readonly strikes: number;
}

export class CaseWay {
  #met: KnownRest | undefined;
  readonly #visited: Visited[] = [];
  readonly #ends: string[] = [];

  constructor(
    private readonly rests: KnownRests,
    private readonly twin: Twin,
    private readonly fault: ArmedFault,
    /** What this case may do that others may not: nothing is learned from it for those. */
    private readonly scope: string,
    /** Ends the run. */
    private readonly cut: AbortController,
  ) {}

  /** What is known of the rest, where the run was ended for it. */
  rest(): KnownRest | undefined {
    return this.#met;
  }

  /** Follows a run: looks whenever one of its steps begins. */
  follow(phase: Phase, stand: Omit<Stand, 'running'>, isWanted: () => boolean): (event: RunEvent) => void {
    const running = new Set<string>();
    return (event) => {
      if (event.type === 'step-done' || event.type === 'step-failed') running.delete(event.step);
      if (event.type !== 'step-started') return;
      running.add(event.step);
      if (isWanted()) this.#look(phase, { ...stand, running });
    };
  }

  #look(phase: Phase, stand: Stand): void {
    if (this.#met) return;
    const key = this.rests.keyOf(this.twin, stand);
    this.#met =
      this.rests.get(key) ?? this.rests.get(this.#own(key)) ?? this.rests.get(this.#own(key, phase));
    if (this.#met) this.cut.abort();
    else this.#visited.push({ phase, key, strikes: this.fault.strikes });
  }

  /** Whether it is known that nothing is left to do. */
  isOver(): boolean {
    return this.rests.get(this.rests.endKeyOf(this.twin)) !== undefined;
  }

  /** Nothing is left to do here. */
  noteOver(): void {
    this.#ends.push(this.rests.endKeyOf(this.twin));
  }

  /** Names how the first run left all. */
  afterFirst(): string {
    return this.#own(this.rests.endKeyOf(this.twin), 'after');
  }

  known(key: string): Ending | undefined {
    return this.rests.get(key)?.ending;
  }

  /** A case in which nothing was broken teaches what became of each state that it came through. */
  learn(said: string | undefined, ending: Ending, after: string | undefined): void {
    this.rests.learn(this.#ends.map((key) => [key, WELL]));
    if (after !== undefined) this.rests.learn([[after, { ending, strikes: false }]]);
    for (const visited of this.#visited) this.rests.learn([this.#learned(visited, said, ending)]);
  }

  #learned({ phase, key, strikes }: Visited, said: string | undefined, ending: Ending): Learned {
    if (phase === 'helped') return [this.#own(key), WELL];
    const later = phase === 'first' && this.fault.strikes > strikes;
    const told = phase === 'first' ? said : undefined;
    if (told === undefined && ending.second === undefined && !later) return [this.#own(key), WELL];
    return [this.#own(key, phase), { ...(told !== undefined && { said: told }), ending, strikes: later }];
  }

  #own(key: string, phase = ''): string {
    return this.scope === '' && phase === '' ? key : `${this.scope} ${phase} ${key}`;
  }
}
