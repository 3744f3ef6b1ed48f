/** The dashboard of a lab in a real browser: what a person sees, and everything that must not happen meanwhile. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBrowser } from './browser.js';
import { labFile } from './cli.js';
import type { ClusterSite } from './cluster-site.js';

/** `undefined` where there is none: tests then skip, and say so. */
export const BROWSER = findBrowser();

/** Nothing is asked of anyone but the page's own server. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-default-apps',
  '--no-first-run',
  '--no-proxy-server',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

export function launchBrowser(): Promise<Browser> {
  const executablePath = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, BROWSER ?? ''))
    .find((path) => existsSync(path));
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: FLAGS });
}

export interface OpenDashboard {
  readonly url: string;
  readonly port: number;
  /** Ctrl-C; the exit code of the command. */
  close(): Promise<number>;
}

/** `oxherd --lab ui` in this process, on the lab of the site. */
export async function openDashboard(site: ClusterSite, ...flags: string[]): Promise<OpenDashboard> {
  const stop = new AbortController();
  let serving: (line: string) => void = () => {};
  const served = new Promise<string>((done) => {
    serving = done;
  });
  const { open } = site.target;
  const ended = site.folder.run(['--lab', 'ui', '--json', '--refresh', '1', ...flags], {
    signal: stop.signal,
    onPrint: (text) => text.startsWith('{"url"') && serving(text),
    ...(open && { openLab: open }),
  });
  const line = await Promise.race([served, ended.then(({ stdout, stderr }) => `${stdout}${stderr}`)]);
  const { url, port } = JSON.parse(line) as { url: string; port: number };
  return {
    url,
    port,
    async close() {
      stop.abort(new Error('interrupted'));
      return (await ended).exit;
    },
  };
}

export interface Visit {
  readonly page: Page;
  /** Console errors, errors of scripts, and requests to anywhere else. */
  readonly wrong: string[];
  /** Bodies of everything that was answered, but the stream. */
  readonly bodies: string[];
  go(path: string): Promise<void>;
  close(): Promise<void>;
}

export async function visit(
  browser: Browser,
  { url, port }: Pick<OpenDashboard, 'url' | 'port'>,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const wrong: string[] = [];
  const bodies: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`http://127.0.0.1:${port}/`)) wrong.push(`request to ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.url().endsWith('/api/events')) return;
    response.text().then(
      (text) => bodies.push(text),
      () => undefined,
    );
  });
  await page.goto(url);
  return {
    page,
    wrong,
    bodies,
    go: async (path) => void (await page.evaluate(`location.hash = ${JSON.stringify(path)}`)),
    close: () => context.close(),
  };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules of WCAG 2.2 A and AA and of good practice that the page breaks, with the places. */
export async function axeViolations(page: Page): Promise<string[]> {
  // By the debugger: the page's own policy lets no script in.
  await page.evaluate(AXE);
  const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  const { violations } = found as {
    violations: { id: string; nodes: { target: unknown[]; failureSummary: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}

export async function expectClean({ page, wrong }: Visit): Promise<void> {
  expect(await axeViolations(page)).toEqual([]);
  expect(wrong).toEqual([]);
}

export interface RawClient {
  /** As the server answered it: status and text. */
  ask(path: string, body?: unknown): Promise<{ readonly status: number; readonly text: string }>;
  /** What the stream has carried so far, from this call on. */
  listen(): Promise<{ text(): string; close(): void }>;
}

/** Another program that has read the terminal, without a browser around it. */
export async function rawClient({ url, port }: Pick<OpenDashboard, 'url' | 'port'>): Promise<RawClient> {
  const origin = `http://127.0.0.1:${port}`;
  const json = { origin, 'content-type': 'application/json' };
  const entered = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ token: url.split('#token=')[1] }),
  });
  const { token } = (await entered.json()) as { token: string };
  const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
  const headers = { ...json, cookie, 'x-oxherd-token': token };
  return {
    async ask(path, body) {
      const answer = await fetch(`${origin}${path}`, {
        headers,
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    },
    async listen() {
      const stop = new AbortController();
      const { body } = await fetch(`${origin}/api/events`, { headers, signal: stop.signal });
      let text = '';
      void (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true });
      })().catch(() => undefined);
      return { text: () => text, close: () => stop.abort() };
    },
  };
}

/** Every value of the cluster's secrets that is long enough to be one, and the lab's token. */
export function secretsOf(site: ClusterSite): string[] {
  const text = readFileSync(labFile(site.folder.path, 'secrets.yaml'), 'utf8');
  const values = [...text.matchAll(/: "?([\w+/=.-]{20,})"?$/gm)].map(([, value = '']) => value);
  return [...values, site.lab.token.split('=')[1] ?? 'no token'];
}
