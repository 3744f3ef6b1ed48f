/** What hosts download. Nothing leaves this computer: only loopback addresses are fetched. */
import { createHash } from 'node:crypto';
import { Agent, fetch, type Response } from 'undici';
import type { Faults } from '../../faults.js';
import { type FetchedFile, PveError } from '../api.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Any certificate will do: `verify-certificates=0`. */
const trusting = new Agent({ connect: { rejectUnauthorized: false } });

/** Throws what Perl's client says when nobody answers. */
export async function fetchFromLoopback(url: string, faults: Faults, verify: boolean): Promise<FetchedFile> {
  if (!URL.canParse(url)) throw new PveError(500, 'URL must be absolute');
  const { hostname, port, protocol } = new URL(url);
  const place = `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
  if (faults.strikes('download-fails', hostname)) throw unreachable(place, 'Connection refused');
  if (!LOOPBACK.test(hostname)) throw unreachable(place, 'Name or service not known');
  const response = await answerOf(url, verify, place);
  const body = new Uint8Array(await response.arrayBuffer());
  return {
    status: response.status,
    reason: response.statusText,
    size: body.length,
    contentType: response.headers.get('content-type') ?? '',
    sha256: createHash('sha256').update(body).digest('hex'),
    body,
  };
}

async function answerOf(url: string, verify: boolean, place: string): Promise<Response> {
  try {
    return await fetch(url, verify ? {} : { dispatcher: trusting });
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const untrusted = cause instanceof Error && /certificate/i.test(cause.message);
    throw unreachable(place, untrusted ? 'certificate verify failed' : 'Connection refused');
  }
}

function unreachable(place: string, why: string): PveError {
  return new PveError(500, `Can't connect to ${place} (${why})`);
}
