/** Rehearsals through the command line: the cluster is only read, secrets stay where they are, the report is true. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireConfig } from '../../src/cli/require-config.js';
import { NODES } from '../../src/clients/kubernetes/resources.js';
import { withSite } from '../../src/session/connect/site.js';
import { testContext } from '../support/cli/context.js';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { smallFile } from '../support/small-file.js';

const PLANTED = 'planted-s3cr3t-value';
const patched = (worker: string) =>
  smallFile({ worker: `${worker}, patches: [{ machine: { env: { PASSWORD: ${PLANTED} } } }]` });

let site: ClusterSite;
beforeAll(async () => {
  site = await ClusterSite.open(patched(''));
  ended(await site.run('apply', '--yes'));
}, 300_000);
afterAll(() => site.remove());

/** Everything that the lab's Proxmox and machines hold. */
function stateOf({ lab, room, etcd }: ClusterSite): string {
  const { vms, volumes, pools, tasks } = lab.proxmox.pve.db;
  const tables = [vms, volumes, pools, tasks, room.db.configs].map((table) => [...table.entries()]);
  return JSON.stringify([tables, etcd.map(({ members }) => members)]);
}

describe('rehearse', () => {
  it('runs the plan of the cluster on a twin with and without faults, and leaves the cluster as it is', async () => {
    site.config = patched(', memory: 5GiB');
    const { planId } = JSON.parse(ended(await site.run('plan', '--json')));
    const before = stateOf(site);
    const args = ['--json', '--html', 'report.html', '--chaos', '--budget', '1s'];
    const { rehearsal, chaos } = JSON.parse(ended(await site.run('rehearse', ...args)));
    expect(rehearsal).toMatchObject({
      planId,
      valid: true,
      outcome: 'done',
      broken: [],
      left: [],
      away: [{ node: 'work-1', times: 1, still: false }],
    });
    expect(rehearsal.steps.map(({ id }: { id: string }) => id)).toContain('restart-vm:151');
    expect(stateOf(site)).toBe(before);
    expect(chaos.cases).toBeGreaterThan(20);
    expect(['continued', 'stopped safely', 'needs a person']).toContain(chaos.tried[0].verdict);
    const page = readFileSync(join(site.folder.path, 'report.html'), 'utf8');
    expect(page).toContain('<svg role="img" aria-label="Downtime of each node over time"');
    expect(page).not.toMatch(/<script|https?:/);
    // Every picture has its table.
    for (const part of page.split('<section>').filter((one) => one.includes('<svg')))
      expect(part).toContain('<table');
  });

  it('goes on from a saved state that holds no secret', async () => {
    ended(await site.run('observe', '--out', 'state.json'));
    const saved = readFileSync(join(site.folder.path, 'state.json'), 'utf8');
    expect(saved).not.toContain(PLANTED);
    const secrets = readFileSync(join(site.folder.path, '.oxherd/lab/small/secrets.yaml'), 'utf8');
    const values = [...secrets.matchAll(/: (\S{20,})$/gm)].map(([, value = '']) => value);
    expect(values.length).toBeGreaterThan(8);
    for (const value of values) expect(saved).not.toContain(value);
    const text = ended(await site.run('rehearse', '--from', 'state.json'));
    expect(text).toMatch(/^Rehearsal of plan [0-9a-f]{12} on a twin of small: done/m);
    expect(text).toMatch(/^work-1 +[·█]+ +\d/m);
    expect(text).toContain('No invariant broken in 1 case.');
  });

  it('names what cannot be rehearsed, and a file that is no saved state', async () => {
    expect((await site.run('rehearse', 'restart')).stderr).toContain('name the nodes to restart');
    site.folder.write('other.json', '{"format":7}');
    expect((await site.run('rehearse', '--from', 'other.json')).stderr).toContain('observe --out FILE');
    expect((await site.run('rehearse', '--chaos', '--budget', 'soon')).stderr).toContain('such as 5m');
  });
});

describe('what was predicted', () => {
  it('comes from earlier runs, is kept by the run that follows, and stands beside what came', async () => {
    site.config = patched(', memory: 5GiB');
    const { rehearsal } = JSON.parse(ended(await site.run('rehearse', '--json')));
    expect(rehearsal.calibrated).toMatchObject({ runs: 1, away: [{ node: 'work-1' }] });
    const { predicted, away } = await applied();
    expect(predicted.away).toEqual([{ node: 'work-1', ms: rehearsal.calibrated.away[0].p50 }]);
    expect(away).toMatchObject([{ node: 'work-1' }]);
    expect(ended(await site.run('runs', 'show'))).toMatch(
      /work-1 was unavailable for \S+, predicted \S+\npredicted by its rehearsal: /,
    );
  });

  async function applied() {
    ended(await site.run('apply', '--yes'));
    return JSON.parse(ended(await site.run('runs', 'show', '--json')));
  }
});

describe('a session that only reads', () => {
  it('refuses a write to Proxmox, to a machine and to Kubernetes before it is sent', async () => {
    const { context } = testContext(site.folder.path, { lab: true });
    const before = stateOf(site);
    const reading = { ...context, target: site.target, readOnly: true };
    await withSite(reading, requireConfig(context), async ({ client, machines }) => {
      const open = { open: async () => {}, isOpen: () => true };
      const { talos, cluster } = machines;
      const writes = [
        () => client.updateVm('pve2', 151, { set: { description: 'other' } }),
        () => client.behind(open).updateVm('pve2', 151, { set: { description: 'other' } }),
        () => talos.admin('10.20.30.51')?.reboot(),
        () => talos.behind(open).admin('10.20.30.51')?.reboot(),
        () => cluster.client?.delete(NODES, 'work-1'),
        () => cluster.client?.behind(open).delete(NODES, 'work-1'),
      ];
      for (const write of writes) await expect(write()).rejects.toThrow('this session only reads');
      expect(await client.version()).toBeDefined();
    });
    expect(stateOf(site)).toBe(before);
  });
});
