import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { findProfile } from '../../profiles/profiles.js';

const world = findProfile('empty')?.world(['pve1']) ?? { hosts: [], storages: [] };
const LDAP = { realm: 'corp', type: 'ldap', server1: 'ldap.example.com', base_dn: 'dc=a', user_attr: 'uid' };

let bench: Bench;
const send = (...request: Parameters<Bench['send']>) => bench.send(...request);
const realm = async () => (await send('GET', '/access/domains/corp')).data;

beforeEach(() => {
  bench = openBench(world);
});

describe('realms', () => {
  it('are made, changed and deleted; the password is never shown', async () => {
    await send('POST', '/access/domains', {
      ...LDAP,
      password: 'secret',
      'sync-defaults-options': 'full=1,scope=users',
    });
    expect(await realm()).toMatchObject({ type: 'ldap', server1: 'ldap.example.com' });
    expect(await realm()).toMatchObject({
      'sync-defaults-options': 'remove-vanished=entry;properties,scope=users',
    });
    expect(await realm()).not.toHaveProperty('password');
    await send('PUT', '/access/domains/corp', { comment: 'x', filter: '(a=b)' });
    await send('PUT', '/access/domains/corp', { delete: 'filter' });
    expect(await realm()).toMatchObject({ comment: 'x' });
    expect(await realm()).not.toHaveProperty('filter');
    await send('DELETE', '/access/domains/corp');
    expect((await send('GET', '/access/domains/corp')).data).toContain("domain 'corp' does not exist");
  });

  it('are refused by what their type needs and takes', async () => {
    const { server1: _server, ...without } = LDAP;
    const told = async (settings: Record<string, string>) =>
      (await send('POST', '/access/domains', settings)).data;
    expect(await told(without)).toContain(
      "add auth server failed: missing value for required option 'server1'",
    );
    expect(await told({ ...LDAP, 'client-id': 'a' })).toContain("unexpected property 'client-id'");
    expect(await told({ ...LDAP, realm: 'pam' })).toContain("domain 'pam' already exists");
    expect(await told({ realm: 'own', type: 'pve' })).toContain("unable to create builtin type 'pve'");
  });

  it('have one default', async () => {
    await send('POST', '/access/domains', { ...LDAP, default: '1' });
    await send('PUT', '/access/domains/pam', { default: '1' });
    expect(await realm()).not.toHaveProperty('default');
    expect((await send('GET', '/access/domains')).data).toMatchObject([{ realm: 'pam', default: 1 }, {}, {}]);
  });

  it('of a directory can be synced, which finds no server; jobs for it are kept', async () => {
    await send('POST', '/access/domains', LDAP);
    const sync = '/access/domains/corp/sync';
    expect((await send('POST', sync)).status).toBe(400);
    expect(await bench.run('POST', sync, { scope: 'users' })).toContain('ldap.example.com');
    const job = '/cluster/jobs/realm-sync/nightly';
    await send('POST', job, { realm: 'corp', schedule: 'mon 03:00', scope: 'both' });
    expect((await send('GET', '/cluster/jobs/realm-sync')).data).toMatchObject([
      { id: 'nightly', realm: 'corp' },
    ]);
    expect((await send('PUT', job, { schedule: 'daily', delete: 'scope' })).data).toContain(
      'required option',
    );
  });
});

describe('second factors', () => {
  it('has no user, whatever the realm asks for', async () => {
    const told = async (path: string, params = {}) => (await send('GET', `/access/${path}`, params)).data;
    expect(await told('tfa/root@pam')).toEqual([]);
    expect(await send('GET', '/access/tfa/root@pam/recovery')).toMatchObject({ status: 404 });
    expect(await told('users/root@pam/tfa')).toEqual({});
    await send('PUT', '/access/domains/pam', { tfa: 'type=oath' });
    expect(await told('users/root@pam/tfa', { multiple: 1 })).toEqual({ realm: 'oath', user: [] });
  });
});
