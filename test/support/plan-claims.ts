/** What is claimed of plans, tried on edits of the catalogue: a few of them in `npm test`, all in test:exhaustive. */
import { expect } from 'vitest';
import { IMPACTS, type Impact } from '../../src/plan/impact.js';
import type { Plan } from '../../src/plan/plan.js';
import { documentedEffects } from './documented-effect.js';
import { CATALOGUE, type CatalogueEdit, type Pair } from './edit-catalogue.js';
import type { PairBench } from './pair-bench.js';

export function named(name: string): CatalogueEdit {
  const found = CATALOGUE.find((edit) => edit.name === name);
  if (!found) throw new Error(`there is no edit ${name}`);
  return found;
}

/** Ten plans that have between them every kind of order there is. */
export const ORDERED_PLANS: readonly (readonly [string, string])[] = [
  ['all: memory', 'all: memory'],
  ['talos: v1.14.1', 'patch all: environment'],
  ['cluster: Kubernetes v1.35.0', 'all: cores'],
  ['add work-3', 'remove work-2'],
  ['add cp-4 and cp-5', 'remove cp-3'],
  ['work-1: host pve3', 'volume scratch: removed'],
  ['worker: storage', 'volume media: removed'],
  ['all: larger EPHEMERAL', 'worker: cores'],
  ['rename work-2 to anvil', 'volume cache: added'],
  ['volume scratch: removed', 'worker: cores'],
];

/** Pairs whose plans have ids of their own. */
export const PAIRS_WITH_IDS: readonly Pair[] = [
  ...ORDERED_PLANS,
  ['cluster: API server flags', 'network: resolvers'],
  ['cp-2: another ip', 'all: cores'],
].map(([a = '', b = '']) => [named(a), named(b)] as const);

/** The id of a plan is the same whichever control plane leads etcd. */
export async function idsDoNotDependOnTheLeader(bench: PairBench, pairs: readonly Pair[]): Promise<void> {
  const leaders: (string | undefined)[] = [];
  const [before, after] = await bench.idsAround(pairs, ({ room, etcd }) => {
    const id = etcd[0]?.id ?? '';
    leaders.push(room.etcd.leader(id));
    room.etcd.forfeit(id);
    room.settle();
    leaders.push(room.etcd.leader(id));
  });
  expect(leaders[0]).not.toBe(leaders[1]);
  expect(new Set(before).size).toBe(pairs.length);
  expect(after).toEqual(before);
}

/** Edits that do more to a running cluster than docs/changes.md says of their keys. */
export async function understatedEdits(bench: PairBench, edits: readonly CatalogueEdit[]): Promise<string[]> {
  const understated: string[] = [];
  for (const edit of edits) {
    const effects = [...documentedEffects(edit).values()].flat();
    if (effects.length === 0) continue;
    const plan = await bench.plan([edit, edit]).catch(() => undefined);
    const refused = plan === undefined || plan.problems.length > 0;
    const most = Math.max(...effects.map((effect) => RANKS.indexOf(effect)));
    if (!refused && rankOf(plan) > most) understated.push(`${edit.name}: ${IMPACTS[rankOf(plan)]}`);
    if (!refused && effects.every((effect) => effect === 'refused'))
      understated.push(`${edit.name}: not refused`);
  }
  return understated;
}

/** Words of docs/changes.md beside them, such as `refused`, have no rank. */
const RANKS: readonly string[] = IMPACTS;

function rankOf({ steps }: Plan): number {
  return Math.max(0, ...steps.map(({ impact }: { impact: Impact }) => IMPACTS.indexOf(impact)));
}
