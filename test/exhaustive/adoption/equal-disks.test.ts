/** Two data disks of one size: a person says which is which, and Talos proves the answer before anything is written. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type CliFolder, ended } from '../../support/cli.js';
import { recordsOf } from '../../support/cluster-records.js';
import { type ForeignCluster, foreignCluster } from '../../support/foreign-cluster.js';
import { vmConfigs } from '../../support/vm-configs.js';

const NODES = ['ctrl-01.example.com', 'work-01.example.com'];

let built: ForeignCluster;
let slots: Readonly<Record<'data' | 'logs', string>>;
beforeAll(async () => {
  built = await foreignCluster('module', { twins: true });
  ended(await built.folder.lab('init', '--from-cluster', '--talosconfig', 'talosconfig'));
  slots = await slotsOf(built.folder);
}, 120_000);
afterAll(() => built.folder.remove());

/** Where the lab's machines have them; the same on both. */
async function slotsOf(folder: CliFolder): Promise<typeof slots> {
  const { machines } = await recordsOf(folder);
  const found = Object.values(machines).map(({ mounted }) =>
    Object.fromEntries(
      mounted
        .filter(({ id }) => id === 'u-data' || id === 'u-logs')
        .map(({ id, slot }) => [id.slice(2), slot ?? '']),
    ),
  );
  expect(found[0]).toEqual(found[1]);
  return { data: found[0]?.data ?? '', logs: found[0]?.logs ?? '' };
}

function described(): CliFolder {
  const folder = built.folder.copy();
  onTestFinished(() => folder.remove());
  return folder;
}

const answers = (said: Readonly<Record<'data' | 'logs', string>>) =>
  NODES.flatMap((node) => ['--disk', `${node}/data=${said.data}`, `${node}/logs=${said.logs}`]);

it('is refused where nothing can be asked, with the flag to give', async () => {
  const folder = described();
  const [before, records] = [await vmConfigs(folder), await recordsOf(folder)];
  const { exit, stdout } = await folder.lab('adopt', '--yes');
  expect(exit).toBe(1);
  for (const node of NODES) {
    for (const volume of ['data', 'logs'])
      expect(stdout).toMatch(new RegExp(`oxherd --lab adopt --disk ${node}/${volume}=scsi[23]`));
  }
  expect(stdout).toMatch(/Talos has u-data on it/);
  expect(await vmConfigs(folder)).toEqual(before);
  expect(await recordsOf(folder)).toEqual(records);
});

it('is rehearsed with the answers that adopt is given', async () => {
  const folder = described();
  const refused = await folder.lab('rehearse', 'adopt');
  expect([refused.exit, refused.stdout]).toEqual([1, expect.stringContaining('/data=scsi')]);
  const args = ['rehearse', 'adopt', ...answers(slots)];
  expect(ended(await folder.lab(...args))).toContain('No invariant broken in 1 case.');
});

it('refuses the wrong answer before anything is written', async () => {
  const folder = described();
  const before = await vmConfigs(folder);
  const { exit, stdout } = await folder.lab(
    'adopt',
    '--yes',
    ...answers({ data: slots.logs, logs: slots.data }),
  );
  expect([exit, stdout]).toEqual([1, expect.stringContaining(`Talos has u-data on ${slots.data}`)]);
  expect(await vmConfigs(folder)).toEqual(before);
});

it('takes the right answer', async () => {
  const folder = described();
  ended(await folder.lab('adopt', '--yes', ...answers(slots)));
  expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
});

it('asks on a terminal', async () => {
  const folder = described();
  // The first of the two drives holds the volume that is asked for first, or the second does.
  const first = slots.data < slots.logs ? '\r' : '\x1b[B\r';
  const typed = Object.fromEntries(
    NODES.flatMap((node) => [
      [`Which drive holds ${node}/data?`, first],
      [`Which drive holds ${node}/logs?`, '\r'],
    ]),
  );
  const { exit, stdout } = await folder.run(['--lab', 'adopt', '--yes'], { typed });
  expect([exit, stdout]).toEqual([0, expect.stringContaining(`Which drive holds ${NODES[0]}/data?`)]);
  expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
});
