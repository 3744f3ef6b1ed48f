/** The two steps of a pipeline, on the lab: a plan with its id and comment, and the apply of that plan and no other. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CliFolder } from '../support/cli.js';
import { smallFile } from '../support/small-file.js';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
let folder: CliFolder;
beforeAll(() => {
  folder = CliFolder.make(smallFile());
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
      OXHERD: `${process.execPath} ${at('dist/bin/oxherd.js')} --lab`,
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
  expect(step('plan')).toMatchObject({ status: 0, outputs: { changes: 'false' } });
});

it('is called by the templates', () => {
  const action: { runs: { steps: { run: string }[] } } = parse(
    readFileSync(at('ci/github/action.yml'), 'utf8'),
  );
  expect(action.runs.steps[0]?.run).toContain('/../oxherd-ci.sh');
  expect(existsSync(at('ci/github/../oxherd-ci.sh'))).toBe(true);
  const gitlab: Record<string, { script?: string[] }> = parse(
    readFileSync(at('ci/gitlab/oxherd.yml'), 'utf8'),
  );
  expect(gitlab['oxherd apply']?.script).toEqual(['bash ci/oxherd-ci.sh apply']);
});
