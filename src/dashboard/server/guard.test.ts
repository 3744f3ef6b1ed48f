/** Names, origins and tokens: each check alone, and all of them together. */
import { describe, expect, it } from 'vitest';
import { cookieName, HEADER_TOKEN, isSame, refusal, type Tokens } from './guard.js';

const PORT = 4321;
const TOKENS: Tokens = { link: 'l'.repeat(43), cookie: 'c'.repeat(43), header: 'h'.repeat(43) };
const HOST = `127.0.0.1:${PORT}`;
const GOOD = {
  host: HOST,
  cookie: `other=1; ${cookieName(PORT)}=${TOKENS.cookie}`,
  [HEADER_TOKEN]: TOKENS.header,
  'sec-fetch-site': 'same-origin',
};
const POST = { ...GOOD, origin: `http://${HOST}`, 'content-type': 'application/json' };

const api = (headers: Record<string, string>, method = 'GET') =>
  refusal({ method, headers, kind: 'api' }, PORT, TOKENS)?.status;
const without = (headers: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

describe('the guard', () => {
  it('lets the page itself in', () => {
    expect(api(GOOD)).toBeUndefined();
    expect(api(POST, 'POST')).toBeUndefined();
    expect(
      api({ ...POST, host: `localhost:${PORT}`, origin: `http://localhost:${PORT}` }, 'POST'),
    ).toBeUndefined();
  });

  it.each([
    'evil.example',
    `evil.example:${PORT}`,
    '127.0.0.1',
    `127.0.0.1:${PORT + 1}`,
    `127.0.0.1:${PORT}.evil.example`,
    `[::1]:${PORT}`,
    `127.0.0.2:${PORT}`,
    `0.0.0.0:${PORT}`,
    `LOCALHOST:${PORT}`,
    '',
  ])('answers 421 to the name %j, whatever else is right', (host) => {
    expect(api({ ...GOOD, host })).toBe(421);
    expect(refusal({ method: 'GET', headers: { host }, kind: 'page' }, PORT, TOKENS)?.status).toBe(421);
  });

  it.each([
    'http://evil.example',
    `https://${HOST}`,
    `http://localhost:${PORT}`,
    'null',
    `http://${HOST}.evil`,
  ])('refuses the origin %s', (origin) => {
    expect(api({ ...POST, origin }, 'POST')).toBe(403);
    expect(api({ ...GOOD, origin })).toBe(403);
  });

  it.each(['cross-site', 'same-site', 'other'])('refuses a %s request', (site) => {
    expect(api({ ...GOOD, 'sec-fetch-site': site })).toBe(403);
    const page = { host: HOST, 'sec-fetch-site': site };
    expect(refusal({ method: 'GET', headers: page, kind: 'page' }, PORT, TOKENS)?.status).toBe(403);
  });

  it('lets a link from anywhere open the page, which holds nothing', () => {
    const headers = {
      host: HOST,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect(refusal({ method: 'GET', headers, kind: 'page' }, PORT, TOKENS)).toBeUndefined();
    expect(refusal({ method: 'GET', headers, kind: 'api' }, PORT, TOKENS)?.status).toBe(403);
    const framed = { ...headers, 'sec-fetch-dest': 'iframe' };
    expect(refusal({ method: 'GET', headers: framed, kind: 'page' }, PORT, TOKENS)?.status).toBe(403);
  });

  it.each(['cookie', HEADER_TOKEN])('refuses without the token in %s, and with a wrong one', (name) => {
    expect(api(without(GOOD, name))).toBe(401);
    expect(api({ ...GOOD, [name]: GOOD.cookie.slice(0, -1) })).toBe(401);
  });

  it('takes no token in the place of another', () => {
    expect(api({ ...GOOD, [HEADER_TOKEN]: TOKENS.cookie })).toBe(401);
    expect(api({ ...GOOD, [HEADER_TOKEN]: TOKENS.link })).toBe(401);
    expect(api({ ...GOOD, cookie: `${cookieName(PORT)}=${TOKENS.header}` })).toBe(401);
    expect(api({ ...GOOD, cookie: `${cookieName(PORT + 1)}=${TOKENS.cookie}` })).toBe(401);
  });

  it('refuses a POST that does not say where it comes from, or is no JSON', () => {
    expect(api(without(POST, 'origin'), 'POST')).toBe(403);
    expect(api({ ...POST, 'content-type': 'text/plain' }, 'POST')).toBe(415);
    expect(api(without(POST, 'content-type'), 'POST')).toBe(415);
  });

  it('behind a proxy answers to its names alone, by HTTP or HTTPS of the same name', () => {
    const asked = (host: string, origin: string) =>
      refusal({ method: 'GET', headers: { host, origin }, kind: 'api' }, PORT, undefined, ['herd.example'])
        ?.status;
    expect(asked('herd.example', 'https://herd.example')).toBeUndefined();
    expect(asked('herd.example', 'http://herd.example')).toBeUndefined();
    expect(asked('herd.example', 'https://evil.example')).toBe(403);
    expect(asked('evil.herd.example', 'https://evil.herd.example')).toBe(421);
    expect(asked(HOST, `https://${HOST}`)).toBe(403);
  });

  it('compares whole tokens', () => {
    expect(isSame(undefined, '')).toBe(false);
    expect(isSame('', 'x')).toBe(false);
    expect(isSame('x', 'x')).toBe(true);
  });
});
