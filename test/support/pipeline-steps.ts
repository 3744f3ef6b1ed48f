/** Runs the scripts of exported pipelines as their servers do: the steps of a job in order, in one folder, by bash. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ForgeServer } from './forge-server.js';

export interface JobResult {
  readonly status: number;
  readonly output: string;
}

interface Job {
  readonly folder: string;
  readonly pipeline: string;
  readonly api: string;
  readonly commit: string;
  readonly inputs?: Readonly<Record<string, string>>;
  /** What `actions/checkout`, or the runner of GitLab, does. */
  readonly checkout: () => void;
}

/** Reached by nothing here: `--lab` decides. The jobs refuse to run without it. */
const SECRETS = {
  OXHERD_PROXMOX_ENDPOINT: 'https://pve1.lan:8006',
  OXHERD_PROXMOX_FINGERPRINT: '',
  OXHERD_PROXMOX_TOKEN: 'oxherd@pve!main=00000000-0000-0000-0000-000000000000',
};

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function githubJob(name: string, job: Job): Promise<JobResult> {
  const workflow: {
    env: Record<string, string>;
    jobs: Record<string, { steps: Step[]; env?: Record<string, string> }>;
  } = parse(job.pipeline);
  const scratch = mkdtempSync(join(tmpdir(), 'oxherd-job-'));
  const variables = join(scratch, 'env');
  writeFileSync(variables, '');
  let env: Record<string, string> = {
    ...workflow.env,
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: job.api,
    GITHUB_REPOSITORY: 'owner/name',
    GITHUB_SHA: job.commit,
    GITHUB_ENV: variables,
    GITHUB_STEP_SUMMARY: join(scratch, 'summary'),
    RUNNER_TEMP: scratch,
  };
  const made = workflow.jobs[name];
  let output = '';
  let status = 0;
  for (const step of made?.steps ?? []) {
    if (step.uses !== undefined) job.checkout();
    if (step.run === undefined || status !== 0) continue;
    const given = { ...env, ...filled(made?.env, job), ...filled(step.env, job) };
    const ran = await bash(step.run, job.folder, given);
    output += ran.output;
    status = ran.status;
    for (const line of readFileSync(variables, 'utf8').split('\n').filter(Boolean)) {
      const [key = '', ...value] = line.split('=');
      env = { ...env, [key]: value.join('=') };
    }
  }
  rmSync(scratch, { recursive: true, force: true });
  return { status, output };
}

/** Values of the expressions that the workflow uses. */
function filled(env: Readonly<Record<string, string>> = {}, { inputs = {} }: Job): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([key, value]) => [
      key,
      value.replace(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => {
        if (expression === 'github.token') return ForgeServer.TOKEN;
        const [scope, name = ''] = expression.split('.');
        return scope === 'inputs'
          ? (inputs[name] ?? '')
          : (Object.entries(SECRETS).find(([of]) => of === name)?.[1] ?? '');
      }),
    ]),
  );
}

export async function gitlabJob(name: string, job: Job): Promise<JobResult> {
  const pipeline: Record<
    string,
    { variables?: Record<string, string>; before_script?: string[]; script?: string[] }
  > = parse(job.pipeline);
  job.checkout();
  const base = pipeline['.oxherd'];
  const script = [...(base?.before_script ?? []), ...(pipeline[name]?.script ?? [])].join('\n');
  return bash(script, job.folder, {
    ...base?.variables,
    ...SECRETS,
    GITLAB_CI: 'true',
    CI_API_V4_URL: job.api,
    CI_PROJECT_ID: '42',
    CI_COMMIT_SHA: job.commit,
    OXHERD_GITLAB_TOKEN: ForgeServer.TOKEN,
    ...job.inputs,
  });
}

function bash(script: string, cwd: string, env: Readonly<Record<string, string>>): Promise<JobResult> {
  const { PATH, HOME } = process.env;
  return new Promise((done) => {
    const child = execFile(
      'bash',
      ['-eo', 'pipefail', '-c', script],
      { cwd, env: { PATH, HOME, ...env }, maxBuffer: 2 ** 26 },
      (_, stdout, stderr) => done({ status: child.exitCode ?? -1, output: `${stdout}${stderr}` }),
    );
  });
}
