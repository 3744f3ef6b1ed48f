/** Every read of an observation fails, one at a time: nothing is planned over it, and no verdict covers it. */
import { expect, it } from 'vitest';
import { falseAlarms } from '../support/reads/false-alarms.js';
import { runLeft } from '../support/reads/left-file.js';
import { placed, runReads, saidOf } from '../support/reads/read-runs.js';
import { READ_STATES } from '../support/reads/read-situations.js';
import { chosen, series } from '../support/shard.js';

it('no step that the whole observation does not lead to, no "No changes", not Healthy', async () => {
  const pairs = placed(READ_STATES);
  expect(pairs.length).toBeGreaterThan(60);
  const run = await runReads(chosen(pairs, { exhaustive: 8 }));
  process.stderr.write(`reads: ${saidOf(run)}`);
  expect(run.wrong).toEqual([]);
});

it('without a node, a group or a volume: no bootstrap, no reset, no data VM released', async () => {
  const run = await runLeft(READ_STATES, series({ exhaustive: 6 }).step);
  process.stderr.write(
    `left the file: ${run.plans} plans, ${run.refused} refused, ${run.wrong.length} wrong\n`,
  );
  expect(run.wrong).toEqual([]);
});

it('the documented token and a token on its pool give the same plans and verdicts', async () => {
  const calm = READ_STATES.filter(({ name }) => /as built$/.test(name));
  const { plans, wrong } = await falseAlarms(calm, series({ exhaustive: 6 }).step);
  process.stderr.write(`tokens: ${plans} plans, ${wrong.length} wrong\n`);
  expect(wrong).toEqual([]);
});
