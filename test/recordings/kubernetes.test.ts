/** The recorded exchanges of a real API server, replayed against the lab's. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startRecordingsKubernetes } from '../../src/lab/kubernetes/index.js';
import { testCore } from '../support/lab/kubernetes/testing.js';

const folder = fileURLToPath(new URL('./fixtures/kubernetes/', import.meta.url));
const scenarios = readdirSync(`${folder}scenarios`)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ file, ...JSON.parse(readFileSync(`${folder}scenarios/${file}`, 'utf8')) }))
  // Those that need controllers poll for minutes; `replay.mjs --needs controllers` runs them by hand.
  .filter((scenario) => scenario.needs === 'api');

function replay(args: readonly string[]): Promise<{ exit: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [`${folder}replay.mjs`, ...args]);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', (exit) => resolve({ exit, output }));
  });
}

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
