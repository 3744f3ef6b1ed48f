/** The file of one run: a first line that says what was run, then its events, one JSON document per line. */
import { z } from 'zod';
import { redactStrings } from '../../formats/redact/redact-text.js';
import type { RunEvent } from '../../model/events.js';

export interface JournalHead {
  readonly type: 'journal';
  readonly format: 1;
  readonly runId: string;
  readonly command: string;
  readonly cluster: string;
  /** By the wall, also where the events go by the clock of the lab. */
  readonly startedAt: string;
  readonly lab: boolean;
}

/** What the rehearsal of the same plan said. */
export interface Prediction {
  readonly type: 'prediction';
  readonly ms: number;
  readonly away: readonly { readonly node: string; readonly ms: number }[];
}

export interface Journal {
  readonly head: JournalHead;
  readonly prediction?: Prediction;
  readonly events: readonly RunEvent[];
}

const at = z.number();
const step = z.string();
const ids = z.array(z.string());

const head = z.object({
  type: z.literal('journal'),
  format: z.literal(1),
  runId: z.string(),
  command: z.string(),
  cluster: z.string(),
  startedAt: z.string(),
  lab: z.boolean(),
});

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run-started'), at, runId: z.string(), steps: z.number() }),
  z.object({
    type: z.literal('step-started'),
    at,
    step,
    title: z.string(),
    node: z.string().exactOptional(),
  }),
  z.object({ type: z.literal('step-progress'), at, step, message: z.string() }),
  z.object({
    type: z.literal('step-done'),
    at,
    step,
    ms: z.number(),
    already: z.boolean(),
    warnings: z.array(z.string()),
  }),
  z.object({
    type: z.literal('step-failed'),
    at,
    step,
    ms: z.number(),
    error: z.object({ code: z.string(), message: z.string(), advice: z.string().exactOptional() }),
  }),
  z.object({ type: z.literal('node-away'), at, node: z.string(), reason: z.string() }),
  z.object({ type: z.literal('node-back'), at, node: z.string(), reason: z.string() }),
  z.object({
    type: z.literal('run-ended'),
    at,
    ms: z.number(),
    result: z.object({
      outcome: z.enum(['done', 'failed', 'interrupted']),
      done: ids,
      failed: ids,
      notStarted: ids,
    }),
  }),
]) satisfies z.ZodType<RunEvent>;

const prediction = z.object({
  type: z.literal('prediction'),
  ms: z.number(),
  away: z.array(z.object({ node: z.string(), ms: z.number() })),
}) satisfies z.ZodType<Prediction>;

/** `undefined`: not a journal. A line that a killed process left half-written, or of a newer version, is passed over. */
export function parseJournal(text: string): Journal | undefined {
  const [first = '', ...rest] = text.split('\n');
  const parsedHead = head.safeParse(parseLine(first));
  if (!parsedHead.success) return undefined;
  const events = rest.flatMap((line) => {
    const parsed = event.safeParse(parseLine(line));
    return parsed.success ? [parsed.data] : [];
  });
  const predicted = rest.slice(0, 1).map((line) => prediction.safeParse(parseLine(line)))[0];
  return { head: parsedHead.data, events, ...(predicted?.success && { prediction: predicted.data }) };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Events hold no secrets by design; what an error of another program brings with it does not reach the disk. */
export function journalLine(document: JournalHead | Prediction | RunEvent): string {
  return `${JSON.stringify(redactStrings(document))}\n`;
}
