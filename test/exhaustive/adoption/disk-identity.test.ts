/** A WWN that was written to the drive of a running VM: the guest sees it after a stop and start. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { clusterTag } from '../../../src/formats/marks/cluster-names.js';
import { DATA_TAG } from '../../../src/formats/marks/data-tag.js';
import { wwnOf } from '../../../src/formats/marks/identities.js';
import { ended } from '../../support/cli.js';
import { type ForeignCluster, foreignCluster } from '../../support/foreign-cluster.js';

/** What a person can write by hand: the cluster's tag, and a WWN on each drive. */
async function markByHand({ folder, config }: ForeignCluster): Promise<void> {
  const { cluster } = config;
  await folder.withLab(async ({ hand }) => {
    for (const { host, vmid } of config.nodes) {
      for (const id of [vmid * 10, vmid]) {
        const isData = id !== vmid;
        const names = isData ? ['ephemeral', 'data'] : ['os', 'ephemeral', 'data'];
        const { values } = await hand.vmConfig(host, id);
        const drives = names.map((name, i) => [
          `scsi${i}`,
          `${values[`scsi${i}`]},wwn=${wwnOf(cluster, vmid, name)}`,
        ]);
        const tags = [values.tags, clusterTag(cluster), ...(isData ? [DATA_TAG] : [])].join(';');
        await hand.updateVm(host, id, { set: { ...Object.fromEntries(drives), tags } });
      }
    }
  });
}

describe('disks whose WWN the guest does not see yet', () => {
  it('are told by status, hold up replace before anything is drained, and have it after a restart', {
    timeout: 180_000,
  }, async () => {
    const cluster = await foreignCluster('module');
    const { folder } = cluster;
    onTestFinished(() => folder.remove());
    const starts = () =>
      folder.withLab(async ({ lab }) =>
        [...lab.proxmox.pve.db.vms.values()].map((vm) => [vm.vmid, vm.running?.since]),
      );
    ended(await folder.lab('init', '--from-cluster', '--talosconfig', 'talosconfig'));
    await markByHand(cluster);
    const before = await starts();
    ended(await folder.lab('apply', '--yes'));
    expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
    expect(await starts()).toEqual(before);
    const told = async () =>
      JSON.parse(ended(await folder.lab('--json', 'status'))).conditions.filter(
        ({ name }: { name: string }) => name === 'disk-identity',
      );
    expect((await told()).map(({ subject, advice }: Record<string, string>) => [subject, advice])).toEqual([
      ['ctrl-01.example.com', 'oxherd restart ctrl-01.example.com'],
      ['work-01.example.com', 'oxherd restart work-01.example.com'],
    ]);
    const replace = await folder.lab('replace', 'work-01.example.com', '--yes');
    expect([replace.exit, replace.stdout + replace.stderr]).toEqual([
      1,
      expect.stringContaining('restart work-01.example.com'),
    ]);
    expect(await starts()).toEqual(before);
    ended(await folder.lab('restart', 'work-01.example.com', '--yes'));
    expect((await told()).map(({ subject }: Record<string, string>) => subject)).toEqual([
      'ctrl-01.example.com',
    ]);
    expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
  });
});
