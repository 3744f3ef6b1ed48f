/** Partitions whose place the config leaves open: on EPHEMERAL where the node is new, else where they are. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFolder, ended } from '../support/cli.js';
import { smallCluster } from '../support/configs.js';

const file = (...volumes: string[]) =>
  smallCluster({ controlPlanes: 1, workers: 1, hosts: ['pve1'], volumes: volumes.join('\n') });
const OPEN = '  part: { type: partition, size: 1GiB, on: worker }';
const OWN = '  own: { type: partition, size: 1GiB, on: worker, place: disk }';

describe('partitions', () => {
  let folder: CliFolder;
  const rows = async () =>
    (await folder.lab('volumes', 'list')).stdout
      .split('\n')
      .filter((line) => line.startsWith('work-1/'))
      .map((line) => line.split(/\s+/).slice(0, 2).join(' '));

  beforeAll(async () => {
    folder = CliFolder.make(file(OPEN, OWN));
    ended(await folder.lab('apply', '--yes'));
  });
  afterAll(() => folder.remove());

  it('are on the EPHEMERAL disk of a new node, or on a disk of their own where the config says so', async () => {
    expect(await rows()).toEqual(expect.arrayContaining(['work-1/part partition', 'work-1/own partition']));
    await folder.withLab(async ({ lab }) => {
      const lines = Object.keys(lab.proxmox.pve.db.vms.get('1510')?.config ?? {});
      expect(lines.filter((key) => /^scsi\d+$/.test(key))).toHaveLength(2);
    });
    expect((await folder.lab('plan', '--exit-code')).exit).toBe(0);
    expect((await folder.lab('status')).exit).toBe(0);
  });

  it('stay on the disk that they have when the config stops saying so', async () => {
    folder.config = file(OPEN, OWN.replace(', place: disk', ''));
    expect(await folder.lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
  });

  it('that are new on a node that runs are refused, with the way out', async () => {
    const late = '  late: { type: partition, size: 1GiB, on: worker }';
    folder.config = file(OPEN, OWN, late);
    const plan = await folder.lab('plan');
    expect(plan.exit).toBe(1);
    expect(plan.stdout).toContain('write place: disk for volumes.late');
    folder.config = file(OPEN, OWN, late.replace(' }', ', place: disk }'));
    ended(await folder.lab('apply', '--yes'));
    expect(await rows()).toEqual(expect.arrayContaining(['work-1/part partition', 'work-1/late partition']));
  });
});
