/** Random legal changes of a cluster, for fast-check: what they do to the file, and what must hold after each. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { type CliResult, ended } from './cli.js';
import type { ClusterSite } from './cluster-site.js';
import { type Herd, herd } from './herd.js';
import { keptData, type Limits } from './watcher.js';

export interface HerdModel {
  workers: number;
  memory: number;
  /** GiB by name. */
  volumes: Record<string, number>;
}

export interface Bench {
  readonly site: ClusterSite;
  readonly first: Herd;
  /** A VM of somebody else. */
  readonly foreign: number;
  readonly foreignBefore: string;
}

type Step = fc.AsyncCommand<HerdModel, Bench, true>;

export function textOf(model: HerdModel, first: Herd): string {
  return herd({
    ...first,
    workers: model.workers,
    memory: `${model.memory}GiB`,
    volumes: Object.fromEntries(Object.entries(model.volumes).map(([name, size]) => [name, `${size}GiB`])),
  });
}

/** A change of the file that `apply` brings about. */
function edit(
  name: string,
  possible: (model: Readonly<HerdModel>) => boolean,
  change: (model: HerdModel) => void,
): Step {
  return {
    check: async (model) => possible(model),
    async run(model, bench) {
      change(model);
      bench.site.config = textOf(model, bench.first);
      await holds(bench, ['apply', '--yes']);
    },
    toString: () => name,
  };
}

function order(name: string, args: readonly string[], limits: Partial<Limits> = {}): Step {
  return {
    check: async () => true,
    run: (_, bench) => holds(bench, args, limits),
    toString: () => name,
  };
}

/** The command ends well, nothing that must not be was seen meanwhile, and then nothing is left to do. */
async function holds(bench: Bench, args: readonly string[], limits: Partial<Limits> = {}): Promise<void> {
  const { site } = bench;
  const before = keptData(site.lab);
  const { result, report } = await site.watch(args, limits);
  endedWell(result);
  expect(report.violations).toEqual([]);
  expect(keptData(site.lab)).toEqual(expect.arrayContaining(before));
  expect(foreignVm(site, bench.foreign)).toBe(bench.foreignBefore);
  expect(site.etcd).toHaveLength(1);
  expect(ended(await site.run('plan', '--exit-code'))).toContain('Nothing to do');
}

function endedWell(result: CliResult): void {
  ended(result);
}

export function foreignVm(site: ClusterSite, vmid: number): string {
  const { vms, volumes } = site.lab.proxmox.pve.db;
  const own = [...volumes.entries()].filter(([, volume]) => volume.owner === vmid);
  return JSON.stringify([vms.get(String(vmid)), own]);
}

/** Everything goes and comes back: quorum and API are away meanwhile, the data is not. */
const destroyAndApply: Step = {
  check: async () => true,
  async run(_, bench) {
    const before = keptData(bench.site.lab);
    endedWell(await bench.site.run('destroy', '--yes'));
    expect(keptData(bench.site.lab)).toEqual(expect.arrayContaining(before));
    await holds(bench, ['apply', '--yes'], { quorum: false, away: 99, handOverSeconds: 3_600 });
  },
  toString: () => 'destroy and apply',
};

const MAX_WORKERS = 3;

export function herdCommands(maxCommands: number) {
  return fc.commands<HerdModel, Bench, true>(
    [
      fc.constant(
        edit(
          'add a worker',
          (model) => model.workers < MAX_WORKERS,
          (model) => {
            model.workers += 1;
          },
        ),
      ),
      fc.constant(
        edit(
          'remove a worker',
          (model) => model.workers > 1,
          (model) => {
            model.workers -= 1;
          },
        ),
      ),
      fc.constantFrom(3, 4, 5, 6).map((memory) =>
        edit(
          `memory ${memory} GiB`,
          (model) => model.memory !== memory,
          (model) => {
            model.memory = memory;
          },
        ),
      ),
      fc.constantFrom('cache', 'logs').map((volume) =>
        edit(
          `add volume ${volume}`,
          (model) => !(volume in model.volumes),
          (model) => {
            model.volumes[volume] = 2;
          },
        ),
      ),
      fc.constantFrom('scratch', 'cache').map((volume) =>
        edit(
          `grow ${volume}`,
          (model) => volume in model.volumes && (model.volumes[volume] ?? 0) < 5,
          (model) => {
            model.volumes[volume] = (model.volumes[volume] ?? 0) + 1;
          },
        ),
      ),
      fc.constantFrom('scratch', 'logs').map((volume) =>
        edit(
          `remove volume ${volume}`,
          (model) => volume in model.volumes,
          (model) => {
            delete model.volumes[volume];
          },
        ),
      ),
      fc
        .constantFrom('cp-1', 'cp-2', 'cp-3', 'work-1')
        .map((node) => order(`restart ${node}`, ['restart', node, '--yes'])),
      fc
        .constantFrom('cp-1', 'cp-2', 'work-1')
        .map((node) => order(`replace ${node}`, ['replace', node, '--yes'])),
      fc.constant(destroyAndApply),
    ],
    { maxCommands },
  );
}
