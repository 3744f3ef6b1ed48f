import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../model/clock.js';
import type { Answer } from './connection.js';
import { type WatchEvent, watchResource } from './watch.js';

interface Thing {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

const thing = (name: string, resourceVersion: string): Thing => ({ metadata: { name, resourceVersion } });
const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;

/** Streams one after the other; the watch is over with the last of them. */
async function watched(
  streams: readonly (string | 'silent' | number)[],
  lists: readonly Thing[][] = [[thing('a', '1')], [thing('b', '9')]],
): Promise<{ events: string[]; opened: string[]; pauses: number }> {
  const stop = new AbortController();
  const opened: string[] = [];
  let pauses = 0;
  let listed = 0;
  const clock: Clock = {
    now: () => 0,
    elapsed: () => 0,
    sleep: async () => {
      pauses += 1;
    },
  };
  const open = async (resourceVersion: string): Promise<Answer> => {
    const stream = streams[opened.length];
    opened.push(resourceVersion);
    if (stream === undefined) stop.abort();
    const status = typeof stream === 'number' ? stream : 200;
    const text = status === 200 ? String(stream ?? '') : JSON.stringify({ kind: 'Status', code: status });
    const body = stream === 'silent' ? new Readable({ read() {} }) : Readable.from([Buffer.from(text)]);
    return { status, where: 'test', body: body as Answer['body'] };
  };
  const list = async () => {
    const items = lists[Math.min(listed, lists.length - 1)] ?? [];
    listed += 1;
    return { items, resourceVersion: `list-${listed}` };
  };
  const events: string[] = [];
  const seen = (event: WatchEvent<Thing>) =>
    event.type === 'LISTED'
      ? `LISTED ${event.items.map(({ metadata }) => metadata.name).join()}`
      : `${event.type} ${event.object.metadata.name}`;
  const source = { clock, list, open, what: 'things', signal: stop.signal, silenceMs: 20, random: () => 0 };
  for await (const event of watchResource<Thing>(source)) events.push(seen(event));
  return { events, opened, pauses };
}

describe('a watch', () => {
  it('goes on after the last object or bookmark that it saw', async () => {
    const { events, opened } = await watched([
      line('ADDED', thing('b', '5')) + line('BOOKMARK', thing('', '7')),
      line('DELETED', thing('b', '8')),
    ]);
    expect(events).toEqual(['LISTED a', 'ADDED b', 'DELETED b']);
    expect(opened).toEqual(['list-1', '7', '8']);
  });

  it.each([
    ['in the answer', 410],
    ['in the stream', line('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })],
  ])('lists again where the server has forgotten: 410 %s', async (_, gone) => {
    const { events, opened } = await watched([gone, line('ADDED', thing('c', '10'))]);
    expect(events).toEqual(['LISTED a', 'LISTED b', 'ADDED c']);
    expect(opened).toEqual(['list-1', 'list-2', '10']);
  });

  it('gives up a stream on which nothing comes, and asks again from where it was', async () => {
    const { events, opened, pauses } = await watched(['silent', line('ADDED', thing('b', '5'))]);
    expect(events).toEqual(['LISTED a', 'ADDED b']);
    expect(opened).toEqual(['list-1', 'list-1', '5']);
    expect(pauses).toBeGreaterThan(0);
  });

  it('pauses where streams end at once, and where the server is busy', async () => {
    expect((await watched(['', '', ''])).pauses).toBe(3);
    expect((await watched([503, 429])).pauses).toBe(2);
  });

  it('ends where the server refuses it', async () => {
    await expect(watched([403])).rejects.toMatchObject({ code: 'kubernetes.forbidden' });
  });
});
