/** An adoption that is cut off at any request is ended by the next one, or given back; nothing is restarted or lost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended } from '../../support/cli.js';
import { sweepPoints } from '../../support/crash.js';
import {
  type AdoptionEnds,
  adoptionEnds,
  cutAdoption,
  REQUESTS,
  WRITES,
} from '../../support/cut-adoption.js';
import { foreignCluster } from '../../support/foreign-cluster.js';
import { series } from '../../support/shard.js';

let ends: AdoptionEnds;
beforeAll(async () => {
  const { folder } = await foreignCluster('module');
  ended(await folder.lab('init', '--from-cluster', '--talosconfig', 'talosconfig'));
  ends = await adoptionEnds(folder);
}, 120_000);
afterAll(() => {
  ends.described.remove();
  ends.adopted.remove();
});

const CASES = [
  ['adopt', 'write', 3, 8],
  ['undo', 'write', 3, 8],
  ['adopt', 'request', 48, 50],
  ['undo', 'request', 48, 50],
] as const;

it.each(CASES)('%s, cut off before or after a %s', { timeout: 900_000 }, async (what, of, oneIn, least) => {
  const counts = of === 'write' ? WRITES : REQUESTS;
  const points = series({ exhaustive: oneIn });
  const swept = await sweepPoints(`adoption: ${what} ${of}`, ['before', 'after'], points, (cut, at) =>
    cutAdoption(ends, what, cut, at, counts),
  );
  expect(swept.wrong).toEqual([]);
  expect(swept.inAll).toBeGreaterThan(least);
});
