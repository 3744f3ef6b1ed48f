/** A running cluster of three control planes and two workers, and what pairs of edits do to copies of it. */
import { factsOf, type PlanFacts } from '../../src/plan/check/plan-facts.js';
import type { Plan } from '../../src/plan/plan.js';
import { builtOnce } from './built-folder.js';
import { CliFolder, ended } from './cli.js';
import { ClusterSite } from './cluster-site.js';
import {
  baseFile,
  catalogueWorld,
  fileWith,
  MANIFEST,
  type Pair,
  pairName,
  textOf,
} from './edit-catalogue.js';
import { RememberedReads } from './remembered-reads.js';
import { kubernetesOf } from './watcher.js';

export interface PairOutcome {
  readonly name: string;
  /** `refused` by a problem of the file or of the plan, or `applied`. */
  readonly kind: 'refused' | 'applied';
  /** What must not be; empty: all is well. */
  readonly wrong: readonly string[];
}

export class PairBench {
  /** The cluster as it was built does not change: it is asked once. */
  private readonly reads = new RememberedReads();

  private constructor(
    private readonly begin: CliFolder,
    private readonly still: ClusterSite,
  ) {}

  static async build(): Promise<PairBench> {
    const begin = (await builtHerd()).copy();
    return new PairBench(begin, await ClusterSite.open(textOf(baseFile()), begin.copy(), catalogueWorld));
  }

  /** Planned, and with that checked, on the cluster as it was built. */
  async plan(pair: Pair): Promise<Plan> {
    this.still.config = fileWith(pair);
    return (await this.still.prepare({}, this.reads)).plan;
  }

  /** The plan with what it starts from, for a look at its order. */
  async planWithFacts(pair: Pair): Promise<{ readonly plan: Plan; readonly facts: PlanFacts }> {
    this.still.config = fileWith(pair);
    const { plan, design, observed } = await this.still.prepare({}, this.reads);
    return { plan, facts: factsOf(design, observed, { rolled: true, spreadHosts: true }) };
  }

  /** Plan ids of these pairs before and after something happened that no step relies on. */
  async idsAround(
    pairs: readonly Pair[],
    happens: (site: ClusterSite) => void,
  ): Promise<[string[], string[]]> {
    const site = await ClusterSite.open(textOf(baseFile()), this.begin.copy(), catalogueWorld);
    const ids = async () => {
      const reads = new RememberedReads();
      const found: string[] = [];
      for (const pair of pairs) {
        site.config = fileWith(pair);
        found.push((await site.prepare({}, reads)).plan.planId);
      }
      return found;
    };
    try {
      const before = await ids();
      happens(site);
      return [before, await ids()];
    } finally {
      await site.remove();
    }
  }

  /** A copy of the cluster as it was built, with the file that an edit makes of its own. */
  async copyWith(pair: Pair): Promise<ClusterSite> {
    const site = await ClusterSite.open(textOf(baseFile()), this.begin.copy(), catalogueWorld);
    site.config = fileWith(pair);
    return site;
  }

  /** One apply on a copy: refused with nothing changed, or everything as the file says, with nothing lost. */
  async apply(pair: Pair): Promise<PairOutcome> {
    const name = pairName(pair);
    const site = await ClusterSite.open(textOf(baseFile()), this.begin.copy(), catalogueWorld);
    try {
      const before = stateOf(site);
      site.config = fileWith(pair);
      const { result, report } = await site.watch(['apply', '--yes'], {
        away: awayFor(site),
      });
      const printed = `${result.stdout}${result.stderr}`;
      if (result.exit !== 0 && isRefusal(printed)) {
        return {
          name,
          kind: 'refused',
          wrong: stateOf(site) === before ? [] : ['refused, but something changed'],
        };
      }
      if (result.exit !== 0) return { name, kind: 'applied', wrong: [`exit ${result.exit}`, tail(printed)] };
      return { name, kind: 'applied', wrong: [...report.violations, ...(await leftToDo(site))] };
    } catch (error) {
      return { name, kind: 'applied', wrong: [String(error)] };
    } finally {
      await site.remove();
    }
  }

  async remove(): Promise<void> {
    await this.still.remove();
    this.begin.remove();
  }
}

/** The cluster of the catalogue, applied once for all tests of a worker; whoever changes something takes a copy. */
export function builtHerd(): Promise<CliFolder> {
  return builtOnce('pairs of edits', async () => {
    const folder = CliFolder.make();
    folder.write('app.yaml', MANIFEST);
    const site = await ClusterSite.open(textOf(baseFile()), folder, catalogueWorld);
    ended(await site.run('apply', '--yes'));
    // The taint of the catalogue may be on the only worker that is left: the workload is to run there nevertheless.
    await site.plantWorkload(['gpu']);
    return site.close();
  });
}

/** A problem of the file or of the whole plan: nothing was begun. */
function isRefusal(printed: string): boolean {
  // A plan that fails its own check is a bug, not a refusal.
  if (/this plan is not safe/.test(printed)) return false;
  return /Cannot apply: \d+ problem|oxherd\.yaml has (an|\d+) errors?|✗ oxherd\.yaml|problems? in oxherd\.yaml|is not a valid/.test(
    printed,
  );
}

function awayFor(site: ClusterSite): number {
  return /maxUnavailable: 2/.test(site.config) ? 2 : 1;
}

function stateOf({ lab }: ClusterSite): string {
  const { vms } = lab.proxmox.pve.db;
  return JSON.stringify(
    [...vms.values()].map(({ vmid, host, running, config }) => [vmid, host, running, config]),
  );
}

/** After one apply nothing is left: no step, no cordon, no node that is not well. */
async function leftToDo(site: ClusterSite): Promise<string[]> {
  const plan = await site.run('plan', '--exit-code');
  const status = await site.run('status');
  const cordoned = (kubernetesOf(site.room)?.list('nodes') ?? []).filter(
    (node) => (node.spec as { unschedulable?: boolean }).unschedulable === true,
  );
  return [
    ...(plan.exit === 0 ? [] : [`plan exits ${plan.exit}`, tail(plan.stdout + plan.stderr)]),
    ...(status.exit === 0 ? [] : [`status exits ${status.exit}`, tail(status.stdout + status.stderr)]),
    ...cordoned.map((node) => `${node.metadata.name} is cordoned`),
  ];
}

function tail(text: string): string {
  return text.trim().split('\n').slice(-30).join('\n');
}
