/** A cluster of the Terraform module is taken over, and given back. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ended } from '../support/cli.js';
import { adoptionEnds, cutAdoption, WRITES } from '../support/cut-adoption.js';
import { type ForeignCluster, foreignCluster } from '../support/foreign-cluster.js';
import { startsOf, vmConfigs } from '../support/vm-configs.js';

let built: ForeignCluster;
beforeAll(async () => {
  built = await foreignCluster('module');
  ended(await built.folder.lab('init', '--from-cluster', '--talosconfig', 'talosconfig'));
});
afterAll(() => built.folder.remove());

function described(): ForeignCluster {
  const folder = built.folder.copy();
  onTestFinished(() => folder.remove());
  return { ...built, folder };
}

describe('adopt', () => {
  it('takes the cluster over without a restart, and gives it back option by option', async () => {
    const { folder } = described();
    const [before, starts] = [await vmConfigs(folder), await startsOf(folder)];
    // Nobody is there to answer.
    const asked = await folder.lab('adopt');
    expect([asked.exit, asked.stderr]).toEqual([1, expect.stringContaining('oxherd --lab adopt --yes')]);
    expect(await vmConfigs(folder)).toEqual(before);
    expect(ended(await folder.lab('adopt', '--confirm', 'dev'))).toContain('Downtime: none');
    const after = await vmConfigs(folder);
    expect(await startsOf(folder)).toEqual(starts);
    expect(after['10010']).toMatchObject({ protection: '1', tags: 'k8s;oxherd_data;oxherd_dev' });
    for (const vm of ['1001', '1021', '10010', '10210']) {
      const drives = Object.entries(after[vm] ?? {}).filter(([key]) => /^scsi\d+$/.test(key));
      for (const [, line] of drives) expect(line).toMatch(/wwn=0x3/);
    }
    expect(ended(await folder.lab('plan', '--exit-code'))).toContain('No changes');
    expect(ended(await folder.lab('adopt', '--yes'))).toContain('No changes');
    ended(await folder.lab('adopt', '--undo', '--yes'));
    expect(await vmConfigs(folder)).toEqual(before);
    expect(await startsOf(folder)).toEqual(starts);
    // And back again.
    ended(await folder.lab('adopt', '--yes'));
    expect(await vmConfigs(folder)).toEqual(after);
  });

  it('is cut off in its middle, and ended by the next run or given back', async () => {
    const ends = await adoptionEnds(described().folder);
    onTestFinished(() => ends.adopted.remove());
    // The third of six writes; test/exhaustive has the others.
    expect(await cutAdoption(ends, 'adopt', 'after', 2, WRITES)).toEqual({ cut: true, problems: [] });
  });
});
