/** Partitions whose place the config leaves open: on EPHEMERAL where the node is new, else where they are. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RESOURCES } from '../../src/clients/talos/resources.js';
import { CliFolder, ended } from '../support/cli.js';
import { withCluster } from '../support/cluster.js';
import { smallCluster } from '../support/configs.js';
import { edited } from '../support/lab/talos/bench-cluster.js';

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

  it.each([
    ['own', OWN, 'type: disk', 'partition → disk'],
    ['part', OPEN, 'type: directory', 'partition → directory'],
  ])('keep their type: %s', async (name, line, type, words) => {
    const changed = `  ${name}: { ${type}, ${type === 'type: disk' ? 'size: 1GiB, ' : ''}on: worker }`;
    folder.config = file(OPEN, OWN).replace(line, changed);
    const plan = await folder.lab('plan');
    expect(plan.exit).toBe(1);
    expect(plan.stdout).toContain(words);
    expect(plan.stdout).toContain('add a volume with another name');
  });

  it('whose type was changed past oxherd come back with the config of oxherd.yaml', async () => {
    folder.config = file(OPEN, OWN);
    ended(await folder.lab('apply', '--yes'));
    await withCluster(folder, '10.20.30.40', async ({ lab, talos }) => {
      const machine = talos.admin('10.20.30.51') ?? expect.fail('no secrets');
      const text = String((await machine.get(RESOURCES.machineConfig, 'v1alpha1'))?.spec);
      const broken = edited(text, 'UserVolumeConfig', (body) => {
        if (String(body.name) !== 'own') return;
        const { diskSelector } = body.provisioning ?? {};
        Object.assign(body, { volumeType: 'disk', provisioning: { diskSelector } });
      });
      await machine.applyConfiguration(broken, { mode: 'staged' });
      await machine.reboot();
      await lab.clock.sleep(120_000);
    });
    const status = await folder.lab('status');
    expect(status.exit).toBe(3);
    // Talos's own reason.
    expect(status.stdout).toContain('filesystem type mismatch: gpt != xfs');
    ended(await folder.lab('apply', '--yes'));
    expect((await folder.lab('status')).exit).toBe(0);
  });
});
