/** The exported pipelines on the lab: the plan that was reviewed is applied, and no other. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFolder, ended } from '../support/cli.js';
import { ForgeServer } from '../support/forge-server.js';
import { githubJob, gitlabJob } from '../support/pipeline-steps.js';
import { smallFile } from '../support/small-file.js';

const MAIN = fileURLToPath(new URL('../../dist/bin/oxherd.js', import.meta.url));
const SERVERS = [
  { server: 'github', job: githubJob, plan: 'plan', apply: 'apply' },
  { server: 'gitlab', job: gitlabJob, plan: 'oxherd plan', apply: 'oxherd apply' },
] as const;

describe.each(SERVERS)('the pipeline of $server', ({ server, job, plan, apply }) => {
  let folder: CliFolder;
  let forge: ForgeServer;
  let pipeline: string;
  let tools: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd: folder.path,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();

  /** A change request whose branch changes the config; the servers keep its newest commit and a trial merge. */
  const propose = (number: number, config: string) => {
    git('checkout', '-q', '-B', `change-${number}`, 'main');
    folder.config = config;
    git('commit', '-qam', `change ${number}`);
    const head = git('rev-parse', 'HEAD');
    git('checkout', '-q', '--detach', 'main');
    git('merge', '-q', '--no-ff', '-m', 'trial', head);
    const trial = git('rev-parse', 'HEAD');
    for (const [name, commit] of [
      ['head', head],
      ['merge', trial],
    ] as const)
      git('push', '-q', '-f', 'origin', `${commit}:refs/merge-requests/${number}/${name}`);
    forge.requests.set(number, { head });
    return { head, trial };
  };
  const merge = (number: number, head: string) => {
    git('checkout', '-q', 'main');
    git('merge', '-q', '--no-ff', '-m', `merge ${number}`, head);
    const merged = git('rev-parse', 'HEAD');
    forge.requests.set(number, { head, merged });
    return merged;
  };
  const run = (name: string, commit: string, inputs: Record<string, string> = {}) =>
    job(name, {
      folder: folder.path,
      pipeline,
      api: forge.url,
      commit,
      inputs,
      checkout: () => git('checkout', '-q', '--detach', commit),
    });
  const review = (number: number, { trial }: { readonly trial: string }) =>
    run(plan, trial, { 'pull-request': String(number), MERGE_REQUEST: String(number) });

  beforeAll(async () => {
    tools = mkdtempSync(join(tmpdir(), 'oxherd-tools-'));
    writeFileSync(join(tools, 'oxherd'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' --lab "$@"\n`);
    chmodSync(join(tools, 'oxherd'), 0o755);
    folder = CliFolder.make(smallFile());
    ended(await folder.run(['export', 'ci', server, '--path', join(tools, 'oxherd')]));
    pipeline = readFileSync(
      join(folder.path, server === 'github' ? '.github/workflows/oxherd.yml' : 'oxherd.gitlab-ci.yml'),
      'utf8',
    );
    mkdirSync(join(tools, 'origin.git'));
    git('init', '-q', '-b', 'main');
    folder.write('.gitignore', '.oxherd\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    git('init', '-q', '--bare', join(tools, 'origin.git'));
    git('remote', 'add', 'origin', join(tools, 'origin.git'));
    git('push', '-q', 'origin', 'main');
    forge = new ForgeServer();
    await forge.start();
    ended(await folder.lab('apply', '--yes'));
  });
  afterAll(async () => {
    await forge.stop();
    folder.remove();
    rmSync(tools, { recursive: true, force: true });
  });

  it('applies the reviewed plan, and refuses another file and another cluster', async () => {
    const change = propose(7, smallFile({ worker: ', tags: [reviewed]' }));
    const reviewed = await review(7, change);
    expect(reviewed).toMatchObject({ status: 0 });
    expect(forge.comments).toEqual([{ request: 7, text: expect.stringContaining('work-1') }]);
    expect(forge.statuses).toEqual([
      expect.objectContaining({ commit: change.head, text: expect.stringMatching(/^plan [0-9a-f]{64}$/) }),
    ]);
    const merged = merge(7, change.head);

    // A later push with another config is not the change that was reviewed.
    const other = propose(8, smallFile({ worker: ', tags: [other]' }));
    const unreviewed = merge(8, other.head);
    expect(await run(apply, unreviewed)).toMatchObject({
      status: 1,
      output: expect.stringContaining('has no reviewed plan'),
    });
    forge.statuses.push({ ...(forge.statuses[0] ?? expect.fail()), commit: other.head });
    expect(await run(apply, unreviewed)).toMatchObject({
      status: 1,
      output: expect.stringContaining('was approved; nothing was changed'),
    });
    // A status of another account approves nothing.
    const forged = { ...(forge.statuses[0] ?? expect.fail()), commit: other.head, author: '8' };
    forge.statuses.splice(1, 1, forged);
    expect(await run(apply, unreviewed)).toMatchObject({
      status: 1,
      output: expect.stringContaining('has no reviewed plan'),
    });

    // The cluster changes after the review, and changes back.
    await folder.withLab(({ hand }) => hand.updateVm('pve2', 151, { set: { cores: 3 } }));
    expect(await run(apply, merged)).toMatchObject({
      status: 1,
      output: expect.stringContaining('was approved; nothing was changed'),
    });
    await folder.withLab(({ hand }) => hand.updateVm('pve2', 151, { set: { cores: 2 } }));

    const applied = await run(apply, merged);
    expect(applied, applied.output).toMatchObject({ status: 0 });
    git('checkout', '-q', '--detach', merged);
    expect(await folder.lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
    expect(forge.strangers).toBe(0);
  });

  it('refuses a commit of no change request, and stores no plan of an older commit', async () => {
    git('checkout', '-q', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'pushed by hand');
    expect(await run(apply, git('rev-parse', 'HEAD'))).toMatchObject({
      status: 1,
      output: expect.stringContaining('no merged change request made commit'),
    });
    const change = propose(9, smallFile({ worker: ', tags: [nine]' }));
    forge.requests.set(9, { head: 'f'.repeat(40) });
    const before = forge.statuses.length;
    expect(await review(9, change)).toMatchObject({
      status: 1,
      output: expect.stringContaining('plan again'),
    });
    expect(forge.statuses).toHaveLength(before);
  });
});
