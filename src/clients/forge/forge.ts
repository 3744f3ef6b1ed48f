/** A server that reviews changes of a repository: GitHub or GitLab, as far as the review of a plan needs it. */
import { Agent, request } from 'undici';
import { OxherdError } from '../../model/error.js';
import { readLimited } from '../read-limited.js';

/** What went wrong with the server that reviews changes. */
class ForgeError extends OxherdError {
  override readonly name: string = 'ForgeError';
}

export interface Forge {
  /** Newest commit of the branch that a change request wants to merge. */
  headOf(changeRequest: number): Promise<string>;
  /** Newest commit of the branch whose merge made this commit; `undefined` if no merge made it. */
  mergedFrom(commit: string): Promise<string | undefined>;
  /** Puts a named status onto a commit. */
  store(commit: string, name: string, text: string): Promise<void>;
  /** Text of the newest status of that name, if the same account as `store`'s wrote it. */
  read(commit: string, name: string): Promise<string | undefined>;
  comment(changeRequest: number, text: string): Promise<void>;
}

interface Call {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const ATTEMPTS = 3;
const TIMEOUT_MS = 30_000;

/** Asks the server; reading is repeated, writing is not. */
export function forgeCall(base: string, headers: Readonly<Record<string, string>>) {
  return async (path: string, { method = 'GET', body }: Call = {}): Promise<unknown> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(`${base}${path}`, { method, body, headers });
      } catch (error) {
        const final = error instanceof ForgeError && error.code === 'review.refused';
        if (final || method === 'POST' || attempt === ATTEMPTS) throw error;
      }
    }
  };
}

async function once(
  url: string,
  { method, body, headers }: Call & { readonly headers: Readonly<Record<string, string>> },
): Promise<unknown> {
  let answer: { statusCode: number; text: string };
  const dispatcher = new Agent({
    connectTimeout: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  try {
    const { statusCode, body: stream } = await request(url, {
      method: method ?? 'GET',
      headers: { ...headers, 'user-agent': 'oxherd', ...(body !== undefined && JSON_BODY) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      dispatcher,
    });
    answer = { statusCode, text: await readLimited(stream, MAX_ANSWER_BYTES) };
  } catch (cause) {
    throw new ForgeError('review.unreachable', `${url} cannot be reached`, {
      cause,
      advice: 'run the job again once the server answers; nothing was changed in the cluster',
    });
  } finally {
    await dispatcher.close();
  }
  const { statusCode, text } = answer;
  if (statusCode >= 500)
    throw new ForgeError('review.unreachable', `${url} answered ${statusCode}`, {
      advice: 'run the job again once the server answers; nothing was changed in the cluster',
    });
  if (statusCode >= 400)
    throw new ForgeError('review.refused', `${url} answered ${statusCode}: ${messageIn(text)}`, {
      advice:
        statusCode === 401 || statusCode === 403
          ? 'check the permissions of the job and its token; the header of the exported pipeline lists them'
          : 'check the commit and the number of the change request',
    });
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch (cause) {
    throw new ForgeError('review.answer', `${url} did not answer with JSON`, {
      cause,
      advice: 'check the address of the API; a proxy may have answered instead',
    });
  }
}

const JSON_BODY = { 'content-type': 'application/json' };
const MOST_WORDS = 200;

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text);
    if (typeof message === 'string') return message.slice(0, MOST_WORDS);
  } catch {
    // Not JSON: the status has to do.
  }
  return 'no message';
}
