/** What changes between the plan and its steps. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import { diskDrives } from '../../src/formats/proxmox/vm-config.js';
import { GIB } from '../../src/model/size.js';
import { smallCluster } from '../support/configs.js';
import { configOf, type Run, VmSite } from '../support/vm-site.js';

const DATA = '  data: { type: disk, size: 2GiB, on: worker }';
const one = (volumes: string, nodeOptions = '') =>
  smallCluster({ controlPlanes: 1, workers: 1, hosts: ['pve1'], volumes, nodeOptions });

let site: VmSite;
let client: ProxmoxConnection;

beforeEach(async () => {
  site = await VmSite.start(configOf(one(DATA)));
  client = site.connect();
  const { result } = await site.apply(client);
  expect(result.outcome).toBe('done');
});
afterEach(async () => {
  await client.close();
  await site.stop();
});

const failures = ({ events }: Run) =>
  events.flatMap((event) => (event.type === 'step-failed' ? [[event.step, event.error] as const] : []));

async function takeSlot(vmid: number, slot: string, name: string): Promise<void> {
  await client.allocVolume('pve1', 'local-zfs', { vmid: 9999, filename: `vm-9999-${name}`, size: GIB });
  await client.updateVm('pve1', vmid, { set: { [slot]: `local-zfs:vm-9999-${name}` } });
}

describe('a slot that the CSI driver takes between plan and apply', () => {
  it('stops that step, nothing is overwritten, and the next run takes another one', async () => {
    site.use(one(`${DATA}\n  more: { type: disk, size: 1GiB, on: worker }`));
    const plan = await site.plan(client);
    await takeSlot(151, 'scsi30', 'pvc-1');
    const run = await site.apply(client, { plan });
    expect(failures(run)).toEqual([
      [
        'attach-drive:151/more',
        expect.objectContaining({
          code: 'apply.slot-lost',
          message: expect.stringMatching(/^scsi30 of VM 151 is used by local-zfs:vm-9999-pvc-1/),
          advice: expect.stringContaining('run apply again'),
        }),
      ],
    ]);
    expect((await site.apply(client, { runId: 'next' })).result.outcome).toBe('done');
    const at = diskDrives(site.lab.proxmox.pve.db.vms.get('151')?.config ?? {});
    expect(at.find((drive) => drive.slot === 'scsi30')?.file).toBe('local-zfs:vm-9999-pvc-1');
    expect(at.find((drive) => drive.slot === 'scsi29')?.file).toBe('local-zfs:vm-1510-disk-2');
    expect(site.problems()).toEqual([]);
  });

  it('on the data VM makes no second disk', async () => {
    site.use(one(`${DATA}\n  more: { type: disk, size: 1GiB, on: worker }`));
    const plan = await site.plan(client);
    await takeSlot(1510, 'scsi2', 'odd');
    const run = await site.apply(client, { plan });
    expect(failures(run)).toMatchObject([['add-drive:1510/more', { code: 'apply.slot-lost' }]]);
    expect((await site.apply(client, { runId: 'next' })).result.outcome).toBe('done');
    expect(site.problems()).toEqual([]);
  });
});

describe('a value that someone changes between plan and apply', () => {
  it('stops that step; what was written by hand is seen by the next plan', async () => {
    site.use(one(DATA, ', description: "from the file"'));
    const plan = await site.plan(client);
    await client.updateVm('pve1', 151, { set: { description: 'by hand' } });
    const run = await site.apply(client, { plan });
    expect(failures(run)).toMatchObject([['set-options:151', { code: 'apply.changed' }]]);
    expect((await site.plan(client)).steps.map((step) => step.id)).toEqual(['set-options:151']);
  });
});

describe('two runs at once', () => {
  it('the second is kept out while the first lives', async () => {
    site.use(one(`${DATA}\n  more: { type: disk, size: 1GiB, on: worker }`));
    const results = await Promise.allSettled([
      site.apply(client, { runId: 'a', alive: true }),
      site.apply(client, { runId: 'b', alive: true }),
    ]);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toMatchObject({ code: 'lock.held' });
    expect(site.problems()).toEqual([]);
  });
});
