/**
 * All orders of events between contenders for one lock, by breadth-first search over memoised states: slow and stopped
 * processes, crashes, lost answers, requests that take effect late, and the passing of time. The machine that is
 * searched is the one that runs (`protocol.ts`).
 *
 * Time is counted in ticks: a reading justifies a request for FRESH ticks, a request takes effect within DELAY ticks
 * or never. A process may do its next step at any tick or never: that is what SIGSTOP looks like.
 */
import {
  ACQUIRE,
  advance,
  type Mutation,
  type Party,
  RELEASE,
  type State,
} from '../../../../src/apply/lock/protocol.js';

export const FRESH = 1;
export const DELAY = 1;
/** Longer than both: as SETTLE_MS is than twice FRESH_MS less a request that is late by less than that. */
export const SETTLE = 3;

export interface Contender {
  /** Processes of one computer see whether another one has ended. */
  readonly computer: string;
  readonly does: 'run' | 'unlock';
}

export interface Scenario {
  readonly contenders: readonly Contender[];
  readonly crashes: number;
  /** Answers that get lost, requests that do, and requests that take effect after they were given up. */
  readonly losses: number;
  /** What an earlier run, dead by now, has left behind. */
  readonly left?: {
    readonly holder?: boolean;
    readonly claimant?: boolean;
    /** Its last request is still on its way. */
    readonly flight?: 'holder deletes' | 'claimant replaces';
  };
  /** For searches that must find something. */
  readonly settle?: number;
  readonly fresh?: number;
  readonly advance?: typeof advance;
}

export interface Found {
  readonly states: number;
  readonly violation?: { readonly what: string; readonly path: readonly string[] };
  /** Pools as they are when all contenders have ended: lock and claims, by who has ended how. */
  readonly ends: ReadonlySet<string>;
}

interface Process {
  readonly state: State;
  readonly life: 'lives' | 'crashed' | 'lost';
  /** Ticks since the reading that its next request rests on. */
  readonly age: number;
  readonly waited: number;
  readonly unlocks: string;
}

interface Flight {
  readonly by: string;
  readonly mutation: Mutation | { readonly do: 'write' };
  readonly age: number;
  /** Its sender waits for the answer. */
  readonly awaited: boolean;
}

interface World {
  readonly lock: string;
  /** Sorted pairs of claimed token and claimant. */
  readonly claims: readonly (readonly [string, string])[];
  readonly processes: readonly Process[];
  readonly flights: readonly Flight[];
  readonly crashes: number;
  readonly losses: number;
}

const GHOST_HOLDER = 'x';
const GHOST_CLAIMANT = 'y';
const NAMES = ['a', 'b', 'c', 'd'];

export function search(scenario: Scenario): Found {
  const explorer = new Explorer(scenario);
  return explorer.run();
}

class Explorer {
  readonly #seen = new Map<string, { from: string; label: string } | undefined>();
  readonly #ends = new Set<string>();
  readonly #settle: number;
  readonly #fresh: number;
  readonly #advance: typeof advance;

  constructor(private readonly scenario: Scenario) {
    this.#settle = scenario.settle ?? SETTLE;
    this.#fresh = scenario.fresh ?? FRESH;
    this.#advance = scenario.advance ?? advance;
  }

  run(): Found {
    const first = initial(this.scenario);
    let frontier: [string, World][] = [[keyOf(first), first]];
    this.#seen.set(keyOf(first), undefined);
    while (frontier.length > 0) {
      const next: [string, World][] = [];
      for (const [key, world] of frontier) {
        let moves = 0;
        for (const [label, after, violation] of this.#moves(world)) {
          if (label !== 'tick') moves += 1;
          const afterKey = keyOf(after);
          const known = this.#seen.has(afterKey);
          if (!known) this.#seen.set(afterKey, { from: key, label });
          const what = violation ?? this.#violationIn(after);
          if (what) return this.#report(what, key, label);
          if (!known) next.push([afterKey, after]);
        }
        if (moves === 0 && world.processes.every(hasEnded)) this.#ends.add(endOf(world));
      }
      frontier = next;
    }
    return { states: this.#seen.size, ends: this.#ends };
  }

  #report(what: string, key: string, label: string): Found {
    const path = [label];
    for (let at = this.#seen.get(key); at; at = this.#seen.get(at.from)) path.unshift(at.label);
    return { states: this.#seen.size, violation: { what, path }, ends: this.#ends };
  }

  /** May write now, and would not be stopped. */
  #isEntitled(world: World, index: number): boolean {
    const process = world.processes[index];
    if (!process || this.scenario.contenders[index]?.does !== 'run') return false;
    return process.life === 'lives' && process.state.at === 'held' && process.age <= this.#fresh;
  }

  #violationIn(world: World): string | undefined {
    const entitled = world.processes.flatMap((_, index) =>
      this.#isEntitled(world, index) ? [nameOf(index)] : [],
    );
    return entitled.length > 1 ? `two holders: ${entitled.join(' and ')}` : undefined;
  }

  *#moves(world: World): Generator<[label: string, after: World, violation?: string | undefined]> {
    for (const [index, process] of world.processes.entries()) {
      if (process.life !== 'lives') continue;
      yield* this.#movesOf(world, index, process);
      if (world.crashes > 0 && !isTerminal(process.state)) {
        const orphaned = world.flights.map((one) =>
          one.by === nameOf(index) ? { ...one, awaited: false } : one,
        );
        const crashed = set({ ...world, flights: orphaned }, index, { ...GONE, life: 'crashed' });
        yield [`${nameOf(index)} crashes`, { ...crashed, crashes: world.crashes - 1 }];
      }
    }
    yield* this.#landings(world);
    if (world.flights.every((flight) => flight.age < DELAY)) yield ['tick', this.#tick(world)];
  }

  *#movesOf(world: World, index: number, process: Process): Generator<[string, World]> {
    const name = nameOf(index);
    const { state } = process;
    const flying = world.flights.some((flight) => flight.by === name);
    switch (state.at) {
      case 'look':
        yield [`${name} reads`, this.#look(world, index, process)];
        return;
      case 'send':
        if (flying) return;
        if (process.age > this.#fresh) {
          yield [`${name} is too late`, this.#tell(world, index, process, { is: 'too-late' })];
          return;
        }
        yield [
          `${name} sends ${text(state.mutation)}`,
          fly(world, { by: name, mutation: state.mutation, age: 0, awaited: true }),
        ];
        return;
      case 'wait':
        if (process.waited >= this.#settle)
          yield [`${name} has waited`, this.#tell(world, index, process, { is: 'waited' })];
        return;
      case 'held':
        yield* this.#movesOfHolder(world, index, process, flying);
        return;
      default:
    }
  }

  *#movesOfHolder(
    world: World,
    index: number,
    process: Process,
    flying: boolean,
  ): Generator<[string, World]> {
    const name = nameOf(index);
    const begin = set(world, index, { ...process, state: RELEASE, age: 0, waited: 0 });
    if (this.scenario.contenders[index]?.does === 'unlock') {
      yield [`${name} releases`, begin];
      return;
    }
    const age = 0;
    if (world.lock === name) yield [`${name} reads again`, set(world, index, { ...process, age })];
    else yield [`${name} sees that it lost the lock`, set(world, index, { ...GONE, life: 'lost' })];
    if (flying) return;
    if (process.age <= this.#fresh)
      yield [`${name} writes`, fly(world, { by: name, mutation: { do: 'write' }, age: 0, awaited: true })];
    yield [`${name} releases`, begin];
  }

  #look(world: World, index: number, process: Process): World {
    const contender = this.scenario.contenders[index];
    const seen = { ...process, age: 0 };
    if (contender?.does === 'unlock' && process.unlocks === '' && process.state.at === 'look') {
      // A person is shown the holder, and says yes to this one.
      if (world.lock === '') return set(world, index, { ...GONE, state: { at: 'over' } });
      return set(world, index, { ...seen, unlocks: world.lock });
    }
    const party = (token: string): Party => ({ token });
    const sight = {
      holder: world.lock === '' ? undefined : party(world.lock),
      claims: new Map(world.claims.map(([token, claimant]) => [token, party(claimant)])),
    };
    return this.#tell(world, index, seen, { is: 'saw', sight });
  }

  #tell(world: World, index: number, process: Process, event: Parameters<typeof advance>[1]): World {
    const contender = this.scenario.contenders[index];
    const state = this.#advance(process.state, event, {
      token: nameOf(index),
      hasEnded: ({ token }) => this.#hasEnded(world, contender?.computer ?? '', token),
      ...(contender?.does === 'unlock' && { unlocks: process.unlocks }),
    });
    if (isTerminal(state)) return set(world, index, { ...GONE, state });
    return set(world, index, { ...process, state, waited: 0 });
  }

  #hasEnded(world: World, computer: string, token: string): boolean {
    const index = NAMES.indexOf(token);
    const process = world.processes[index];
    // The dead from before were processes of the first contender's computer.
    if (!process) return computer === this.scenario.contenders[0]?.computer;
    return this.scenario.contenders[index]?.computer === computer && hasEnded(process);
  }

  *#landings(world: World): Generator<[label: string, after: World, violation?: string | undefined]> {
    for (const [place, flight] of world.flights.entries()) {
      const { by, mutation, awaited } = flight;
      const left = { ...world, flights: world.flights.filter((_, at) => at !== place) };
      const landed = apply(left, by, mutation);
      const violation = mutation.do === 'write' ? this.#lateWrite(world, by) : undefined;
      const answer = (after: World, is: 'answered' | 'no-answer'): World => {
        const index = NAMES.indexOf(by);
        const process = after.processes[index];
        if (!awaited || !process || mutation.do === 'write') return after;
        return this.#tell(after, index, process, { is });
      };
      const what = `${text(mutation)} of ${by}`;
      yield [`${what} takes effect`, answer(landed, 'answered'), violation];
      if (!awaited || mutation.do === 'write') {
        yield [`${what} is lost`, left];
        continue;
      }
      if (world.losses === 0) continue;
      const losses = world.losses - 1;
      yield [`${what} takes effect, its answer is lost`, { ...answer(landed, 'no-answer'), losses }];
      yield [`${what} is lost`, { ...answer(left, 'no-answer'), losses }];
      const late = { ...world, flights: world.flights.with(place, { ...flight, awaited: false }), losses };
      yield [`${what} is given up`, answer(late, 'no-answer')];
    }
  }

  #lateWrite(world: World, by: string): string | undefined {
    const other = world.processes.findIndex(
      (_, index) => nameOf(index) !== by && this.#isEntitled(world, index),
    );
    return other < 0 ? undefined : `a write of ${by} takes effect while ${nameOf(other)} holds the lock`;
  }

  #tick(world: World): World {
    return {
      ...world,
      flights: world.flights.map((flight) => ({ ...flight, age: flight.age + 1 })),
      processes: world.processes.map((process) => {
        if (process.life !== 'lives' || isTerminal(process.state)) return process;
        const matters = process.state.at === 'held' || process.state.at === 'send';
        return {
          ...process,
          age: matters ? Math.min(process.age + 1, this.#fresh + 1) : 0,
          waited: process.state.at === 'wait' ? Math.min(process.waited + 1, this.#settle) : 0,
        };
      }),
    };
  }
}

const GONE: Process = { state: { at: 'over' }, life: 'lives', age: 0, waited: 0, unlocks: '' };

function initial({ contenders, crashes, losses, left = {} }: Scenario): World {
  const flight: Flight[] =
    left.flight === undefined
      ? []
      : [
          left.flight === 'holder deletes'
            ? { by: GHOST_HOLDER, mutation: { do: 'delete' }, age: 0, awaited: false }
            : { by: GHOST_CLAIMANT, mutation: { do: 'replace' }, age: 0, awaited: false },
        ];
  return {
    lock: left.holder ? GHOST_HOLDER : '',
    claims: left.claimant ? [[GHOST_HOLDER, GHOST_CLAIMANT]] : [],
    processes: contenders.map(() => ({ ...GONE, state: ACQUIRE })),
    flights: flight,
    crashes,
    losses,
  };
}

function apply(world: World, by: string, mutation: Flight['mutation']): World {
  const { lock, claims } = world;
  switch (mutation.do) {
    case 'create':
      return lock === '' ? { ...world, lock: by } : world;
    case 'replace':
      return lock === '' ? world : { ...world, lock: by };
    case 'delete':
      return { ...world, lock: '' };
    case 'claim':
      if (claims.some(([token]) => token === mutation.token)) return world;
      return { ...world, claims: [...claims, [mutation.token, by] as const].sort() };
    case 'unclaim':
      return { ...world, claims: claims.filter(([token]) => token !== mutation.token) };
    default:
      return world;
  }
}

function set(world: World, index: number, process: Process): World {
  return { ...world, processes: world.processes.with(index, process) };
}

function fly(world: World, flight: Flight): World {
  const flights = [...world.flights, flight];
  return { ...world, flights: flights.sort((one, other) => (one.by < other.by ? -1 : 1)) };
}

function nameOf(index: number): string {
  return NAMES[index] ?? '?';
}

function isTerminal({ at }: State): boolean {
  return at === 'over' || at === 'refused';
}

function hasEnded({ life, state }: Process): boolean {
  return life !== 'lives' || isTerminal(state);
}

function text(mutation: Flight['mutation']): string {
  return 'token' in mutation ? `${mutation.do} ${mutation.token}` : mutation.do;
}

function endOf({ lock, claims }: World): string {
  return `${lock}/${claims.join(';')}`;
}

const processKeys = new WeakMap<Process, string>();

/** Most processes are the same object from one world to the next. */
function processKey(process: Process): string {
  const known = processKeys.get(process);
  if (known !== undefined) return known;
  const { state, life, age, waited, unlocks } = process;
  const memory = 'goal' in state ? `${state.goal}${+state.replaced}${+state.settled}` : '';
  const more = state.at === 'send' ? text(state.mutation) : state.at === 'wait' ? state.why : '';
  const key = `${state.at}${memory}${more},${life}${age}${waited}${unlocks}|`;
  processKeys.set(process, key);
  return key;
}

function keyOf({ lock, claims, processes, flights, crashes, losses }: World): string {
  let key = `${crashes}${losses}${lock}/`;
  for (const [token, claimant] of claims) key += `${token}${claimant};`;
  for (const process of processes) key += processKey(process);
  for (const { by, mutation, age, awaited } of flights) key += `${by}${text(mutation)}${age}${+awaited}|`;
  return key;
}
