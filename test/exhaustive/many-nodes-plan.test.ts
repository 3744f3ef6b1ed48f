/** The plan of a cluster with fifty workers, as its reader sees it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { herd } from '../support/herd.js';

const LARGE = { workers: 50, cores: 1, memory: '2GiB', volumes: {} };

let site: ClusterSite;
beforeAll(async () => {
  site = await ClusterSite.open(herd(LARGE));
  ended(await site.run('apply', '--yes'));
}, 600_000);
afterAll(() => site.remove());

describe('fifty equal workers with more memory and another Kubernetes', () => {
  const change = () => {
    site.config = herd({ ...LARGE, memory: '3GiB', kubernetes: 'v1.36.0' });
  };

  it('are one page, and all of it with --full', async () => {
    change();
    const text = ended(await site.run('plan'));
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(60);
    expect(text).toMatch(/^work-1 … work-50 \(50 nodes\)$/m);
    expect(text).toMatch(/^Kubernetes v1\.34\.0 → v1\.35\.\d+ → v1\.36\.0$/m);
    expect(text).toMatch(/^Downtime: .* per node, .* in total, plus draining\.$/m);
    const full = ended(await site.run('plan', '--full'));
    const { steps }: { steps: { title: string }[] } = JSON.parse(ended(await site.run('--json', 'plan')));
    for (const step of steps) expect(full).toContain(step.title);
  });

  it('are confirmed with the same text', async () => {
    change();
    const plan = ended(await site.run('plan'));
    const { stdout } = await site.run('apply');
    expect(stdout).toContain(plan.trimEnd());
  });
});
