import type { Clock } from '../../model/clock.js';
import { readLimited } from '../read-limited.js';
import type { Answer } from './connection.js';
import { errorFromAnswer, isKubernetesError, readStatus } from './errors.js';

export type WatchEvent<T> =
  /** All there is now: at the start, and whenever the server had forgotten where we were. */
  | { readonly type: 'LISTED'; readonly items: T[] }
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T };

interface WatchSource<T> {
  readonly clock: Clock;
  readonly list: () => Promise<{ items: T[]; resourceVersion: string }>;
  readonly open: (resourceVersion: string) => Promise<Answer>;
  readonly what: string;
  readonly signal?: AbortSignal;
  /** A stream on which nothing comes for so long, not even a bookmark, is given up. */
  readonly silenceMs?: number;
  readonly random?: () => number;
}

const RETRY = 1_000;
const LONGEST_RETRY = 60_000;

/** Doubles with each failure in a row, by chance between a half and the whole: many clients do not come back at once. */
export function retryPause(failures: number, random: () => number): number {
  const most = Math.min(LONGEST_RETRY, RETRY * 2 ** Math.min(failures, 10));
  return most / 2 + (most / 2) * random();
}

/** List, then watch from there; a stream that ends is opened again, one that is too old (410) starts with a new list. */
export async function* watchResource<T>(source: WatchSource<T>): AsyncGenerator<WatchEvent<T>> {
  const { signal, clock, random = Math.random } = source;
  let resourceVersion = '';
  let failures = 0;
  while (!signal?.aborted) {
    try {
      if (resourceVersion === '') {
        const list = await source.list();
        resourceVersion = list.resourceVersion;
        yield { type: 'LISTED', items: list.items };
      }
      const answer = await source.open(resourceVersion);
      if (answer.status >= 300)
        throw errorFromAnswer(answer.status, await bodyOf(answer), answer.where, source.what);
      let lines = 0;
      for await (const line of linesOf(withWatchdog(answer.body, source.silenceMs))) {
        failures = 0;
        lines += 1;
        const event = parseEvent<T>(line);
        if (event.type === 'ERROR')
          throw errorFromAnswer(event.code, event.object, answer.where, source.what);
        resourceVersion = event.resourceVersion || resourceVersion;
        if (event.type !== 'BOOKMARK') yield { type: event.type, object: event.object };
      }
      // A proxy that closes every stream at once is not asked without end.
      if (lines === 0 && !signal?.aborted) {
        await clock.sleep(retryPause(failures, random), signal).catch(() => {});
        failures += 1;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isKubernetesError(error, 'kubernetes.expired')) resourceVersion = '';
      else if (isKubernetesError(error) && !isPassing(error)) throw error;
      // The machine behind the stream went away: another may know how things go on.
      else await clock.sleep(retryPause(failures, random), signal).catch(() => {});
      failures += 1;
    }
  }
}

function isPassing(error: unknown): boolean {
  return isKubernetesError(error, 'kubernetes.unreachable', 'kubernetes.busy', 'kubernetes.failed');
}

/** A connection that a router dropped says nothing for ever: bookmarks come every minute where the server lives. */
async function* withWatchdog(body: Answer['body'], silenceMs: number | undefined): AsyncGenerator<Buffer> {
  if (silenceMs === undefined) return yield* body;
  const silent = new Error(`nothing came for ${silenceMs} ms`);
  let timer = setTimeout(() => body.destroy(silent), silenceMs);
  try {
    for await (const chunk of body) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(() => body.destroy(silent), silenceMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function bodyOf(answer: Answer): Promise<unknown> {
  const text = await readLimited(answer.body);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}

type Parsed<T> =
  | { type: 'ERROR'; code: number; object: unknown }
  | { type: 'BOOKMARK'; resourceVersion: string }
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; resourceVersion: string; object: T };

function parseEvent<T>(line: string): Parsed<T> {
  const event = JSON.parse(line);
  if (event.type === 'ERROR') {
    const code = typeof event.object?.code === 'number' ? event.object.code : 500;
    return { type: 'ERROR', code: readStatus(code, event.object).httpStatus, object: event.object };
  }
  const resourceVersion = String(event.object?.metadata?.resourceVersion ?? '');
  if (event.type === 'BOOKMARK') return { type: 'BOOKMARK', resourceVersion };
  return { type: event.type, resourceVersion, object: event.object };
}
