import type { LabClock } from './clock.js';
import type { Store } from './store.js';

/**
 * Things that will happen: data, so that they still happen when the lab's process was killed in between.
 * A handler runs synchronously, so what it does to the store is done as one.
 */
export interface Timeline {
  /** Declares what an event of this kind does. Before `resume`. */
  on<T>(kind: string, handler: (args: T) => void): void;
  /** `delay` in lab milliseconds. The id can be given to `cancel`. */
  after<T>(delay: number, kind: string, args: T): string;
  cancel(id: string): void;
  /** Schedules what was left over from an earlier process. */
  resume(): void;
}

interface StoredEvent {
  id: string;
  at: number;
  kind: string;
  args: unknown;
}

export function createTimeline(store: Store, clock: LabClock): Timeline {
  const events = store.table<StoredEvent>('timeline');
  const counters = store.table<number>('counters');
  const handlers = new Map<string, (args: unknown) => void>();
  const cancels = new Map<string, () => void>();

  function arm(event: StoredEvent): void {
    const cancel = clock.schedule(event.at, () => {
      cancels.delete(event.id);
      events.delete(event.id);
      const handler = handlers.get(event.kind);
      if (!handler) throw new Error(`no handler for lab event ${event.kind}`);
      handler(event.args);
    });
    cancels.set(event.id, cancel);
  }

  return {
    on(kind, handler) {
      handlers.set(kind, handler as (args: unknown) => void);
    },
    after(delay, kind, args) {
      const number = (counters.get('timeline') ?? 0) + 1;
      counters.put('timeline', number);
      const event = { id: String(number), at: clock.now() + delay, kind, args };
      events.put(event.id, event);
      arm(event);
      return event.id;
    },
    cancel(id) {
      cancels.get(id)?.();
      cancels.delete(id);
      events.delete(id);
    },
    resume() {
      for (const event of [...events.values()].sort((a, b) => a.at - b.at)) {
        // What was asked for since the start is armed already.
        if (!cancels.has(event.id)) arm(event);
      }
    },
  };
}
