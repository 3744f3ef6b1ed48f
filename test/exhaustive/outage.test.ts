/** Few control planes: the API goes away with one of them, after a snapshot, and only where that was agreed to. */
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ended, labFile } from '../support/cli.js';
import type { ClusterSite } from '../support/cluster-site.js';
import { RunningHerd } from '../support/rolling.js';

const HOOK_MS = 300_000;
const outage = (policy: string) => ({ memory: '6GiB', more: `policy: { outage: ${policy} }` });

function snapshots(site: ClusterSite): string[] {
  const folder = labFile(site.folder.path);
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.snapshot')) : [];
}

describe.each([
  { controlPlanes: 1, workers: 0, drained: false },
  { controlPlanes: 1, workers: 1, drained: true },
  { controlPlanes: 2, workers: 1, drained: true },
])('$controlPlanes control plane(s) and $workers worker(s)', ({ controlPlanes, workers, drained }) => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({ controlPlanes, workers });
  }, HOOK_MS);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  it('are not taken away by --yes alone', async () => {
    const site = await herd.copy();
    const before = site.etcd;
    site.config = herd.with(outage('ask'));
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/outage +with \d control planes? the Kubernetes API is unavailable while/);
    expect(refused.stderr).toMatch(
      /The Kubernetes API will be unavailable while cp-1.* restart.*\. Continue\?/,
    );
    expect(refused.stderr).toContain('policy: { outage: allow }');
    site.config = herd.with(outage('refuse'));
    expect((await site.run('apply', '--yes')).stdout).toMatch(/and policy\.outage is refuse/);
    expect((await site.run('restart', 'cp-1', '--yes')).exit).toBe(1);
    expect(site.etcd).toEqual(before);
    expect(snapshots(site)).toEqual([]);
  });

  it('go one after the other where it is allowed, after a snapshot', async () => {
    const site = await herd.copy();
    const members = site.etcd.map((cluster) => cluster.members);
    site.config = herd.with(outage('allow'));
    const { result, report } = await site.watch(['apply', '--yes'], { quorum: false, handOverSeconds: 600 });
    ended(result);
    expect(report.violations).toEqual([]);
    expect([...report.went].sort()).toEqual([
      ...[141, 142].slice(0, controlPlanes),
      ...[151].slice(0, workers),
    ]);
    expect(snapshots(site)).toHaveLength(1);
    expect(site.etcd.map((cluster) => cluster.members)).toEqual(members);
    // On a single node nothing could move anywhere.
    expect(/drain|evict/i.test(result.stdout)).toBe(drained);
    expect(ended(await site.run('plan', '--exit-code'))).toContain('No changes');
  });
});
