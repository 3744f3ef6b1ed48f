/** Situations that a rehearsal must foretell: what a cluster is like, what is asked of it, and how both are run. */

import type { ClusterSite } from './cluster-site.js';
import { CATALOGUE, type CatalogueEdit } from './edit-catalogue.js';
import { PairBench } from './pair-bench.js';
import { type RehearsedCommand, rehearsedAndApplied } from './rehearsals.js';
import { chosen } from './shard.js';

export interface Situation {
  readonly name: string;
  /** Edits of the catalogue that are made to its file. */
  readonly edits?: readonly string[];
  /** What happens to the cluster before. */
  readonly before?: (site: ClusterSite) => Promise<void> | void;
  readonly command?: RehearsedCommand;
}

/** One edit or two of the catalogue, applied. */
export function edited(...edits: readonly string[]): Situation {
  return { name: edits.join(' + '), edits };
}

function edit(name: string): CatalogueEdit {
  const found = CATALOGUE.find((one) => one.name === name);
  if (!found) throw new Error(`the catalogue has no edit ${name}`);
  return found;
}

const AS_IT_IS: CatalogueEdit = { name: 'as it is', change: () => {} };

export class SituationBench {
  private constructor(private readonly bench: PairBench) {}

  static async build(): Promise<SituationBench> {
    return new SituationBench(await PairBench.build());
  }

  /** What was not as foretold. */
  async wrongIn({ edits = [], before, command }: Situation): Promise<readonly string[]> {
    const [one = AS_IT_IS, two = one] = edits.map(edit);
    const site = await this.bench.copyWith([one, two]);
    try {
      await before?.(site);
      const { kind, wrong } = await rehearsedAndApplied(site, command);
      return kind === 'applied' ? wrong : [`nothing was compared: ${kind}`];
    } finally {
      await site.remove();
    }
  }

  /** Edits of the catalogue, each alone: what came of them, and what was not as foretold. */
  async sweep(sizes: Parameters<typeof chosen>[1]): Promise<{ applied: number; wrong: string[] }> {
    let applied = 0;
    const wrong: string[] = [];
    for (const one of chosen(CATALOGUE, sizes)) {
      const site = await this.bench.copyWith([one, one]);
      try {
        const outcome = await rehearsedAndApplied(site);
        if (outcome.kind === 'applied') applied += 1;
        wrong.push(...outcome.wrong.map((line) => `${one.name}: ${line}`));
      } finally {
        await site.remove();
      }
    }
    return { applied, wrong };
  }

  remove(): Promise<void> {
    return this.bench.remove();
  }
}
