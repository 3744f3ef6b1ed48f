/** A fault that nothing of the run asked for says nothing: it is no case that went well. */
import { expect, it, onTestFinished } from 'vitest';
import { KnownRests } from '../../../src/session/rehearse/chaos/known-rests.js';
import { recordCases } from '../../../src/session/rehearse/chaos/record-cases.js';
import { tryCase } from '../../../src/session/rehearse/chaos/try-case.js';
import { ended } from '../../support/cli.js';
import { ClusterSite } from '../../support/cluster-site.js';
import { onTwinOf } from '../../support/rehearsals.js';
import { smallFile } from '../../support/small-file.js';

it('is judged as that, with and without what other cases have shown', { timeout: 300_000 }, async () => {
  const site = await ClusterSite.open(smallFile());
  onTestFinished(() => site.remove());
  ended(await site.run('apply', '--yes'));
  site.config = smallFile({ worker: ', memory: 5GiB' });
  await onTwinOf(site, async (opened) => {
    const recording = await recordCases(opened.keep(), { kind: 'converge' });
    const found = recording.cases.find(
      ({ fault, step }) => fault === 'drop-before' && step === 'restart-vm:151',
    );
    if (!found) throw new Error('there is no such case');
    const rests = new KnownRests(recording);
    const other = { ...found, occasion: { ...found.occasion, subject: 'GET /nodes/nowhere' } };
    for (const known of [rests, new KnownRests({ ...recording, points: new Map() })])
      expect(await tryCase(recording, other, known, {})).toEqual({ verdict: 'did not strike' });
    expect(await tryCase(recording, found, rests, {})).toEqual({ verdict: 'continued' });
  });
});
