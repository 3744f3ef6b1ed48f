/** Random changes of a worker's disk volumes: each keeps its own disk and its content, whatever it is called. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { ProxmoxClient } from '../../src/clients/proxmox/client.js';
import { design } from '../../src/design/design-cluster.js';
import { type CliFolder, ended } from './cli.js';
import { ClusterSite } from './cluster-site.js';
import { smallFile } from './small-file.js';
import { configOf } from './vm-site.js';

const WORKER = { name: 'work-1', vmid: 151, host: 'pve2' };
/** GiB; as many as EPHEMERAL has is one of them, and several volumes have the same. */
const SIZES = [2, 6];
const LARGEST = 8;

interface Volume {
  /** The name its disk was made under. */
  readonly was: string;
  readonly size: number;
}

export interface VolumeModel {
  /** In the file, by name. */
  volumes: Record<string, Volume>;
  /** Sizes of what was taken out of the file and is kept, by the name it was made under. */
  parked: Record<string, number>;
}

export interface VolumeBench {
  readonly site: ClusterSite;
  /** What guests wrote, by the name the disk was made under. */
  readonly marks: Map<string, string>;
}

type Step = fc.AsyncCommand<VolumeModel, VolumeBench, true>;

export function volumeFile({ volumes }: VolumeModel): string {
  return smallFile({
    volumes: Object.entries(volumes).map(
      ([name, { was, size }]) =>
        `${name}: { type: disk, size: ${size}GiB, on: worker${was === name ? '' : `, was: ${was}`} }`,
    ),
    more: 'policy: { outage: allow }\n',
  });
}

/** Where every volume of the file is now, and what it holds; a parked one too. */
function marksNow({ volumes, parked }: VolumeModel, { site }: VolumeBench): Map<string, string> {
  // The parked ones under their first names: that is how they would be taken in again.
  const all = { ...volumes };
  for (const [was, size] of Object.entries(parked)) all[was] = { was, size };
  const node = design(configOf(volumeFile({ volumes: all, parked: {} }))).nodes.find(
    ({ name }) => name === WORKER.name,
  );
  const { vms, volumes: disks } = site.lab.proxmox.pve.db;
  const dataVm = vms.get(`${WORKER.vmid}0`);
  const machine = site.room.machine(WORKER.vmid);
  const found = new Map<string, string>();
  for (const drive of node?.drives ?? []) {
    if (drive.kind !== 'volume') continue;
    const text = Object.values(dataVm?.config ?? {}).find((value) => value.includes(`wwn=${drive.wwn}`));
    const disk = [...disks.entries()].find(([key]) => text && key.endsWith(text.split(',')[0] ?? '-'));
    expect(disk, `the disk of ${drive.name}`).toBeDefined();
    if (drive.name in volumes) {
      const state = machine?.record.volumes.find(({ id }) => id === `u-${drive.name}`);
      const under = machine?.hardware.drives.find(({ slot }) => slot === state?.slot);
      expect({ phase: state?.phase, wwn: under?.wwn }, drive.name).toEqual({
        phase: 'ready',
        wwn: drive.wwn,
      });
    }
    found.set(all[drive.name]?.was ?? '', JSON.stringify(disk?.[1].data.data));
  }
  return found;
}

async function holds(model: VolumeModel, bench: VolumeBench, args: readonly string[]): Promise<void> {
  const { site, marks } = bench;
  ended(await site.run(...args));
  const now = marksNow(model, bench);
  expect(new Set(now.values()).size, 'each volume has a disk of its own').toBe(now.size);
  for (const [was, mark] of marks) expect(now.get(was), `what is on the disk of ${was}`).toBe(mark);
  for (const [was, mark] of now) marks.set(was, mark);
  expect(ended(await site.run('plan', '--exit-code'))).toContain('No changes');
}

function edit(
  name: string,
  possible: (model: VolumeModel) => boolean,
  change: (model: VolumeModel) => void,
): Step {
  return {
    check: async (model) => possible(model),
    async run(model, bench) {
      change(model);
      bench.site.config = volumeFile(model);
      await holds(model, bench, ['apply', '--yes']);
    },
    toString: () => name,
  };
}

const isFree = ({ volumes }: VolumeModel, name: string) =>
  !(name in volumes) && !Object.values(volumes).some(({ was }) => was === name);

const add = ([name, size]: [string, number]): Step =>
  edit(
    `add ${name} of ${size} GiB`,
    (model) => isFree(model, name),
    (model) => {
      // A parked disk comes back as large as it was.
      model.volumes[name] = { was: name, size: model.parked[name] ?? size };
      delete model.parked[name];
    },
  );

const remove = (name: string): Step =>
  edit(
    `remove ${name}`,
    ({ volumes }) => name in volumes,
    ({ volumes, parked }) => {
      const { was, size } = volumes[name] ?? { was: name, size: 0 };
      parked[was] = size;
      delete volumes[name];
    },
  );

const grow = (name: string): Step =>
  edit(
    `grow ${name}`,
    ({ volumes }) => (volumes[name]?.size ?? LARGEST) < LARGEST,
    ({ volumes }) => {
      const { was, size } = volumes[name] ?? { was: name, size: 0 };
      volumes[name] = { was, size: size + 1 };
    },
  );

const rename = ([from, to]: [string, string]): Step =>
  edit(
    `rename ${from} to ${to}`,
    (model) => from in model.volumes && isFree(model, to) && !(to in model.parked),
    ({ volumes }) => {
      volumes[to] = volumes[from] ?? { was: from, size: 0 };
      delete volumes[from];
    },
  );

const replace: Step = {
  check: async () => true,
  run: (model, bench) => holds(model, bench, ['replace', WORKER.name, '--yes']),
  toString: () => 'replace the system disk',
};

function lose(what: string, how: (hand: ProxmoxClient) => Promise<unknown>): Step {
  return {
    check: async () => true,
    async run(model, bench) {
      await bench.site.byHand(async (hand) => {
        await hand.runTask(() => hand.stopVm(WORKER.host, WORKER.vmid));
        await how(hand);
      });
      await holds(model, bench, ['apply', '--yes']);
    },
    toString: () => `lose ${what}`,
  };
}

const loseVm = lose('the VM', (hand) => hand.runTask(() => hand.destroyVm(WORKER.host, WORKER.vmid)));

const loseSystemDisk = lose('the system disk', async (hand) => {
  for (const key of ['scsi0', 'unused0']) await hand.updateVm(WORKER.host, WORKER.vmid, { delete: [key] });
});

const NAMES = ['ant', 'bee', 'cat', 'dog'];
const anyName = fc.constantFrom(...NAMES);

const STEPS = [
  fc.tuple(anyName, fc.constantFrom(...SIZES)).map(add),
  fc.tuple(anyName, fc.constantFrom(...SIZES)).map(add),
  anyName.map(remove),
  anyName.map(grow),
  fc.tuple(anyName, anyName).map(rename),
  fc.constant(replace),
  fc.constantFrom(loseVm, loseSystemDisk),
];

/** One control plane and one worker with three volumes: two of one size, one of EPHEMERAL's. */
export async function beginVolumes(): Promise<{ folder: CliFolder; model: VolumeModel }> {
  const model: VolumeModel = {
    volumes: {
      ant: { was: 'ant', size: 2 },
      bee: { was: 'bee', size: 6 },
      cat: { was: 'cat', size: 2 },
    },
    parked: {},
  };
  const site = await ClusterSite.open(volumeFile(model));
  ended(await site.run('apply', '--yes'));
  return { folder: await site.close(), model };
}

/** How many steps were taken. */
export async function checkVolumeModel(
  begin: { folder: CliFolder; model: VolumeModel },
  { seed, runs, commands }: { seed: number; runs: number; commands: number },
): Promise<number> {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.commands<VolumeModel, VolumeBench, true>(STEPS, { maxCommands: commands, size: 'max' }),
      async (steps) => {
        const model = structuredClone(begin.model);
        const site = await ClusterSite.open(volumeFile(model), begin.folder.copy());
        const bench: VolumeBench = { site, marks: new Map() };
        for (const [was, mark] of marksNow(model, bench)) bench.marks.set(was, mark);
        try {
          await fc.asyncModelRun(() => ({ model, real: bench }), steps);
          taken += String(steps).split(',').filter(Boolean).length;
        } finally {
          await site.remove();
        }
      },
    ),
    // Unbiased: long sequences as often as short ones.
    { seed, numRuns: runs, unbiased: true, endOnFailure: runs === 1 },
  );
  return taken;
}
