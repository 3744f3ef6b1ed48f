/** The two steps of a pipeline, on the lab: a plan with its id and comment, and the apply of that plan and no other. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliFolder } from '../support/cli.js';
import { smallFile } from '../support/small-file.js';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
let folder: CliFolder;
beforeAll(() => {
  folder = CliFolder.make(smallFile());
  folder.write(
    'oxherd-on-lab',
    `#!/bin/sh\nexec '${process.execPath}' '${at('dist/bin/oxherd.js')}' --lab "$@"\n`,
  );
  chmodSync(join(folder.path, 'oxherd-on-lab'), 0o755);
});
afterAll(() => folder.remove());

function step(name: string, env: Record<string, string> = {}) {
  const outputs = join(folder.path, 'outputs');
  writeFileSync(outputs, '');
  const result = spawnSync('bash', [at('ci/oxherd-ci.sh'), name], {
    cwd: folder.path,
    encoding: 'utf8',
    env: {
      ...process.env,
      OXHERD: './oxherd-on-lab',
      GITHUB_OUTPUT: outputs,
      ...env,
    },
  });
  const lines = readFileSync(outputs, 'utf8').trim().split('\n');
  return { ...result, outputs: Object.fromEntries(lines.map((line) => line.split('='))) };
}

it('plans, refuses another plan, applies the approved one, and has nothing left to do', () => {
  const planned = step('plan');
  expect(planned).toMatchObject({ status: 0, outputs: { changes: 'true', comment: 'oxherd-plan.json.md' } });
  expect(planned.stdout).toContain('<details><summary>');
  expect(planned.stdout).not.toContain('PRIVATE KEY');

  expect(step('apply', { PLAN_ID: 'f'.repeat(64) })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not the one that was approved'),
  });
  const plan = join(folder.path, 'oxherd.yaml');
  const before = readFileSync(plan, 'utf8');
  appendFileSync(plan, 'policy: { maxUnavailable: 2 }\nbackup: { storage: local, schedule: daily }\n');
  const changed = step('apply', { PLAN_ID: planned.outputs['plan-id'] ?? '' });
  expect(changed.status).toBe(1);
  writeFileSync(plan, before);

  expect(step('apply', { PLAN_ID: planned.outputs['plan-id'] ?? '' })).toMatchObject({ status: 0 });
  expect(step('plan')).toMatchObject({ status: 0, outputs: { changes: 'false', incomplete: 'false' } });
});

it('ends with 4 if a machine could not be compared, with plan and comment written', () => {
  writeFileSync(
    join(folder.path, 'oxherd-behind'),
    `#!/bin/sh\nexec ./oxherd-on-lab --fault clock-behind "$@"\n`,
    { mode: 0o755 },
  );
  const planned = step('plan', { OXHERD: './oxherd-behind' });
  expect(planned).toMatchObject({ status: 4, outputs: { changes: 'false', incomplete: 'true' } });
  expect(planned.stdout).toContain('Could not compare');
  expect(planned.outputs['plan-id']).toMatch(/^[0-9a-f]{64}$/);
});
