/** What hosts download. Nothing leaves this computer: only loopback addresses are fetched. */
import { createHash } from 'node:crypto';
import type { Faults } from '../faults.js';
import { type FetchedFile, PveError } from './api.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export async function fetchFromLoopback(url: string, faults: Faults): Promise<FetchedFile> {
  const { hostname, host, port, protocol } = new URL(url);
  if (faults.strikes('download-fails', hostname))
    throw unreachable(host, port || (protocol === 'https:' ? '443' : '80'));
  if (!LOOPBACK.test(hostname)) {
    throw new PveError(500, `Can't connect to ${host}:${port || '443'} (Name or service not known)`);
  }
  let response: Response;
  try {
    response = await fetch(url);
  } catch {
    throw unreachable(hostname, port || (protocol === 'https:' ? '443' : '80'));
  }
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

function unreachable(host: string, port: string): PveError {
  return new PveError(500, `Can't connect to ${host}:${port} (Connection refused)`);
}
