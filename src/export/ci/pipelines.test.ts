/** What a pull request can reach, and what is pinned. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { githubWorkflow } from './github.js';
import { gitlabPipeline } from './gitlab.js';
import { isPinned, type PinnedOxherd } from './pinned-oxherd.js';

const PATH: PinnedOxherd = { kind: 'path', path: '/opt/oxherd/node_modules/.bin/oxherd' };
const TARBALL: PinnedOxherd = {
  kind: 'tarball',
  source: 'https://files.example.com/oxherd-0.2.0.tgz',
  sha256: 'ab'.repeat(32),
};
const options = (program: PinnedOxherd) => ({ program, config: 'racks/a/oxherd.yaml', branch: 'trunk' });

interface Job {
  readonly if: string;
  readonly environment?: string;
  readonly permissions: Record<string, string>;
  readonly steps: readonly { readonly uses?: string; readonly with?: Record<string, unknown> }[];
}

describe.each([
  ['a path', PATH],
  ['a tarball', TARBALL],
])('a workflow with %s', (_, program) => {
  const text = githubWorkflow(options(program));
  const workflow: { on: Record<string, unknown>; permissions: object; jobs: Record<string, Job> } =
    parse(text);
  const jobs = Object.entries(workflow.jobs);

  it('runs one job for pull requests, and that one has neither a secret nor an environment', () => {
    expect(Object.keys(workflow.on)).toEqual(['pull_request', 'push', 'workflow_dispatch']);
    const open = jobs.filter(([, job]) => job.if.includes('pull_request'));
    expect(open.map(([name]) => name)).toEqual(['validate']);
    for (const [, job] of open)
      expect(JSON.stringify(job)).not.toMatch(/secrets\.|vars\.|environment|self-hosted/);
    // Every other job names the events that it runs for, and none of them is a pull request.
    for (const [name, job] of jobs)
      if (name !== 'validate') expect(job.if).toMatch(/github\.event_name == '(push|workflow_dispatch)'/);
    expect(text).not.toContain('pull_request_target');
  });

  it('grants nothing by default, keeps no credentials and pins actions by commit', () => {
    expect(workflow.permissions).toEqual({});
    for (const [, job] of jobs) {
      expect(Object.keys(job.permissions)).toContain('contents');
      for (const step of job.steps.filter(({ uses }) => uses)) {
        expect(step.uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
        expect(step.with).toMatchObject({ 'persist-credentials': false });
      }
    }
  });

  it('puts no expression into a shell script', () => {
    const scripts = jobs.flatMap(([, { steps }]) =>
      steps.flatMap((step) => ('run' in step ? [String(step.run)] : [])),
    );
    expect(scripts.length).toBeGreaterThan(5);
    for (const script of scripts) expect(script).not.toContain('${{');
  });

  it('runs the pinned oxherd, and looks no name up', () => {
    expect(text).toContain(program.kind === 'path' ? program.path : program.sha256);
    expect(text).not.toMatch(/npx|npm (i|install|exec)\b/);
  });
});

describe('a pipeline of GitLab', () => {
  it('plans and applies only on the branch, with the reviewed id', () => {
    const jobs: Record<string, { rules?: { if: string }[]; environment?: object }> = parse(
      gitlabPipeline(options(TARBALL)),
    );
    expect(jobs['oxherd validate']).not.toHaveProperty('environment');
    for (const name of ['oxherd plan', 'oxherd apply'])
      for (const rule of jobs[name]?.rules ?? []) {
        expect(rule.if).toContain('$CI_COMMIT_BRANCH == "trunk"');
        expect(rule.if).not.toContain('merge_request_event');
      }
    expect(JSON.stringify(jobs['oxherd apply'])).toContain('--plan-id');
  });
});

describe('what a pipeline runs', () => {
  it.each<[string, PinnedOxherd]>([
    ['a name', { kind: 'path', path: 'oxherd' }],
    ['a command', { kind: 'path', path: '/usr/bin/npx --yes oxherd' }],
    ['a path with a quote', { kind: 'path', path: "/opt/a'b" }],
    ['a package name', { kind: 'tarball', source: 'oxherd', sha256: 'ab'.repeat(32) }],
    ['plain http', { kind: 'tarball', source: 'http://files.example.com/a.tgz', sha256: 'ab'.repeat(32) }],
    ['half a hash', { kind: 'tarball', source: 'https://files.example.com/a.tgz', sha256: 'abc' }],
    [
      'a URL with a script',
      { kind: 'tarball', source: "https://files.example.com/a';id;'", sha256: 'ab'.repeat(32) },
    ],
  ])('is not %s', (_, program) => {
    expect(isPinned(program)).toBe(false);
  });

  it('is a path or a tarball with its hash', () => {
    expect([PATH, TARBALL].map(isPinned)).toEqual([true, true]);
  });
});
