/** A text file by URL, such as a release's manifest. */
import { Agent, request } from 'undici';
import { OxherdError } from '../model/error.js';
import { readLimited, TooLarge } from './read-limited.js';

/** Where a name is really found; in the lab plain HTTP on loopback. */
type DialHost = (host: string, port: number) => { host: string; port: number } | undefined;

const TIMEOUT_MS = 30_000;
const ATTEMPTS = 3;
/** GitHub redirects a release's file to its storage, once or twice. */
const REDIRECTS = 5;
const MAX_BYTES = 32 * 1024 * 1024;

export async function downloadText(url: string, dial?: DialHost): Promise<string> {
  const agent = new Agent({
    connectTimeout: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  let last: unknown;
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      try {
        return await follow(url, agent, dial);
      } catch (error) {
        if (error instanceof OxherdError) throw error;
        last = error;
      }
    }
  } finally {
    await agent.close();
  }
  throw failed('download.unreachable', url, 'cannot be reached', last);
}

async function follow(url: string, agent: Agent, dial: DialHost | undefined): Promise<string> {
  let at = url;
  for (let hop = 0; hop <= REDIRECTS; hop += 1) {
    const answer = await request(placeOf(at, dial), { dispatcher: agent });
    const { location } = answer.headers;
    if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string') {
      await answer.body.dump();
      const next = new URL(location, at);
      if (at.startsWith('https:') && next.protocol !== 'https:')
        throw failed('download.refused', url, `redirects to ${next.protocol}//, without TLS`);
      at = next.href;
      continue;
    }
    const text = await read(answer.body, url);
    if (answer.statusCode < 300) return text;
    if (answer.statusCode < 500) throw failed('download.refused', url, `answers ${answer.statusCode}`);
    throw new Error(`${url} answers ${answer.statusCode}`);
  }
  throw failed('download.refused', url, 'redirects for ever');
}

async function read(body: AsyncIterable<Uint8Array>, url: string): Promise<string> {
  try {
    return await readLimited(body, MAX_BYTES);
  } catch (error) {
    if (error instanceof TooLarge) throw failed('download.refused', url, error.message);
    throw error;
  }
}

/** Behind a dial table it is plain HTTP; what that does not know is not asked for on the internet. */
function placeOf(url: string, dial: DialHost | undefined): string {
  if (!dial) return url;
  const { hostname, port, protocol, pathname, search } = new URL(url);
  const place = dial(hostname, Number(port || (protocol === 'http:' ? 80 : 443)));
  if (!place) throw failed('download.refused', url, 'is not in the lab, which has no internet');
  return `http://${place.host}:${place.port}${pathname}${search}`;
}

function failed(code: string, url: string, why: string, cause?: unknown): OxherdError {
  return new OxherdError(code, `${url} ${why}`, {
    where: url,
    advice: 'check the address and the network of this machine; a mirror or a file can be named instead',
    ...(cause !== undefined && { cause }),
  });
}
