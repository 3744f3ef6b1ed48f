import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { findProfile } from '../../profiles/profiles.js';

const world = findProfile('empty')?.world(['pve1']) ?? { hosts: [], storages: [] };
const PLUGINS = '/cluster/acme/plugins';
const ACCOUNT = '/cluster/acme/account';
const LINES = 'CF_Account_ID=one\nCF_Token=two';

let bench: Bench;
const send = (...request: Parameters<Bench['send']>) => bench.send(...request);

beforeEach(() => {
  bench = openBench(world);
});

describe('ACME plugins', () => {
  it('keep the lines of a DNS provider, which come as base64', async () => {
    const data = Buffer.from(LINES).toString('base64');
    await send('POST', PLUGINS, { id: 'cf', type: 'dns', api: 'cf', data, 'validation-delay': '60' });
    expect((await send('GET', `${PLUGINS}/cf`)).data).toMatchObject({
      ...{ plugin: 'cf', type: 'dns', api: 'cf', data: LINES, 'validation-delay': 60 },
    });
    await send('PUT', `${PLUGINS}/cf`, { delete: 'data', disable: '1' });
    const changed = (await send('GET', `${PLUGINS}/cf`)).data;
    expect(changed).toMatchObject({ disable: 1 });
    expect(changed).not.toHaveProperty('data');
  });

  it('refuse what their type does not take, and what is there already', async () => {
    const told = async (params: Record<string, string>) => (await send('POST', PLUGINS, params)).data;
    expect(await told({ id: 'own', type: 'standalone', api: 'cf' })).toContain("unexpected property 'api'");
    expect(await told({ id: 'standalone', type: 'standalone' })).toContain('already exists');
    expect(await told({ id: 'own', type: 'http' })).toContain('verification failed');
    expect((await send('PUT', `${PLUGINS}/none`, { api: 'x' })).data).toContain('does not exist');
  });

  it('are listed by type; the one of every cluster comes back', async () => {
    await send('POST', PLUGINS, { id: 'cf', type: 'dns', api: 'cf' });
    await send('DELETE', `${PLUGINS}/standalone`);
    const names = async (params = {}) =>
      ((await send('GET', PLUGINS, params)).data as { plugin: string }[]).map(({ plugin }) => plugin);
    expect(await names()).toEqual(['standalone', 'cf']);
    expect(await names({ type: 'dns' })).toEqual(['cf']);
  });
});

describe('ACME accounts', () => {
  const NAMED = `${ACCOUNT}/own`;

  it('are registered, changed and deactivated by tasks of root', async () => {
    await bench.run('POST', ACCOUNT, { name: 'own', contact: 'a@example.com', tos_url: 'https://tos' });
    expect((await send('GET', NAMED)).data).toMatchObject({
      account: { contact: ['mailto:a@example.com'], status: 'valid' },
      tos: 'https://tos',
    });
    await bench.run('PUT', NAMED, { contact: 'b@example.com,c@example.com' });
    expect((await send('GET', NAMED)).data).toMatchObject({
      account: { contact: ['mailto:b@example.com', 'mailto:c@example.com'] },
    });
    await bench.run('DELETE', NAMED);
    expect((await send('GET', ACCOUNT)).data).toEqual([]);
    expect((await send('GET', NAMED)).errors?.name).toContain('does not exist');
  });
});
