/** Changes of one running cluster, each from the same beginning and under the watcher. */
import { expect } from 'vitest';
import type { LabWorld } from '../../src/lab/world.js';
import { builtOnce } from './built-folder.js';
import { CliFolder, ended } from './cli.js';
import { ClusterSite } from './cluster-site.js';
import { type Herd, herd } from './herd.js';
import type { Limits, Report } from './watcher.js';

function asItIs(world: LabWorld): LabWorld {
  return world;
}

export class RunningHerd {
  readonly #open: ClusterSite[] = [];

  private constructor(
    private readonly begin: CliFolder,
    readonly first: Herd,
    private readonly adapt: (world: LabWorld) => LabWorld,
  ) {}

  /** Built once, with a workload and its budget in it. */
  static async build(first: Herd = {}, adapt: (world: LabWorld) => LabWorld = asItIs): Promise<RunningHerd> {
    const text = herd(first);
    const build = async () => {
      const site = await ClusterSite.open(text, undefined, adapt);
      ended(await site.run('apply', '--yes'));
      if ((first.workers ?? 3) > 1) await site.plantWorkload();
      return site.close();
    };
    // What has no name may be another function each time.
    const begin = adapt.name === '' ? await build() : await builtOnce(`${adapt.name} ${text}`, build);
    return new RunningHerd(begin.copy(), first, adapt);
  }

  /** Nothing is there yet but the hosts: the change is the first run. */
  static unbuilt(first: Herd): RunningHerd {
    return new RunningHerd(CliFolder.make(), first, asItIs);
  }

  /** A copy of the cluster, as it was when it had just been built. */
  async copy(): Promise<ClusterSite> {
    const site = await ClusterSite.open(herd(this.first), this.begin.copy(), this.adapt);
    this.#open.push(site);
    return site;
  }

  with(change: Herd): string {
    return herd({ ...this.first, ...change });
  }

  /** One edit, one apply, nothing that must not be; then nothing is left to do. */
  async rolls(
    change: Herd | string,
    limits: Partial<Limits> = {},
  ): Promise<{ readonly site: ClusterSite; readonly report: Report }> {
    const site = await this.copy();
    const report = await changes(site, typeof change === 'string' ? change : this.with(change), limits);
    return { site, report };
  }

  /** After each test: the copies it used. */
  async removeCopies(): Promise<void> {
    for (const site of this.#open.splice(0)) await site.remove();
  }

  remove(): void {
    this.begin.remove();
  }
}

export async function changes(
  site: ClusterSite,
  text: string,
  limits: Partial<Limits> = {},
): Promise<Report> {
  site.config = text;
  const { result, report } = await site.watch(['apply', '--yes'], limits);
  ended(result);
  expect(report.violations).toEqual([]);
  await expectNothingToDo(site);
  return report;
}

export async function expectNothingToDo(site: ClusterSite): Promise<void> {
  expect(ended(await site.run('plan', '--exit-code'))).toContain('No changes');
}

export const CONTROL_PLANES = [141, 142, 143];
export const WORKERS = [151, 152, 153];

/** All control planes before all workers, each once. */
export function expectEachOnce({ went }: Report): void {
  expect([...went.slice(0, 3)].sort()).toEqual(CONTROL_PLANES);
  expect(went.slice(3)).toEqual(WORKERS);
}
