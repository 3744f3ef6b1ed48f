import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../model/events.js';
import { startRun } from './run.js';

const progress = (message: string): RunEvent => ({ type: 'step-progress', at: 0, step: 'one', message });

async function messages(run: AsyncIterable<RunEvent>): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of run) if (event.type === 'step-progress') seen.push(event.message);
  return seen;
}

describe('a run', () => {
  it('gives every event to each reader, in order, also to one who comes late', async () => {
    const run = startRun(async (emit) => {
      emit(progress('a'));
      await turn();
      emit(progress('b'));
      emit(progress('c'));
      return 'end';
    });
    const early = messages(run);
    expect(await run.result).toBe('end');
    expect(await early).toEqual(['a', 'b', 'c']);
    expect(await messages(run)).toEqual(['a', 'b', 'c']);
  });

  it('goes on where no one reads, and where a reader stops', async () => {
    const run = startRun(async (emit) => {
      emit(progress('a'));
      await turn();
      emit(progress('b'));
      return 2;
    });
    for await (const _ of run) break;
    expect(await run.result).toBe(2);
  });

  it('ends its readers with its own error, after the events before it', async () => {
    const run = startRun(async (emit) => {
      emit(progress('a'));
      await turn();
      throw new Error('lock lost');
    });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of run) if (event.type === 'step-progress') seen.push(event.message);
    })();
    await expect(reading).rejects.toThrow('lock lost');
    await expect(run.result).rejects.toThrow('lock lost');
    expect(seen).toEqual(['a']);
  });
});
