/** The recorded exchanges of a real API server, replayed against the lab's. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startRecordingsKubernetes } from '../../src/lab/kubernetes/index.js';
import {
  recordedKubernetes as folder,
  replayKubernetes as replay,
} from '../support/lab/kubernetes/replay.js';
import { testCore } from '../support/lab/kubernetes/testing.js';

const scenarios = readdirSync(`${folder}scenarios`)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ file, ...JSON.parse(readFileSync(`${folder}scenarios/${file}`, 'utf8')) }))
  // Those that need controllers wait for them: test/exhaustive/kubernetes-controllers has them.
  .filter((scenario) => scenario.needs === 'api');

describe('recorded exchanges', () => {
  it('are all there', () => {
    expect(scenarios.map((scenario) => scenario.scenario)).toEqual(
      expect.arrayContaining([
        'apply',
        'custom-resources',
        'discovery',
        'eviction-delete',
        'health-auth',
        'watch',
      ]),
    );
  });

  it.concurrent.each(scenarios.map((scenario) => [scenario.scenario, scenario] as const))(
    '%s',
    async (_name, { file, exchanges }) => {
      const lab = await startRecordingsKubernetes(testCore());
      try {
        const { endpoint, token, viewerToken } = lab.ready;
        const identity = ['--token', token, '--viewer-token', viewerToken, '--insecure'];
        const { exit, output } = await replay([
          '--base',
          endpoint,
          ...identity,
          `${folder}scenarios/${file}`,
        ]);
        expect(output).toContain(`exchanges: ${exchanges.length} same, 0 different`);
        expect(exit).toBe(0);
      } finally {
        await lab.close();
      }
    },
    60_000,
  );
});
