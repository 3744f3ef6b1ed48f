/** GitHub: a plan id is a commit status, written and read with the token of the workflow's job. */
import { z } from 'zod';
import { type Forge, forgeCall } from './forge.js';

interface GithubOptions {
  /** `https://api.github.com`, or `https://HOST/api/v3` */
  readonly api: string;
  /** `owner/name` */
  readonly repository: string;
  readonly token: string;
  /** The page of this job, linked from the status. */
  readonly page?: string;
}

/** The account of every job's token. A person with a token of their own could write a status of the same name. */
const JOB_ACCOUNT = 'github-actions[bot]';
const PER_PAGE = 100;

const pulls = z.array(
  z.object({
    merged_at: z.string().nullish(),
    merge_commit_sha: z.string().nullish(),
    head: z.object({ sha: z.string() }),
  }),
);
const statuses = z.array(
  z.object({
    context: z.string(),
    state: z.string(),
    description: z.string().nullish(),
    creator: z.object({ login: z.string() }).nullish(),
  }),
);

export function connectGithub({ api, repository, token, page }: GithubOptions): Forge {
  const call = forgeCall(`${api.replace(/\/+$/, '')}/repos/${repository}`, {
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  });

  return {
    async headOf(changeRequest) {
      const pull = z
        .object({ head: z.object({ sha: z.string() }) })
        .parse(await call(`/pulls/${changeRequest}`));
      return pull.head.sha;
    },
    async mergedFrom(commit) {
      const found = pulls.parse(await call(`/commits/${commit}/pulls`));
      return found.find((pull) => pull.merged_at && pull.merge_commit_sha === commit)?.head.sha;
    },
    async store(commit, name, text) {
      await call(`/statuses/${commit}`, {
        method: 'POST',
        body: { state: 'success', context: name, description: text, ...(page && { target_url: page }) },
      });
    },
    async read(commit, name) {
      // The newest is first.
      for (let at = 1; ; at += 1) {
        const found = statuses.parse(
          await call(`/commits/${commit}/statuses?per_page=${PER_PAGE}&page=${at}`),
        );
        const newest = found.find(
          ({ context, creator }) => context === name && creator?.login === JOB_ACCOUNT,
        );
        if (newest) return newest.state === 'success' ? (newest.description ?? undefined) : undefined;
        if (found.length < PER_PAGE) return undefined;
      }
    },
    async comment(changeRequest, body) {
      await call(`/issues/${changeRequest}/comments`, { method: 'POST', body: { body } });
    },
  };
}
