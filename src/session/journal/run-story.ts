/** A run that is over as a story: what was done when, what it waited for, and what stopped it. Pure. */
import { type Absence, downtimesIn } from '../../model/downtime.js';
import type { RunEvent } from '../../model/events.js';
import type { Journal } from './journal-file.js';

export interface RunStory {
  /** From the first event to the last. */
  readonly ms: number;
  readonly acts: readonly Act[];
  /** With times from the beginning of the run. */
  readonly absences: readonly Absence[];
  /** What never began because of what failed, or of an interruption. */
  readonly notStarted: readonly string[];
}

interface Act {
  readonly step: string;
  readonly title: string;
  readonly node?: string;
  /** Milliseconds from the beginning of the run. */
  readonly from: number;
  readonly ms?: number;
  readonly state: 'done' | 'unchanged' | 'failed' | 'unfinished';
  /** The step whose end let this one begin. */
  readonly after?: string;
  /** What it said on the way, each once. */
  readonly said: readonly string[];
  readonly error?: { readonly message: string; readonly advice?: string };
}

export function storyOf({ events }: Journal): RunStory {
  const begun = events[0]?.at ?? 0;
  const ended = events.find((event) => event.type === 'run-ended');
  const relative = events.map((event) => ({ ...event, at: event.at - begun }));
  // A step that was cut off has an act of its own.
  const begunSteps = startedIn(events);
  return {
    ms: relative.at(-1)?.at ?? 0,
    acts: relative.flatMap((event, index) =>
      event.type === 'step-started'
        ? [actOf(event, relative.slice(0, index), relative.slice(index + 1))]
        : [],
    ),
    absences: downtimesIn(relative),
    notStarted: ended?.result.notStarted.filter((step) => !begunSteps.has(step)) ?? [],
  };
}

function startedIn(events: readonly RunEvent[]): ReadonlySet<string> {
  return new Set(events.flatMap((event) => (event.type === 'step-started' ? [event.step] : [])));
}

type Started = Extract<RunEvent, { type: 'step-started' }>;

function actOf(
  { step, title, node, at }: Started,
  before: readonly RunEvent[],
  later: readonly RunEvent[],
): Act {
  const own = later.filter((event) => 'step' in event && event.step === step);
  const end = own.find((event) => event.type === 'step-done' || event.type === 'step-failed');
  // A step begins as soon as it can: the last that ended at this moment is the one it waited for.
  const opener = before.findLast((event) => event.type === 'step-done' && event.at === at);
  const said = own.flatMap((event) => (event.type === 'step-progress' ? [event.message] : []));
  return {
    step,
    title,
    ...(node !== undefined && { node }),
    from: at,
    ...(end && { ms: end.at - at }),
    state: stateOf(end),
    ...(at > 0 && opener?.type === 'step-done' && { after: opener.step }),
    said: [...new Set(said)],
    ...(end?.type === 'step-failed' && { error: end.error }),
  };
}

function stateOf(end: RunEvent | undefined): Act['state'] {
  if (end?.type === 'step-failed') return 'failed';
  if (end?.type !== 'step-done') return 'unfinished';
  return end.already ? 'unchanged' : 'done';
}
