/** What a rehearsal foretells is what happens: upgrades, and changes of what machines run with. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { edited, SituationBench } from '../../support/situations.js';

let bench: SituationBench;
beforeAll(async () => {
  bench = await SituationBench.build();
}, 300_000);
afterAll(() => bench.remove());

it.each([
  edited('talos: v1.14.1'),
  edited('cluster: Kubernetes v1.35.0'),
  edited('work-1: Talos v1.14.1'),
  edited('talos: another extension'),
  edited('patch all: environment'),
  edited('patch all: sysctl'),
  edited('patch worker: kubelet flags'),
  edited('cluster: API server flags'),
  edited('cluster: another VIP'),
  edited('work-1: taint'),
])('$name', async (situation) => {
  expect(await bench.wrongIn(situation)).toEqual([]);
});
