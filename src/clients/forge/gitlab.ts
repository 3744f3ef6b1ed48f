/** GitLab: a plan id is a commit status, written and read with an access token of the project. */
import { z } from 'zod';
import { type Forge, forgeCall } from './forge.js';

interface GitlabOptions {
  /** `https://gitlab.example.com/api/v4` */
  readonly api: string;
  /** Number or path of the project. */
  readonly project: string;
  readonly token: string;
  /** The page of this job, linked from the status. */
  readonly page?: string;
}

const PER_PAGE = 100;

const requests = z.array(
  z.object({
    state: z.string(),
    sha: z.string(),
    merge_commit_sha: z.string().nullish(),
    squash_commit_sha: z.string().nullish(),
  }),
);
const statuses = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    status: z.string(),
    description: z.string().nullish(),
    author: z.object({ id: z.number() }).nullish(),
  }),
);

export function connectGitlab({ api, project, token, page }: GitlabOptions): Forge {
  const call = forgeCall(api.replace(/\/+$/, ''), { 'private-token': token });
  const at = `/projects/${encodeURIComponent(project)}`;

  return {
    async headOf(changeRequest) {
      return z.object({ sha: z.string() }).parse(await call(`${at}/merge_requests/${changeRequest}`)).sha;
    },
    async mergedFrom(commit) {
      const found = requests.parse(await call(`${at}/repository/commits/${commit}/merge_requests`));
      // Without a merge commit the branch's own newest commit is on the default branch.
      return found.find(
        (one) =>
          one.state === 'merged' && [one.merge_commit_sha, one.squash_commit_sha, one.sha].includes(commit),
      )?.sha;
    },
    async store(commit, name, description) {
      await call(`${at}/statuses/${commit}`, {
        method: 'POST',
        body: { state: 'success', name, description, ...(page && { target_url: page }) },
      });
    },
    async read(commit, name) {
      const { id } = z.object({ id: z.number() }).parse(await call('/user'));
      const query = new URLSearchParams({ name, all: 'true', per_page: String(PER_PAGE) });
      const found = statuses
        .parse(await call(`${at}/repository/commits/${commit}/statuses?${query}`))
        .filter((one) => one.name === name && one.author?.id === id);
      const newest = found.toSorted((a, b) => b.id - a.id)[0];
      return newest?.status === 'success' ? (newest.description ?? undefined) : undefined;
    },
    async comment(changeRequest, body) {
      await call(`${at}/merge_requests/${changeRequest}/notes`, { method: 'POST', body: { body } });
    },
  };
}
