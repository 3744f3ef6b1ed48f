/** What a rehearsal foretells is what happens: memory, processors, disks and volumes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { edited, SituationBench } from '../../support/situations.js';

let bench: SituationBench;
beforeAll(async () => {
  bench = await SituationBench.build();
}, 300_000);
afterAll(() => bench.remove());

it.each([
  edited('all: memory'),
  edited('worker: cores'),
  edited('work-2: CPU type'),
  edited('worker: larger EPHEMERAL'),
  edited('worker: disk options'),
  edited('volume scratch: grown'),
  edited('volume cache: added'),
  edited('volume scratch: removed'),
  edited('volume scratch: another storage'),
  edited('cp-1: storage'),
  edited('policy: two workers at a time', 'worker: cores'),
])('$name', async (situation) => {
  expect(await bench.wrongIn(situation)).toEqual([]);
});
