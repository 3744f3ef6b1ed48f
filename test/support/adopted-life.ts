/** The life of an adopted cluster: described, taken over without a restart, upgraded, its selectors changed. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type CliFolder, ended } from './cli.js';
import { recordsOf } from './cluster-records.js';
import { vmConfigs } from './vm-configs.js';

export const INIT = ['init', '--from-cluster', '--talosconfig', 'talosconfig'];

async function withoutIdentity(folder: CliFolder): Promise<unknown[]> {
  const { conditions } = JSON.parse(ended(await folder.lab('--json', 'status')));
  return conditions.filter(({ name }: { name: string }) => name === 'disk-identity');
}

/** As the refusal of a virtio drive says; the machine is off meanwhile. */
async function moveToScsi(folder: CliFolder, advice: string): Promise<void> {
  await folder.withLab(async ({ hand, lab }) => {
    for (const [, vmid = '', line = ''] of advice.matchAll(/qm set (\d+) --scsi0 (\S+)/g)) {
      const host = (await hand.vms()).find((vm) => vm.vmid === Number(vmid))?.node ?? '';
      await hand.runTask(() => hand.shutdownVm(host, Number(vmid), { timeoutSeconds: 60, forceStop: true }));
      await hand.updateVm(host, Number(vmid), { delete: ['virtio0'] });
      await hand.updateVm(host, Number(vmid), {
        set: { scsi0: line, scsihw: 'virtio-scsi-single', boot: 'order=scsi0' },
      });
      await hand.runTask(() => hand.startVm(host, Number(vmid)));
    }
    await lab.clock.sleep(180_000);
  });
}

/** Told in words what to do about it, with nothing written. */
export async function virtioIsRefused(folder: CliFolder): Promise<void> {
  const [before, records] = [await vmConfigs(folder), await recordsOf(folder)];
  const refused = await folder.lab('adopt', '--yes');
  expect([refused.exit, refused.stdout]).toEqual([1, expect.stringContaining('virtio0')]);
  expect(await vmConfigs(folder)).toEqual(before);
  expect(await recordsOf(folder)).toEqual(records);
  await moveToScsi(folder, refused.stdout);
  ended(await folder.lab(...INIT, '--force'));
}

/** Every drive of the cluster's VMs but the cloud-init ones. */
async function drivesWithoutWwn(folder: CliFolder): Promise<string[]> {
  return Object.entries(await vmConfigs(folder)).flatMap(([vmid, values]) =>
    Object.entries(values)
      .filter(([key, line]) => /^(?:scsi|virtio|sata)\d+$/.test(key) && !/,wwn=0x/.test(line))
      .map(([key]) => `${vmid} ${key}`),
  );
}

/** From what was described to the first upgrade. */
export async function lives(folder: CliFolder, upgradeTo: string): Promise<void> {
  const [before, records] = [await vmConfigs(folder), await recordsOf(folder)];
  ended(await folder.lab('adopt', '--out', 'plan.json'));
  expect(await vmConfigs(folder)).toEqual(before);
  const events = ended(await folder.lab('--json', 'adopt', 'plan.json', '--yes'));
  expect(events).toContain('adopt-vm:1001');
  expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(/disks get their identity[\s\S]*No changes/);
  // No VM and no service restarted, no config sent, no volume touched.
  expect(await recordsOf(folder)).toEqual(records);
  expect(await withoutIdentity(folder)).toHaveLength(2);
  const early = await folder.lab('volumes', 'select-by-wwn', '--yes');
  expect([early.exit, early.stderr]).toEqual([1, expect.stringContaining('oxherd --lab restart')]);
  expect(await drivesWithoutWwn(folder)).toEqual([]);
  appendFileSync(join(folder.path, 'oxherd.yaml'), 'policy: { outage: allow }\n');
  ended(await folder.lab('upgrade', '--talos', upgradeTo, '--write', '--yes'));
  expect(await withoutIdentity(folder)).toEqual([]);
  expect(await drivesWithoutWwn(folder)).toEqual([]);
  expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(/select-by-wwn[\s\S]*No changes/);
  await selectsByWwn(folder);
}

/** The last step: selectors of the origin go, and nothing restarts. */
async function selectsByWwn(folder: CliFolder): Promise<void> {
  const { starts, machines } = await recordsOf(folder);
  ended(await folder.lab('volumes', 'select-by-wwn', '--yes'));
  ended(await folder.lab('apply', '--yes'));
  const plan = ended(await folder.lab('plan', '--exit-code'));
  expect(plan).toContain('No changes');
  expect(plan).not.toContain('select-by-wwn');
  const after = await recordsOf(folder);
  expect([after.starts, after.machines]).toEqual([starts, machines]);
  for (const text of Object.values(after.configs)) {
    expect(text).not.toMatch(/disk: \/dev|!system_disk|disk\.size ==/);
    expect(text).toMatch(/wwid/);
  }
}
