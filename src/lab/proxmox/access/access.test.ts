import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { findProfile } from '../../profiles/profiles.js';

const world = findProfile('empty')?.world(['pve1', 'pve2', 'pve3']) ?? { hosts: [], storages: [] };

let bench: Bench;
const ok = async (method: string, path: string, params?: Record<string, string | number>, id?: string) => {
  const reply = await bench.send(method, path, params, id);
  expect(reply, `${method} ${path}`).toMatchObject({ status: 200 });
  return reply.data;
};

beforeEach(async () => {
  bench = openBench(world);
  await ok('POST', '/access/groups', { groupid: 'ops' });
  await ok('POST', '/access/users', { userid: 'a@pve', groups: 'ops', password: 'first-password' });
});

describe('users', () => {
  it('are disabled and expire', async () => {
    const login = { username: 'a@pve', password: 'first-password' };
    await ok('POST', '/access/ticket', login, '');
    await ok('PUT', '/access/users/a@pve', { enable: 0 });
    expect(await bench.send('POST', '/access/ticket', login, '')).toMatchObject({ status: 401 });
    await ok('PUT', '/access/users/a@pve', { enable: 1, expire: 1 });
    expect(await bench.send('POST', '/access/ticket', login, '')).toMatchObject({ status: 401 });
  });

  it('change their own password by proving the old one', async () => {
    const change = { userid: 'a@pve', password: 'second-password' };
    expect(await bench.send('PUT', '/access/password', change, 'a@pve')).toMatchObject({
      status: 400,
      errors: { 'confirmation-password': 'password is required to modify user' },
    });
    await ok('PUT', '/access/password', { ...change, 'confirmation-password': 'first-password' }, 'a@pve');
    await ok('POST', '/access/ticket', { username: 'a@pve', password: 'second-password' }, '');
  });

  it('take groups and lose them with the group', async () => {
    await ok('POST', '/access/groups', { groupid: 'dev' });
    await ok('PUT', '/access/users/a@pve', { groups: 'dev', append: 1 });
    expect(await ok('GET', '/access/users/a@pve')).toMatchObject({ groups: ['dev', 'ops'] });
    expect(await ok('GET', '/access/groups/dev')).toEqual({ members: ['a@pve'] });
    await ok('DELETE', '/access/groups/dev');
    expect(await ok('GET', '/access/users/a@pve')).toMatchObject({ groups: ['ops'] });
    expect(await bench.send('PUT', '/access/users/a@pve', { groups: 'dev' })).toMatchObject({
      status: 500,
      data: "update user failed: no such group 'dev'",
    });
  });

  it('see themselves and no one else without rights', async () => {
    expect(await ok('GET', '/access/users', {}, 'a@pve')).toMatchObject([{ userid: 'a@pve' }]);
  });
});

describe('tokens', () => {
  it('are made by their user, once', async () => {
    await ok('POST', '/access/users/a@pve/token/ci', { comment: 'x' }, 'a@pve');
    expect(await bench.send('POST', '/access/users/a@pve/token/ci', {}, 'a@pve')).toMatchObject({
      status: 400,
      errors: { tokenid: 'Token already exists.' },
    });
    expect(await ok('GET', '/access/users/a@pve/token')).toEqual([
      { tokenid: 'ci', privsep: 1, expire: 0, comment: 'x' },
    ]);
    expect(await bench.send('POST', '/access/users/a@pve/token/c', {})).toMatchObject({ status: 400 });
  });

  it('get another secret when asked, and keep the old one otherwise', async () => {
    await ok('POST', '/access/users/a@pve/token/ci');
    const before = bench.pve.db.tokens.get('a@pve!ci')?.secret;
    await ok('PUT', '/access/users/a@pve/token/ci', { privsep: 0 });
    expect(bench.pve.db.tokens.get('a@pve!ci')).toMatchObject({ privsep: false, secret: before });
    expect(await ok('PUT', '/access/users/a@pve/token/ci', { regenerate: 1 })).toMatchObject({
      'full-tokenid': 'a@pve!ci',
    });
    expect(bench.pve.db.tokens.get('a@pve!ci')?.secret).not.toBe(before);
  });

  it('go with their user, and so does what they were granted', async () => {
    await ok('POST', '/access/users/a@pve/token/ci');
    await ok('PUT', '/access/acl', { path: '/vms', roles: 'PVEVMUser', tokens: 'a@pve!ci', users: 'a@pve' });
    await ok('DELETE', '/access/users/a@pve');
    expect([bench.pve.db.tokens.size, bench.pve.db.acls.size]).toEqual([0, 0]);
  });
});

describe('access control lists', () => {
  it.each([
    ['no grantee', { path: '/', roles: 'PVEAdmin' }, 400],
    ['a path that is none', { path: '/nope', roles: 'PVEAdmin', users: 'a@pve' }, 400],
    ['an unknown role', { path: '/', roles: 'Nope', users: 'a@pve' }, 500],
    ['an unknown user', { path: '/', roles: 'PVEAdmin', users: 'b@pve' }, 500],
    ['an unknown group', { path: '/', roles: 'PVEAdmin', groups: 'nope' }, 500],
    ['an unknown token', { path: '/', roles: 'PVEAdmin', tokens: 'a@pve!nope' }, 500],
  ])('refuse %s', async (_, params, status) => {
    expect(await bench.send('PUT', '/access/acl', params)).toMatchObject({ status });
    expect(bench.pve.db.acls.size).toBe(0);
  });

  it('let no one hand on what he has not', async () => {
    await ok('PUT', '/access/acl', { path: '/vms/100', roles: 'PVEVMAdmin', users: 'a@pve' });
    const grant = (roles: string) =>
      bench.send('PUT', '/access/acl', { path: '/vms/100', roles, groups: 'ops' }, 'a@pve');
    expect(await grant('PVEVMUser')).toMatchObject({ status: 200 });
    expect(await grant('Administrator')).toMatchObject({
      status: 500,
      data: expect.stringContaining("requires 'Permissions.Modify' or superset of privileges."),
    });
  });

  it('are deleted without complaint where there are none', async () => {
    await ok('PUT', '/access/acl', { path: '/vms/100', roles: 'PVEVMUser', users: 'a@pve', delete: 1 });
  });

  it('show in the permissions of a user, also through pools', async () => {
    await ok('POST', '/pools', { poolid: 'p' });
    await ok('PUT', '/pools', { poolid: 'p', vms: 100 });
    await ok('PUT', '/access/acl', { path: '/pool/p', roles: 'PVETemplateUser', groups: 'ops' });
    expect(await ok('GET', '/access/permissions', {}, 'a@pve')).toEqual({
      '/pool/p': { 'VM.Audit': 1, 'VM.Clone': 1 },
      '/vms/100': { 'VM.Audit': 0, 'VM.Clone': 0 },
    });
    expect(await bench.send('GET', '/access/permissions', { userid: 'root@pam' }, 'a@pve')).toMatchObject({
      status: 403,
    });
    await ok('DELETE', '/pools/p');
    expect(bench.pve.db.acls.size).toBe(0);
  });
});

describe('pools', () => {
  it('nest three levels deep below their parents', async () => {
    expect(await bench.send('POST', '/pools', { poolid: 'a/b' })).toMatchObject({
      status: 500,
      data: "create pool failed: parent 'a' of pool 'a/b' does not exist",
    });
    await ok('POST', '/pools', { poolid: 'a' });
    await ok('POST', '/pools', { poolid: 'a/b' });
    expect(await bench.send('DELETE', '/pools', { poolid: 'a' })).toMatchObject({
      status: 500,
      data: "delete pool failed: pool 'a' is not empty (contains pool 'a/b')",
    });
    expect(await bench.send('POST', '/pools', { poolid: 'a/b/c/d' })).toMatchObject({ status: 400 });
  });

  it('change nothing where one of several members is refused', async () => {
    await ok('POST', '/pools', { poolid: 'p' });
    await ok('PUT', '/pools', { poolid: 'p', vms: '100' });
    expect(await bench.send('PUT', '/pools', { poolid: 'p', vms: '101,100' })).toMatchObject({ status: 500 });
    expect(bench.pve.db.pools.get('p')?.vms).toEqual([100]);
  });
});
