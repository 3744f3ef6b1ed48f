/** GitHub and GitLab as far as the review of a plan asks them: change requests, statuses of commits, comments. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ChangeRequest {
  head: string;
  /** Commit that its merge made. */
  merged?: string;
}

interface Status {
  readonly commit: string;
  readonly name: string;
  readonly text: string;
  readonly author: string;
}

export class ForgeServer {
  readonly requests = new Map<number, ChangeRequest>();
  /** The newest is last. */
  readonly statuses: Status[] = [];
  readonly comments: { readonly request: number; readonly text: string }[] = [];
  /** Requests without the token of the job. */
  strangers = 0;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  static readonly TOKEN = 'job-token';
  static readonly ACCOUNT = 'github-actions[bot]';

  async start(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization, 'private-token': token } = request.headers;
    if (authorization !== `Bearer ${ForgeServer.TOKEN}` && token !== ForgeServer.TOKEN) {
      this.strangers += 1;
      return send(response, 401, { message: 'Bad credentials' });
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = text === '' ? {} : JSON.parse(text);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://forge');
    const result = pathname.startsWith('/repos/')
      ? this.#github(request.method ?? '', pathname.replace('/repos/owner/name', ''), body)
      : this.#gitlab(request.method ?? '', pathname.replace('/projects/42', ''), searchParams, body);
    return result === undefined
      ? send(response, 404, { message: 'Not Found' })
      : send(response, request.method === 'POST' ? 201 : 200, result);
  }

  #github(method: string, path: string, body: Record<string, string>): unknown {
    const [, kind, id = '', more] = path.split('/');
    if (method === 'POST' && kind === 'statuses')
      return this.#store(id, body.context, body.description, ForgeServer.ACCOUNT);
    if (method === 'POST' && kind === 'issues') return this.#comment(Number(id), body.body);
    if (kind === 'pulls') {
      const found = this.requests.get(Number(id));
      return found && { head: { sha: found.head } };
    }
    if (kind === 'commits' && more === 'pulls')
      return [...this.requests.values()]
        .filter(({ merged, head }) => [merged, head].includes(id))
        .map(({ head, merged }) => ({
          head: { sha: head },
          merged_at: merged === undefined ? null : '2026-01-01T00:00:00Z',
          merge_commit_sha: merged ?? null,
        }));
    if (kind === 'commits' && more === 'statuses')
      return this.#of(id).map(({ name, text, author }) => ({
        context: name,
        description: text,
        state: 'success',
        creator: { login: author },
      }));
    return undefined;
  }

  #gitlab(method: string, path: string, query: URLSearchParams, body: Record<string, string>): unknown {
    const [, kind, id = '', more = '', last] = path.split('/');
    if (path === '/user') return { id: 7 };
    if (method === 'POST' && kind === 'statuses') return this.#store(id, body.name, body.description, '7');
    if (method === 'POST' && kind === 'merge_requests') return this.#comment(Number(id), body.body);
    if (kind === 'merge_requests') {
      const found = this.requests.get(Number(id));
      return found && { sha: found.head };
    }
    if (kind === 'repository' && last === 'merge_requests')
      return [...this.requests.values()]
        .filter(({ merged, head }) => [merged, head].includes(more))
        .map(({ head, merged }) => ({
          state: merged === undefined ? 'opened' : 'merged',
          sha: head,
          merge_commit_sha: merged ?? null,
          squash_commit_sha: null,
        }));
    if (kind === 'repository' && last === 'statuses')
      return this.#of(more)
        .filter(({ name }) => name === query.get('name'))
        .map(({ name, text, author }, index, all) => ({
          id: all.length - index,
          name,
          description: text,
          status: 'success',
          author: { id: Number(author) },
        }));
    return undefined;
  }

  #of(commit: string): Status[] {
    return this.statuses.filter((one) => one.commit === commit).toReversed();
  }

  #store(commit: string, name = '', text = '', author = ''): object {
    this.statuses.push({ commit, name, text, author });
    return {};
  }

  #comment(request: number, text = ''): object {
    this.comments.push({ request, text });
    return {};
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
