/**
 * `host roll` that meets fault after fault, each at its own step, and is resumed after each that stops it. A roll takes
 * seconds, and a set has thousands of faults: one for each of them would take a day.
 */
import type { FaultName } from '../../src/lab/faults.js';
import type { RunEvent } from '../../src/model/events.js';
import type { Occasion } from '../../src/session/rehearse/chaos/occasions.js';
import type { ClusterSite } from './cluster-site.js';
import { nameOf } from './fault-sweep.js';
import {
  aftermath,
  isHangingCopy,
  limitedBy,
  limitsOf,
  STRIKE_NODES,
  stopTasksLater,
  told,
  watchedEvents,
  wordsOf,
} from './host-faults.js';
import { type RackOfHosts, type Rebuilding, rebuildingStorage } from './host-roll.js';
import { keptData } from './watcher.js';

const TIMEOUT_MS = 1_500;

/** Steps of a return are others than those of a drain with the same id. */
type Phase = 'drain' | 'return';

/** A step that has nothing left to do, because a run before has done it, gives a fault no occasion. */
const TRIES = 2;

export interface ChainResult {
  /** What was wrong, with the faults that had struck in that command. */
  readonly wrong: readonly string[];
  readonly struck: readonly Occasion[];
  /** To be tried one by one: they found no occasion, or were part of what went wrong. */
  readonly alone: readonly Occasion[];
}

/** Occasions as they were recorded in one roll of these hosts. */
export async function rollThrough(
  rack: RackOfHosts,
  names: readonly string[],
  occasions: readonly Occasion[],
  /** After each pass: what has struck and did no harm. */
  onPass: (passed: readonly Occasion[], waiting: number) => Promise<void> = async () => {},
): Promise<ChainResult> {
  const waiting = new Waiting(names, occasions);
  const wrong: string[] = [];
  const struck: Occasion[] = [];
  const suspects = new Set<Occasion>();
  while (waiting.size > 0) {
    const pass = new Pass(rack, waiting);
    const problems = await pass.run(names);
    wrong.push(...problems);
    struck.push(...pass.struck);
    await onPass(
      pass.struck.filter((one) => !pass.suspects.includes(one)),
      waiting.size,
    );
    for (const occasion of pass.suspects) suspects.add(occasion);
    if (pass.struck.length === 0 && problems.length === 0) waiting.give(pass.takes);
  }
  return {
    wrong,
    struck: struck.filter((one) => !suspects.has(one)),
    alone: [...waiting.given, ...suspects],
  };
}

/** Faults that have not struck yet, by the step they belong to. */
class Waiting {
  readonly #left = new Map<Occasion, { readonly place: string; misses: number }>();
  readonly given: Occasion[] = [];

  constructor(
    private readonly names: readonly string[],
    occasions: readonly Occasion[],
  ) {
    for (const occasion of occasions)
      this.#left.set(occasion, { place: this.#placeOf(occasion.step.id), misses: 0 });
  }

  get size(): number {
    return this.#left.size;
  }

  of(host: string): Occasion[] {
    return [...this.#left].flatMap(([one, { place }]) => (place.startsWith(`${host} `) ? [one] : []));
  }

  at(host: string, phase: Phase, step: string): Occasion[] {
    const wanted = `${host} ${phase} ${step}`;
    return [...this.#left].flatMap(([one, { place }]) => (place === wanted ? [one] : []));
  }

  done(occasion: Occasion): void {
    this.#left.delete(occasion);
  }

  missed(occasion: Occasion): void {
    const entry = this.#left.get(occasion);
    if (!entry) return;
    entry.misses += 1;
    if (entry.misses < TRIES) return;
    this.#left.delete(occasion);
    this.given.push(occasion);
  }

  /** What no pass reaches. */
  give(takes: (occasion: Occasion) => boolean): void {
    for (const occasion of [...this.#left.keys()].filter(takes)) {
      this.#left.delete(occasion);
      this.given.push(occasion);
    }
  }

  /** A roll has two plans for each host. */
  #placeOf(id: string): string {
    // Steps of drives have a slash of their own: `1/detach-drive:152/scsi1`.
    const [plan, step] = [id.slice(0, id.indexOf('/')), id.slice(id.indexOf('/') + 1)];
    const host = this.names[Math.floor((Number(plan) - 1) / 2)] ?? '';
    return `${host} ${Number(plan) % 2 === 1 ? 'drain' : 'return'} ${step}`;
  }
}

interface Carried {
  readonly takes: (occasion: Occasion) => boolean;
  /** The fault whose limits hold. */
  readonly limitedBy?: FaultName;
  readonly timeoutMs?: number;
}

/** All hosts that faults wait for, one after the other, on one copy of the lab. */
class Pass {
  readonly struck: Occasion[] = [];
  readonly suspects: Occasion[] = [];
  /** Those that its last command was for. */
  takes: (occasion: Occasion) => boolean = () => true;

  constructor(
    private readonly rack: RackOfHosts,
    private readonly waiting: Waiting,
  ) {}

  async run(names: readonly string[]): Promise<string[]> {
    const site = await this.rack.copy();
    const storage = rebuildingStorage(site);
    try {
      const data = keptData(site.lab);
      for (const host of names) {
        if (this.waiting.of(host).length === 0) continue;
        const problems = await this.#roll(site, storage, host);
        if (problems.length > 0) return problems;
      }
      const problems: string[] = [];
      const plan = await site.run('plan', '--exit-code');
      if (plan.exit !== 0) problems.push(`something is left to do: ${told(plan)}`);
      if (keptData(site.lab).join() !== data.join()) problems.push('contents changed');
      if (problems.length > 0) this.suspects.push(...this.struck);
      return problems.map((problem) => `${this.struck.map(nameOf).join(', ')}: ${problem}`);
    } finally {
      storage.stop();
      await this.rack.removeCopies();
    }
  }

  /** Until it is done, command after command. */
  async #roll(site: ClusterSite, storage: Rebuilding, host: string): Promise<string[]> {
    let phase: Phase = 'drain';
    let last: readonly Occasion[] = [];
    for (;;) {
      const command = new Command(site, this.waiting, host, phase);
      const before = storage.violations.length;
      this.takes = command.carried.takes;
      const { exit, problems } = await command.run(this.rack.disks === 'shared' ? 1 : 2);
      this.struck.push(...command.struck);
      if (!command.struck.some(({ fault }) => STRIKE_NODES.has(fault)))
        problems.push(...storage.violations.slice(before));
      if (exit !== 0 && command.struck.length === 0) problems.push(`it was not resumed: ${command.told}`);
      if (problems.length > 0) {
        const faults = [command.struck, last].find((some) => some.length > 0) ?? this.struck;
        this.suspects.push(...faults);
        return problems.map((problem) => `${faults.map(nameOf).join(', ')}: ${problem}`);
      }
      if (exit === 0) return [];
      ({ phase } = command);
      last = command.struck;
    }
  }
}

/** One `host roll` or `host return`, with faults of one kind. */
class Command {
  readonly struck: Occasion[] = [];
  readonly carried: Carried;
  told = '';
  #active: Occasion | undefined;
  /** The one that it was set in. */
  #step = '';

  constructor(
    private readonly site: ClusterSite,
    private readonly waiting: Waiting,
    private readonly host: string,
    public phase: Phase,
  ) {
    this.carried = this.#carried();
  }

  async run(away: number): Promise<{ readonly exit: number; readonly problems: string[] }> {
    const { site, host, carried } = this;
    const args = ['host', this.phase === 'drain' ? 'roll' : 'return', host, '--yes'];
    site.requestTimeoutMs = carried.timeoutMs;
    // The hook runs between the two plans, also where one of them has no steps.
    site.onTell = (text) => {
      if (text.includes('policy.host.before')) this.phase = 'return';
    };
    const events: RunEvent[] = [];
    const limits = limitsOf(carried.limitedBy, away);
    const { result, report } = await watchedEvents(
      site,
      args,
      (event) => {
        events.push(event);
        this.#heard(event, carried);
      },
      limits,
    );
    site.onTell = () => {};
    this.#settle();
    this.told = told(result);
    const last = this.struck.at(-1);
    const problems = [...report.violations];
    if (last) {
      problems.push(...wordsOf(this.#stopper(events) ?? last, result, events));
      await aftermath(site, ...this.struck.map(({ fault }) => fault));
    }
    return { exit: result.exit, problems };
  }

  /** Steps run side by side: the last fault is not always the one that a step failed of. */
  #stopper(events: readonly RunEvent[]): Occasion | undefined {
    const failed = new Set(
      events.flatMap((event) =>
        event.type === 'step-failed' ? [event.step.slice(event.step.indexOf('/') + 1)] : [],
      ),
    );
    return this.struck.findLast(({ step: { id } }) => failed.has(id.slice(id.indexOf('/') + 1)));
  }

  /** A state stays on until the command has ended: it is the only fault of its command, the first that has an occasion. */
  #carried(): Carried {
    const here = this.waiting.of(this.host);
    const isBlow = ({ kind, fault }: Occasion) => kind === 'blow' && fault !== 'api-timeout';
    if (here.some(isBlow)) return { takes: isBlow };
    const isTimeout = ({ fault }: Occasion) => fault === 'api-timeout';
    if (here.some(isTimeout)) return { takes: isTimeout, timeoutMs: TIMEOUT_MS };
    const [first] = here;
    // Those with limits of their own apart from the others.
    const group = limitedBy(first?.fault);
    return { takes: ({ fault }) => limitedBy(fault) === group, ...(group && { limitedBy: group }) };
  }

  #heard(event: RunEvent, { takes }: Carried): void {
    if (event.type === 'step-started' && !this.#active) {
      const id = event.step.slice(event.step.indexOf('/') + 1);
      const next = this.waiting.at(this.host, this.phase, id).find(takes);
      if (!next) return;
      this.#active = next;
      const { fault, subject, kind } = next;
      this.site.lab.core.faults.set({ name: fault, subject, countdown: kind === 'blow' ? 0 : null });
      if (isHangingCopy(next)) stopTasksLater(this.site);
      this.#step = event.step;
    } else if ((event.type === 'step-done' || event.type === 'step-failed') && event.step === this.#step) {
      if (this.#active?.kind === 'blow') this.#settle();
    }
  }

  #settle(): void {
    const occasion = this.#active;
    if (!occasion) return;
    const { faults } = this.site.lab.core;
    const hasStruck = occasion.kind === 'state' || !faults.list().some(({ name }) => name === occasion.fault);
    faults.clear(occasion.fault);
    this.#active = undefined;
    if (hasStruck) {
      this.struck.push(occasion);
      this.waiting.done(occasion);
    } else this.waiting.missed(occasion);
  }
}
