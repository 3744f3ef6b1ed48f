/** Planted secrets are searched for in everything that the server says. Needs no browser. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WRITING_PATHS } from '../../../src/dashboard/server/routes.js';
import { ClusterSite } from '../../support/cluster-site.js';
import { type OpenDashboard, openDashboard, rawClient, secretsOf } from '../../support/dashboard.js';
import { smallFile } from '../../support/small-file.js';

const PASSWORD = 'planted-registry-password-4711';
const KEY = `-----BEGIN EC PRIVATE KEY-----\\nplantedKeyMaterial0815\\n-----END EC PRIVATE KEY-----`;
const TOKEN = 'planted@pve!token=0a1b2c3d-aaaa-bbbb-cccc-planted00000';

let site: ClusterSite;
let dashboard: OpenDashboard;

beforeAll(async () => {
  site = await ClusterSite.open(smallFile());
  expect((await site.run('apply', '--yes')).exit).toBe(0);
  dashboard = await openDashboard(site);
});
afterAll(async () => {
  await dashboard?.close();
  await site?.remove();
});

it('says no secret in any answer, nor on the stream, whoever brought it along', async () => {
  const client = await rawClient(dashboard);
  const heard = await client.listen();
  const patch = {
    machine: {
      registries: { config: { 'registry.example': { auth: { username: 'ox', password: PASSWORD } } } },
      files: [{ path: '/var/x', op: 'create', permissions: 0o600, content: `key: "${KEY}" token ${TOKEN}` }],
    },
  };
  site.config = smallFile({ worker: `, memory: 5GiB, patches: [${JSON.stringify(patch)}]` });
  await client.ask('/api/clusters/1/refresh', {});
  const paths = ['', '/plan', '/health', '/volumes', '/runs', '/upgrade', '/capacity', '/rehearsal'];
  const texts = await Promise.all(
    ['/api/fleet', ...paths.map((path) => `/api/clusters/1${path}`)].map(
      async (path) => (await client.ask(path)).text,
    ),
  );
  // What an error of the config repeats, and a run that carries the patch out.
  texts.push(
    (await client.ask('/api/clusters/1/what-if', { edits: [{ group: 'work-1', memory: '6GiB' }] })).text,
  );
  await site.run('apply', '--yes');
  await client.ask('/api/clusters/1/refresh', {});
  texts.push(
    (await client.ask('/api/clusters/1/runs/last')).text,
    (await client.ask('/api/clusters/1')).text,
  );
  for (const path of WRITING_PATHS) {
    const { status, text } = await client.ask(`/api/clusters/1${path}`, { planId: '', runId: '', edits: [] });
    expect({ path, status }).toEqual({ path, status: 403 });
    texts.push(text);
  }
  site.config = `${smallFile()}secretToken: ${TOKEN}\n`;
  await client.ask('/api/clusters/1/refresh', {});
  texts.push((await client.ask('/api/fleet')).text);
  expect(texts.at(-1)).toContain('"state":"stale"');
  expect(heard.text()).toContain('"type":"run"');
  const secrets = [...secretsOf(site), PASSWORD, 'plantedKeyMaterial0815', TOKEN.split('=')[1] ?? ''];
  const found = secrets.filter((secret) => [...texts, heard.text()].some((text) => text.includes(secret)));
  expect(found).toEqual([]);
  heard.close();
});
