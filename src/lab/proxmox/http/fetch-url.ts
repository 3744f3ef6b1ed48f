/** What hosts download. Nothing leaves this computer: only loopback addresses are fetched. */
import { createHash } from 'node:crypto';
import { Agent, type Dispatcher, request } from 'undici';
import type { Faults } from '../../faults.js';
import { type FetchedFile, PveError } from '../api.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const REDIRECTS = 5;
const checking = new Agent();
/** Any certificate will do: `verify-certificates=0`. */
const trusting = new Agent({ connect: { rejectUnauthorized: false } });

/** Throws what Perl's client says when nothing answers. */
export async function fetchFromLoopback(url: string, faults: Faults, verify: boolean): Promise<FetchedFile> {
  if (!URL.canParse(url)) throw new PveError(500, 'URL must be absolute');
  const { hostname, port, protocol } = new URL(url);
  const place = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  if (faults.strikes('download-fails', hostname)) throw unreachable(place, 'Connection refused');
  if (!LOOPBACK.test(hostname)) throw unreachable(place, 'Name or service not known');
  const response = await answerOf(url, verify ? checking : trusting, place);
  const body = new Uint8Array(await response.body.arrayBuffer());
  return {
    status: response.statusCode,
    reason: response.statusText,
    size: body.length,
    contentType: String(response.headers['content-type'] ?? ''),
    sha256: createHash('sha256').update(body).digest('hex'),
    body,
  };
}

async function answerOf(url: string, dispatcher: Agent, place: string): Promise<Dispatcher.ResponseData> {
  try {
    let next = url;
    for (let left = REDIRECTS; ; left -= 1) {
      const response = await request(next, { dispatcher });
      const { location } = response.headers;
      if (
        response.statusCode < 300 ||
        response.statusCode > 399 ||
        typeof location !== 'string' ||
        left === 0
      )
        return response;
      await response.body.dump();
      next = new URL(location, next).href;
    }
  } catch (error) {
    const untrusted = error instanceof Error && /certificate/i.test(error.message);
    throw unreachable(place, untrusted ? 'certificate verify failed' : 'Connection refused');
  }
}

function unreachable(place: string, why: string): PveError {
  return new PveError(500, `Can't connect to ${place} (${why})`);
}
