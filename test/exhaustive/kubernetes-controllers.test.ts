/** Exchanges recorded with a real kube-controller-manager and kube-scheduler, replayed against the lab's controllers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SimulatedKubernetes } from '../../src/lab/kubernetes/index.js';
import { recordedKubernetes, replayKubernetes } from '../support/lab/kubernetes/replay.js';
import { startWithKwok } from '../support/lab/kubernetes/with-kwok.js';

describe('exchanges with controllers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-controllers-'));
  const kubeconfig = join(folder, 'kubeconfig');
  let lab: SimulatedKubernetes;
  beforeAll(async () => {
    lab = await startWithKwok(kubeconfig);
  });
  afterAll(async () => {
    await lab?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['controllers-drain', 17, []],
    // The hash in the name of a template is the lab's own.
    ['controllers-deployment', 17, ['replica set table']],
  ])(
    '%s',
    async (scenario, same, different) => {
      const file = `${recordedKubernetes}scenarios/${scenario}.json`;
      const { output } = await replayKubernetes(['--kubeconfig', kubeconfig, '--insecure', file]);
      const found = [...output.matchAll(/different: (.*?) {2}\[/g)].map(([, name]) => name);
      expect([found, output]).toEqual([different, expect.stringContaining(`exchanges: ${same} same`)]);
    },
    300_000,
  );
});
