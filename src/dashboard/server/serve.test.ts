/** The server from outside: who is let in, what every answer carries, and what a page that only reads refuses. */
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cookieName } from './guard.js';
import { LOCAL_PATHS, WRITING_PATHS } from './routes.js';
import { type Dashboard, serveDashboard } from './serve.js';

const PAGE = '<!doctype html><title>oxherd</title>';
let dashboard: Dashboard;

const options = (write: boolean) => ({
  sources: [
    {
      cwd: tmpdir(),
      env: {},
      target: { kind: 'lab' as const },
      configPath: 'no-such-config.yaml',
      command: (text: string) => text.replace('oxherd', 'oxherd -c no-such-config.yaml'),
    },
  ],
  assets: new Map([['/', { type: 'text/html', gzip: gzipSync(PAGE) }]]),
  version: '1',
  write,
  port: 0,
});

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

function ask(
  path: string,
  headers: Record<string, string> = {},
  body?: string,
  server = dashboard,
): Promise<Answer> {
  return new Promise((done, fail) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: server.port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { host: `127.0.0.1:${server.port}`, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    asked.on('error', fail);
    asked.end(body);
  });
}

async function letIn(server = dashboard): Promise<Record<string, string>> {
  const origin = `http://127.0.0.1:${server.port}`;
  const json = { origin, 'content-type': 'application/json' };
  const token = server.url.split('#token=')[1];
  const answer = await ask('/api/session', json, JSON.stringify({ token }), server);
  expect(answer.status).toBe(200);
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
  return { ...json, cookie, 'x-oxherd-token': JSON.parse(String(answer.body)).token };
}

beforeAll(async () => {
  dashboard = await serveDashboard(options(false));
});
afterAll(() => dashboard.close());

describe('the dashboard', () => {
  it('exchanges the token of the link for a cookie that scripts cannot read, and a header token', async () => {
    const json = { origin: `http://127.0.0.1:${dashboard.port}`, 'content-type': 'application/json' };
    const token = dashboard.url.split('#token=')[1];
    const { headers, body } = await ask('/api/session', json, JSON.stringify({ token }));
    expect(String(headers['set-cookie'])).toMatch(
      new RegExp(`^${cookieName(dashboard.port)}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    expect(String(body)).not.toContain(token);
    for (const wrong of ['', 'x', token?.slice(1), undefined]) {
      const refused = await ask('/api/session', json, JSON.stringify({ token: wrong }));
      expect(refused.status).toBe(401);
      expect(refused.headers['set-cookie']).toBeUndefined();
    }
  });

  it('gives nothing without both tokens, and is no door for other names or sites', async () => {
    const known = await letIn();
    expect((await ask('/api/fleet', known)).status).toBe(200);
    expect((await ask('/api/fleet')).status).toBe(401);
    expect((await ask('/api/events')).status).toBe(401);
    expect((await ask('/api/fleet', { ...known, host: 'rebound.example' })).status).toBe(421);
    expect((await ask('/', { host: `rebound.example:${dashboard.port}` })).status).toBe(421);
    expect((await ask('/api/fleet', { ...known, origin: 'http://evil.example' })).status).toBe(403);
    expect((await ask('/api/fleet', { ...known, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('says on every answer what a browser may load, and is cached by none', async () => {
    const known = await letIn();
    const paths = ['/', '/api/fleet', '/none', '/api/none', '/api/clusters/9'];
    const answers = await Promise.all([...paths.map((path) => ask(path, known)), ask('/api/fleet')]);
    for (const { headers } of answers) {
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('serves its files compressed, or not where that is not understood', async () => {
    const packed = await ask('/', { 'accept-encoding': 'gzip, br' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(String(gunzipSync(packed.body))).toBe(PAGE);
    const plain = await ask('/');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(String(plain.body)).toBe(PAGE);
  });

  it('refuses every write while it only reads, and names the command', async () => {
    expect(WRITING_PATHS).toEqual(['/apply', '/stop', '/config']);
    const known = await letIn();
    for (const path of WRITING_PATHS) {
      const { status, body } = await ask(`/api/clusters/1${path}`, known, '{}');
      expect({ path, status }).toEqual({ path, status: 403 });
      expect(JSON.parse(String(body)).error).toMatchObject({
        code: 'ui.read-only',
        advice: expect.stringContaining('oxherd -c no-such-config.yaml'),
      });
    }
  });

  it('says what a cluster lacks that cannot be read, and takes no nonsense', async () => {
    const known = await letIn();
    const fleet = JSON.parse(String((await ask('/api/fleet', known)).body));
    expect(fleet).toMatchObject({ write: false, clusters: [{ id: '1', state: 'failed' }] });
    expect(fleet.clusters[0].error.message).toContain('no-such-config.yaml');
    const long = `{"edits":"${'x'.repeat(70_000)}"}`;
    for (const body of ['[]', '{', '{"planId":7}', '{"planId":"a"', long])
      expect((await ask('/api/clusters/1/rehearse', known, body)).status).toBe(409);
    expect((await ask('/api/clusters/1/plan', known, '{}')).status).toBe(405);
    expect((await ask('/api/clusters/../../x', known)).status).toBe(404);
  });

  it('of a fleet: 401 without a user, nothing of clusters that the user may not see, no write and no costly question', async () => {
    const source = (id: string) => ({
      cwd: tmpdir(),
      env: {},
      target: { kind: 'proxmox' as const },
      configPath: id,
      command: (text: string) => text,
      fleet: {
        id,
        name: id,
        reported: {
          health: { level: 'ok' as const, text: 'healthy' },
          sync: { level: 'ok' as const, text: 'in sync' },
        },
        needs: [],
        open: () => Promise.reject(new Error('not opened in this test')),
      },
    });
    const fleet = await serveDashboard({
      ...options(true),
      sources: async () => [source('a:mine'), source('b:other')],
      reviewer: {
        command: 'kubectl create token',
        viewerOf: async (token) =>
          token === 'known' ? { mayRead: async (id) => id.startsWith('a:') } : undefined,
      },
    });
    try {
      const origin = `http://127.0.0.1:${fleet.port}`;
      const known = { origin, 'content-type': 'application/json', 'x-oxherd-token': 'known' };
      const status = async (path: string, headers: Record<string, string>, body?: string) =>
        (await ask(path, headers, body, fleet)).status;
      expect(await status('/api/fleet', {})).toBe(401);
      expect(await status('/api/events', { 'x-oxherd-token': 'other' })).toBe(401);
      expect(await status('/api/fleet', { ...known, host: 'rebound.example' })).toBe(421);
      const { body } = await ask('/api/fleet', known, undefined, fleet);
      expect(JSON.parse(String(body)).clusters).toMatchObject([{ id: 'a:mine', state: 'listed' }]);
      expect(await status('/api/clusters/b:other', known)).toBe(404);
      expect(await status('/api/clusters/b:other/stop', known, '{"runId":"x"}')).toBe(404);
      for (const path of [...LOCAL_PATHS, ...WRITING_PATHS])
        expect(await status(`/api/clusters/a:mine${path}`, known, '{}')).toBe(403);
    } finally {
      await fleet.close();
    }
  });

  it('with --write a stop of a run that is not its own is refused', async () => {
    const writing = await serveDashboard(options(true));
    try {
      const known = await letIn(writing);
      const { status, body } = await ask('/api/clusters/1/stop', known, '{"runId":"x"}', writing);
      expect(status).toBe(409);
      expect(JSON.parse(String(body)).error.code).toBe('ui.foreign-run');
    } finally {
      await writing.close();
    }
  });

  it('leaves nothing running where its port is taken', async () => {
    const [set, cleared] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')];
    try {
      const taken = serveDashboard({ ...options(false), port: dashboard.port });
      await expect(taken).rejects.toMatchObject({ message: `port ${dashboard.port} is in use` });
      const timers = set.mock.results.map(({ value }) => value);
      expect(timers.length).toBeGreaterThan(1);
      expect(cleared.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(timers));
    } finally {
      vi.restoreAllMocks();
    }
  });
});
