/** A twin of a state in a file plans what the cluster plans, and a run is replayed from what was kept of its beginning. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended } from '../../support/cli.js';
import type { ClusterSite } from '../../support/cluster-site.js';
import type { Herd } from '../../support/herd.js';
import { realState } from '../../support/rehearsals.js';
import { RunningHerd } from '../../support/rolling.js';

const PLANTED = 'planted-s3cr3t-value';
const patched = (sysctl: string) =>
  `  patches: { all: [{ machine: { env: { PASSWORD: ${PLANTED} }, sysctls: { vm.swappiness: "${sysctl}" } } }] }`;

// With objects of oxherd's own in the cluster, whose texts are not in the file.
const more = 'kubernetes: { csi: true, cilium: true, loadBalancer: { pool: 10.20.30.200-10.20.30.220 } }';

let herd: RunningHerd;
let site: ClusterSite;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2, schematic: patched('10'), more });
  site = await herd.copy();
}, 300_000);
afterAll(async () => {
  await herd.removeCopies();
  herd.remove();
});

const EDITS: Record<string, Herd> = {
  'a config with a secret in it, changed elsewhere': { schematic: patched('20') },
  Talos: { talos: 'v1.14.1' },
  Kubernetes: { kubernetes: 'v1.35.0' },
  memory: { memory: '5GiB' },
  'a volume': { volumes: { scratch: '2GiB' } },
  'a node less': { workers: 1 },
};

describe('a saved state', () => {
  it.each(Object.entries(EDITS))('has the plan id of the cluster: %s', async (_, change) => {
    site.config = herd.with(change);
    ended(await site.run('observe', '--out', 'state.json'));
    expect(readFileSync(join(site.folder.path, 'state.json'), 'utf8')).not.toContain(PLANTED);
    const { planId } = JSON.parse((await site.run('plan', '--json')).stdout);
    const { rehearsal } = JSON.parse((await site.run('rehearse', '--from', 'state.json', '--json')).stdout);
    expect(rehearsal).toMatchObject({ planId, valid: true, outcome: 'done', broken: [] });
  });
});

describe('runs replay', () => {
  it('runs the plan again on a twin of what was there, though the cluster is another one now', async () => {
    const own = await herd.copy();
    own.config = herd.with({ memory: '5GiB' });
    ended(await own.run('apply', '--yes'));
    const before = realState(own);
    const { run, rehearsal } = JSON.parse(ended(await own.run('runs', 'replay', '--json')));
    expect(rehearsal).toMatchObject({ valid: true, outcome: 'done', broken: [], left: [] });
    const nodes = (list: readonly { readonly node: string }[]) => list.map(({ node }) => node);
    expect(nodes(rehearsal.away)).toEqual(nodes(run.away));
    expect(rehearsal.steps).toHaveLength(run.steps);
    expect(ended(await own.run('runs', 'replay', run.runId))).toMatch(/work-1 .* in the replay/);
    expect(realState(own)).toBe(before);
    // Neither the file that is kept nor what is printed names a secret.
    const folder = join(own.folder.path, '.oxherd/lab/herd/runs');
    const kept = readdirSync(folder).filter((name) => name.endsWith('.replay.gz'));
    expect(kept.length).toBeGreaterThan(0);
    for (const name of kept)
      expect(gunzipSync(readFileSync(join(folder, name))).toString()).not.toContain(PLANTED);
    // Another file makes another plan.
    own.config = herd.with({ memory: '6GiB' });
    const other = await own.run('runs', 'replay', run.runId);
    expect([other.exit, other.stdout]).toEqual([1, expect.stringContaining('not valid')]);
    expect((await own.run('runs', 'replay', 'ffffffff')).stderr).toContain('there is no run ffffffff');
  });
});
