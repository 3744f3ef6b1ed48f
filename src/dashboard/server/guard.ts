/**
 * Who may ask this server anything. It listens on loopback, so everyone who could ask is a program of this computer or a
 * page in one of its browsers: foreign names (DNS rebinding), foreign pages, and whoever has not read the terminal.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

interface Refusal {
  readonly status: 401 | 403 | 405 | 415 | 421;
  readonly code: string;
  readonly message: string;
  readonly advice?: string;
}

export interface Tokens {
  /** In the URL's fragment: exchanged for the other two. */
  readonly link: string;
  /** In a cookie that scripts cannot read. Cookies know no port, so it is not enough alone. */
  readonly cookie: string;
  /** In a header, kept by the page for its own origin alone. */
  readonly header: string;
}

interface Asked {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** `page`: the document and its files, which hold no data. `exchange`: tokens for the link's token. */
  readonly kind: 'page' | 'exchange' | 'api';
}

export const HEADER_TOKEN = 'x-oxherd-token';

export function cookieName(port: number): string {
  return `oxherd-ui-${port}`;
}

/** `undefined`: it may. */
export function refusal(
  asked: Asked,
  port: number,
  /** Absent: tokens are reviewed by a Kubernetes API, after this. */
  tokens: Tokens | undefined,
  /** Other names, behind a proxy that may speak TLS. */
  more: readonly string[] = [],
): Refusal | undefined {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`, ...more];
  const { host = '', origin } = asked.headers;
  if (!names.includes(host))
    return {
      status: 421,
      code: 'ui.host',
      message: 'this server does not answer to that name',
      advice: `open http://${names[0]}`,
    };
  // An origin that another name of loopback has is another page.
  const origins = [`http://${host}`, ...(more.includes(host) ? [`https://${host}`] : [])];
  if (origin !== undefined && !origins.includes(origin)) return foreign('the page of another site asked');
  const site = asked.headers['sec-fetch-site'];
  if (asked.kind === 'page')
    return isNavigation(asked) || sameSite(site) ? undefined : foreign(siteWords(site));
  if (!sameSite(site)) return foreign(siteWords(site));
  if (asked.method === 'POST') {
    if (origin === undefined) return foreign('a request that changes something must name its origin');
    const type = asked.headers['content-type'] ?? '';
    if (!/^application\/json(;|$)/.test(type))
      return { status: 415, code: 'ui.type', message: 'send JSON (content-type: application/json)' };
  }
  return asked.kind === 'exchange' || !tokens ? undefined : withoutToken(asked, port, tokens);
}

function withoutToken({ headers }: Asked, port: number, tokens: Tokens): Refusal | undefined {
  const given = headers[HEADER_TOKEN];
  const isKnown =
    isSame(cookieIn(headers.cookie, cookieName(port)), tokens.cookie) &&
    isSame(typeof given === 'string' ? given : undefined, tokens.header);
  if (isKnown) return undefined;
  return {
    status: 401,
    code: 'ui.token',
    message: 'this browser has not been let in',
    advice: 'open the address that `oxherd ui` printed, with everything behind the #',
  };
}

/** In the same time whatever is given. */
export function isSame(given: string | undefined, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given ?? ''), digest(wanted)) && given !== undefined;
}

/** A link from anywhere may open the page: it holds nothing before its own script has asked. */
function isNavigation({ method, headers }: Asked): boolean {
  return (
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  );
}

/** Absent: not a browser, and without a token it gets nothing. */
function sameSite(site: string | string[] | undefined): boolean {
  return site === undefined || site === 'same-origin' || site === 'none';
}

function siteWords(site: string | string[] | undefined): string {
  return `a ${String(site)} request is not answered`;
}

function foreign(message: string): Refusal {
  return { status: 403, code: 'ui.origin', message };
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key = '', ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}
