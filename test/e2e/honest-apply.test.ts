/** What `apply` says and waits for: as many steps as it runs, only the nodes it was given, and no false "nothing to do". */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CliResult } from '../support/cli.js';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { smallFile } from '../support/small-file.js';

const NOT_HEALTHY = 3;
const MINUTE = 60_000;

let site: ClusterSite;
let built: CliResult;
beforeAll(async () => {
  site = await ClusterSite.open(smallFile());
  built = await site.run('apply', '--yes');
}, 300_000);
afterAll(() => site.remove());

/** Steps as the plan counts them, as the lines of progress do, and as the end of the run does. */
function countsIn(output: string) {
  const announced = Number(/^(\d+) steps?:/m.exec(output)?.[1]);
  const ends = [...output.matchAll(/^\[ *(\d+)\/(\d+)\] [✓✗]/gm)].map(([, place, of]) => [
    Number(place),
    Number(of),
  ]);
  const done = Number(/^Done\. (\d+) done, 0 failed, 0 not started/m.exec(output)?.[1]);
  return { announced, ends, done };
}

describe('apply', () => {
  it('announces as many steps as it runs, also where it makes the secrets first', async () => {
    const { announced, ends, done } = countsIn(ended(built));
    expect(announced).toBeGreaterThan(10);
    expect(done).toBe(announced);
    expect(ends).toEqual(Array.from({ length: announced }, (_, index) => [index + 1, announced]));
    site.config = smallFile({ worker: ', description: "one"' });
    expect(countsIn(ended(await site.run('apply', '--yes')))).toEqual({
      announced: 1,
      ends: [[1, 1]],
      done: 1,
    });
  });

  it('does not say that all is well while the cluster is not healthy', async () => {
    const [cluster] = site.etcd;
    const id = cluster?.id ?? '';
    // What an interrupted run, or a full disk, leaves: nothing differs from the file.
    site.room.etcd.setAlarms(id, [{ memberId: cluster?.members[0]?.id ?? '', alarm: 'NOSPACE' }]);
    const { exit, stdout, stderr } = await site.run('apply', '--yes');
    expect(exit, stdout + stderr).toBe(NOT_HEALTHY);
    expect(stderr).toMatch(/The cluster is not healthy:\n.*NOSPACE/s);
    expect(stderr).toContain('see `oxherd --lab status`');
    // A person disarms it while the next run waits.
    const disarmed = site.lab.clock.sleep(MINUTE / 2).then(() => site.room.etcd.setAlarms(id, []));
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    await disarmed;
  });

  describe('what could not be compared', () => {
    const INCOMPLETE = 4;
    it('is not "No changes": machines whose clock is behind refuse the certificate', async () => {
      site.lab.core.faults.set({ name: 'clock-behind', subject: '2s', countdown: null });
      expect(ended(await site.run('plan', '--exit-code'))).toContain('No changes');
      site.lab.core.faults.clear('clock-behind');
      site.lab.core.faults.set({ name: 'clock-behind', subject: '', countdown: null });
      const plan = await site.run('plan', '--exit-code', '--out', 'saved.json');
      expect(plan.exit, plan.stdout).toBe(INCOMPLETE);
      expect(plan.stdout).not.toMatch(/No changes|matches/);
      expect(plan.stdout).toContain('Could not compare 2 nodes');
      expect(plan.stdout.replace(/\s+/g, ' ')).toContain(
        'its clock is more than 5m behind the clock of this computer',
      );
      const { changes, incomplete } = JSON.parse(readFileSync(join(site.folder.path, 'saved.json'), 'utf8'));
      expect(changes).toBe(false);
      expect(incomplete.map(({ node }: { node: string }) => node)).toEqual(['cp-1', 'work-1']);
      const status = await site.run('status');
      expect(status.exit).toBe(NOT_HEALTHY);
      expect(status.stdout).toMatch(/machine-answers: .*clock/);
      // The time servers set them while apply waits.
      const set = site.lab.clock.sleep(MINUTE).then(() => site.lab.core.faults.clear('clock-behind'));
      expect(ended(await site.run('apply', '--yes'))).toContain('No changes');
      await set;
    });

    it.each([
      ['GET /api/v1/nodes', 'the Node objects'],
      ['GET /api/v1/persistentvolumes', 'the PersistentVolumes'],
    ])('is named: %s', async (request, what) => {
      site.lab.core.faults.set({ name: 'kube-error', subject: request, countdown: null });
      const plan = await site.run('plan', '--exit-code', '--json');
      const apply = await site.run('apply', '--yes');
      const status = await site.run('status');
      site.lab.core.faults.clear('kube-error');
      expect(plan.exit, plan.stdout).toBe(INCOMPLETE);
      expect(JSON.parse(plan.stdout).incomplete.map((part: { what: string }) => part.what)).toContain(what);
      expect(apply.exit, apply.stdout + apply.stderr).toBe(INCOMPLETE);
      expect(apply.stdout).not.toMatch(/No changes|Done/);
      expect(status.exit, status.stdout).toBe(INCOMPLETE);
      expect(status.stdout).not.toContain('Healthy:');
    });
  });

  it('--only waits for no other node', async () => {
    site.lab.core.faults.set({ name: 'machine-stuck', subject: '151', countdown: null });
    site.room.reset(151);
    site.config = smallFile({ cp: ', description: "two"', worker: ', description: "one"' });
    const begun = site.lab.clock.now();
    const applied = ended(await site.run('apply', '--yes', '--only', 'cp-1'));
    expect(countsIn(applied)).toMatchObject({ announced: 1, done: 1 });
    expect(applied).not.toContain('work-1');
    expect(site.lab.clock.now() - begun).toBeLessThan(MINUTE);
  });
});
