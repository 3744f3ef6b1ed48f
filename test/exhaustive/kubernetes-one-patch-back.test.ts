/** An older patch of Kubernetes in oxherd.yaml is reached, and a whole minor back is refused. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { expectNothingToDo, RunningHerd } from '../support/rolling.js';

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({
    talos: 'v1.14.1',
    kubernetes: 'v1.36.1',
    controlPlanes: 1,
    workers: 1,
    volumes: {},
  });
});
afterAll(async () => {
  await herd.removeCopies();
  herd.remove();
});

it('goes back by a patch, kubelets first, and has nothing left to do', async () => {
  const site = await herd.copy();
  site.config = herd.with({ kubernetes: 'v1.36.0' });
  const told = ended(await site.run('apply', '--yes'));
  expect(told.indexOf('kubelet of cp-1 to Kubernetes v1.36.0')).toBeLessThan(
    told.indexOf('API server of cp-1 to Kubernetes v1.36.0'),
  );
  await expectNothingToDo(site);
  ended(await site.run('status'));
});

it('refuses to leave the minor of a whole cluster', async () => {
  const site = await herd.copy();
  site.config = herd.with({ kubernetes: 'v1.35.2' });
  const { exit, stdout } = await site.run('plan');
  expect(exit).toBe(1);
  expect(stdout).toContain('downgrading to v1.35.2 is not supported');
});
