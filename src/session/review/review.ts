/**
 * The plan that was reviewed is the plan that runs: its id is stored on the reviewed commit, and read again after the merge.
 */

import type { Forge } from '../../clients/forge/forge.js';
import { connectGithub } from '../../clients/forge/github.js';
import { connectGitlab } from '../../clients/forge/gitlab.js';
import { OxherdError } from '../../model/error.js';
import { parsePlan } from '../../plan/saved-plan.js';

type Env = Readonly<Record<string, string | undefined>>;

interface StoredReview {
  readonly commit: string;
  readonly planId: string;
}

interface StoreOptions {
  /** Path of the config in the repository: each config of a repository has its own status. */
  readonly config: string;
  readonly changeRequest: number;
  readonly commit: string;
  /** The saved plan. */
  readonly plan: { readonly file: string; readonly text: string };
  /** Markdown for the people who review it. */
  readonly comment?: string;
}

/**
 * Stores the id of a plan on the commit that it was made for. A commit that is no longer the newest one of the change
 * request is refused: its plan is not the one that people see there.
 */
export async function storeReview(env: Env, options: StoreOptions): Promise<StoredReview> {
  const { planId } = parsePlan(options.plan.text, options.plan.file);
  const { commit, changeRequest, config } = options;
  const forge = forgeOf(env);
  const head = await forge.headOf(changeRequest);
  if (head !== commit)
    throw new OxherdError(
      'review.moved',
      `change request ${changeRequest} is at ${head.slice(0, 12)} now, and the plan was made for ${commit.slice(0, 12)}`,
      { advice: 'plan again' },
    );
  // People read the plan before its id counts.
  if (options.comment !== undefined) await forge.comment(changeRequest, options.comment);
  await forge.store(commit, statusName(config), textOf(planId));
  return { commit, planId };
}

/** The id that was reviewed for the change whose merge made this commit. */
export async function readReview(
  env: Env,
  { config, commit }: { readonly config: string; readonly commit: string },
): Promise<StoredReview> {
  const forge = forgeOf(env);
  const head = await forge.mergedFrom(commit);
  if (head === undefined) throw notReviewed(`no merged change request made commit ${commit.slice(0, 12)}`);
  const text = await forge.read(head, statusName(config));
  if (text === undefined) throw notReviewed(`commit ${head.slice(0, 12)} has no reviewed plan for ${config}`);
  const planId = /^plan ([0-9a-f]{64})$/.exec(text)?.[1];
  if (planId === undefined)
    throw notReviewed(`the status "${statusName(config)}" of ${head.slice(0, 12)} holds no plan id`);
  return { commit: head, planId };
}

const statusName = (config: string): string => `oxherd plan (${config})`;
const textOf = (planId: string): string => `plan ${planId}`;

function notReviewed(message: string): OxherdError {
  return new OxherdError('review.missing', message, {
    advice:
      'nothing was changed; plan the change before it is merged, or review `oxherd plan` now and start apply with its id',
  });
}

/** The server whose job this is, by the variables that it sets. */
function forgeOf(env: Env): Forge {
  if (env.GITHUB_ACTIONS === 'true')
    return connectGithub({
      api: required(env, 'GITHUB_API_URL'),
      repository: required(env, 'GITHUB_REPOSITORY'),
      token: required(env, 'GITHUB_TOKEN'),
      ...(env.GITHUB_SERVER_URL &&
        env.GITHUB_RUN_ID && {
          page: `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`,
        }),
    });
  if (env.GITLAB_CI === 'true')
    return connectGitlab({
      api: required(env, 'CI_API_V4_URL'),
      project: required(env, 'CI_PROJECT_ID'),
      token: required(env, 'OXHERD_GITLAB_TOKEN'),
      ...(env.CI_JOB_URL && { page: env.CI_JOB_URL }),
    });
  throw new OxherdError('review.no-pipeline', 'this is not a job of GitHub Actions or GitLab CI', {
    advice:
      'run it in a pipeline of `oxherd export ci`, or use `oxherd plan --out FILE` and `oxherd apply FILE`',
  });
}

function required(env: Env, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new OxherdError('review.variable', `the variable ${name} is not set`, {
    advice: 'the header of the exported pipeline lists the variables of its jobs',
  });
}
