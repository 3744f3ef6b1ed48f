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
}

const RETRY = 1_000;

/** List, then watch from there; a stream that ends is opened again, one that is too old (410) starts with a new list. */
export async function* watchResource<T>(source: WatchSource<T>): AsyncGenerator<WatchEvent<T>> {
  const { signal, clock } = source;
  let resourceVersion = '';
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
      for await (const line of linesOf(answer.body)) {
        const event = parseEvent<T>(line);
        if (event.type === 'ERROR')
          throw errorFromAnswer(event.code, event.object, answer.where, source.what);
        resourceVersion = event.resourceVersion || resourceVersion;
        if (event.type !== 'BOOKMARK') yield { type: event.type, object: event.object };
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isKubernetesError(error, 'kubernetes.expired')) resourceVersion = '';
      else if (isKubernetesError(error) && !isPassing(error)) throw error;
      // The machine behind the stream went away: another may know how things go on.
      else await clock.sleep(RETRY, signal).catch(() => {});
    }
  }
}

function isPassing(error: unknown): boolean {
  return isKubernetesError(error, 'kubernetes.unreachable', 'kubernetes.busy', 'kubernetes.failed');
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
