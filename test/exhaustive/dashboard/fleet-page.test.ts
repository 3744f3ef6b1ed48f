/** The controller's page: who the Kubernetes API lets in, what each of them sees, and that it only reads. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveFleetPage } from '../../../src/cli/fleet/serve-page.js';
import { fleetPage } from '../../../src/controller/page/fleet-page.js';
import { LOCAL_PATHS, WRITING_PATHS } from '../../../src/dashboard/server/routes.js';
import type { Dashboard } from '../../../src/dashboard/server/serve.js';
import { BROWSER, expectClean, launchBrowser, visit } from '../../support/dashboard.js';
import { Fleet, NAMESPACE, OWN_NAMESPACE } from '../../support/fleet.js';
import { smallFile } from '../../support/small-file.js';

const ID = `${NAMESPACE}:small`;
let fleet: Fleet;
let page: Dashboard;
let viewer: string;
let stranger: string;

beforeAll(async () => {
  fleet = await Fleet.start(smallFile());
  await fleet.giveSecrets();
  await fleet.setConfig(smallFile());
  await fleet.createCluster({ secretsRef: { name: 'given' } });
  const replica = fleet.replica('one');
  await fleet.reconcile(replica);
  viewer = await account('viewer', true);
  stranger = await account('stranger', false);
  page = await serveFleetPage(fleetPage(replica), { listen: '127.0.0.1', port: 0, names: ['herd.example'] });
});
afterAll(async () => {
  await page?.close();
  await fleet?.stop();
});

/** A service account, with or without the role of a viewer in the namespace of the cluster; its token. */
async function account(name: string, mayView: boolean): Promise<string> {
  const metadata = { name, namespace: NAMESPACE };
  await fleet.client.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const binding = {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'oxherd-viewer' },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  };
  if (mayView)
    await fleet.client.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      ...binding,
    });
  return fleet.api.accountToken(NAMESPACE, name);
}

async function ask(path: string, token: string, body?: unknown, more: Record<string, string> = {}) {
  const origin = `http://127.0.0.1:${page.port}`;
  const answer = await fetch(`${origin}${path}`, {
    headers: { 'x-oxherd-token': token, origin, 'content-type': 'application/json', ...more },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

describe('the page of a fleet', () => {
  it('lets in whom the Kubernetes API knows, and says how to get a token', async () => {
    for (const token of ['', 'nonsense', `${viewer}x`, 'x'.repeat(17_000).slice(0, 8_000)]) {
      const { status, text } = await ask('/api/fleet', token);
      expect({ status, code: JSON.parse(text).error.code }).toEqual({ status: 401, code: 'ui.sign-in' });
    }
    expect((await ask('/api/events', '')).status).toBe(401);
    expect((await ask('/', '')).status).toBe(200);
    expect((await ask('/api/fleet', viewer, undefined, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask('/api/fleet', viewer, undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('shows a cluster to those who may get its object, and to others nothing of it', async () => {
    const seen = JSON.parse((await ask('/api/fleet', viewer)).text);
    expect(seen).toMatchObject({
      write: false,
      fleet: true,
      clusters: [{ id: ID, name: `${NAMESPACE}/small`, state: 'listed' }],
    });
    expect(seen.clusters[0].needs[0].what).toContain('waits for an approval');
    expect(JSON.parse((await ask('/api/fleet', stranger)).text).clusters).toEqual([]);
    for (const path of ['', '/plan', '/runs', '/runs/last', '/capacity'])
      expect((await ask(`/api/clusters/${ID}${path}`, stranger)).status).toBe(404);
    expect((await ask(`/api/clusters/${ID}/refresh`, stranger, {})).status).toBe(404);
  });

  it('reads a cluster for whoever looks at it, and holds no secret', async () => {
    expect((await ask(`/api/clusters/${ID}/refresh`, viewer, {})).status).toBe(200);
    const texts = await Promise.all(
      ['', '/plan', '/health', '/volumes', '/runs', '/upgrade', '/capacity', '/rehearsal'].map(
        async (path) => {
          const { status, text } = await ask(`/api/clusters/${ID}${path}`, viewer);
          expect({ path, status }).toEqual({ path, status: 200 });
          return text;
        },
      ),
    );
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({
      summary: { state: 'current' },
      picture: { cluster: 'small' },
    });
    expect(texts[6]).toContain('is kept by its fleet');
    const secret = fleet.lab.token.split('=')[1] ?? 'no token';
    expect(
      [...texts, (await ask('/api/fleet', viewer)).text].filter((text) => text.includes(secret)),
    ).toEqual([]);
  });

  it('refuses every write and every costly question, whoever asks', async () => {
    const master = await fleet.api.accountToken(OWN_NAMESPACE, 'oxherd-controller');
    for (const path of [...WRITING_PATHS, ...LOCAL_PATHS])
      for (const token of [viewer, master]) {
        const { status } = await ask(`/api/clusters/${ID}${path}`, token, {
          planId: 'x',
          runId: 'x',
          edits: [],
        });
        expect({ path, status }).toEqual({ path, status: 403 });
      }
  });

  it('tells of a cluster on the stream only to those who may see it', async () => {
    const heard = { viewer: '', stranger: '' };
    const stop = new AbortController();
    const listen = async (who: keyof typeof heard, token: string) => {
      const { body } = await fetch(`http://127.0.0.1:${page.port}/api/events`, {
        headers: { 'x-oxherd-token': token },
        signal: stop.signal,
      });
      void (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of body ?? []) heard[who] += decoder.decode(chunk, { stream: true });
      })().catch(() => undefined);
    };
    await listen('viewer', viewer);
    await listen('stranger', stranger);
    await ask(`/api/clusters/${ID}/refresh`, viewer, {});
    await expect.poll(() => heard.viewer, { timeout: 30_000 }).toContain('"type":"changed"');
    await ask('/api/fleet', stranger);
    expect(heard.stranger).not.toContain('data:');
    stop.abort();
  });

  const isBuilt = existsSync(join(fileURLToPath(new URL('../../..', import.meta.url)), 'dist/ui/app.js.gz'));
  it.skipIf(BROWSER === undefined || !isBuilt)(
    'asks for a token in the browser, then shows the map',
    async () => {
      const browser = await launchBrowser();
      try {
        const look = await visit(browser, page);
        const field = look.page.getByLabel('Token of the Kubernetes API');
        await field.fill('nonsense');
        await look.page.getByRole('button', { name: 'Sign in' }).click();
        await look.page.getByText('does not know this token').waitFor();
        await field.fill(viewer);
        await look.page.getByRole('button', { name: 'Sign in' }).click();
        await look.page.getByRole('heading', { name: `${NAMESPACE}/small` }).waitFor();
        await look.page.getByRole('button', { name: /^node cp-1/ }).waitFor();
        // Refusals of the sign-in are told by the browser too.
        look.wrong.splice(0, look.wrong.length, ...look.wrong.filter((text) => !text.includes('401')));
        await expectClean(look);
      } finally {
        await browser.close();
      }
    },
  );
});
