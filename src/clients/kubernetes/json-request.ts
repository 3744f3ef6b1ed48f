/** One request and its JSON answer; every refusal is an error that says what was being done. */
import { readLimited } from '../read-limited.js';
import { parsed } from './body.js';
import type { Request, Sender } from './connection.js';
import { errorFromAnswer, isKubernetesError } from './errors.js';
import type { Resource } from './resources.js';

export type JsonRequest = (request: Request, what: string) => Promise<unknown>;

export function jsonRequests(connection: Sender): JsonRequest {
  return async (request, what) => {
    const answer = await connection.send(request);
    const text = await readLimited(answer.body);
    const body = parsed(text);
    if (answer.status >= 300) throw errorFromAnswer(answer.status, body ?? text, answer.where, what);
    return body;
  };
}

export function label(resource: Resource<unknown>, name: string): string {
  return `${resource.kind} ${name}`;
}

/** The answer; `undefined`: there is no such object. */
export async function ifThere(work: Promise<unknown>): Promise<{ readonly body: unknown } | undefined> {
  try {
    return { body: await work };
  } catch (error) {
    if (isKubernetesError(error, 'kubernetes.not-found')) return undefined;
    throw error;
  }
}
