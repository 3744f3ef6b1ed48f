import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { clientOf, failureOf, labForTest } from '../../../test/support/clients/proxmox/lab.js';

const SECRET = '11111111-2222-4333-8444-555555555555';

describe('refusals', () => {
  it('401: the token is not known', async () => {
    const lab = await labForTest();
    const error = await failureOf(clientOf(lab, { token: `root@pam!lab=${SECRET}` }).nodes());
    expect(error).toMatchObject({ code: 'proxmox.unauthorized', status: 401 });
    expect(error.message).toContain('root@pam!lab');
    expect(error.advice).toContain('pveum user token list');
  });

  it('403: names the path and the privilege', async () => {
    const lab = await labForTest();
    const admin = clientOf(lab);
    await admin.createUser('limited@pve');
    const { fullTokenId, secret } = await admin.createToken('limited@pve', 'one', {
      privilegeSeparation: true,
    });
    const client = clientOf(lab, { token: `${fullTokenId}=${secret}` });
    const error = await failureOf(client.nodeStatus('pve1'));
    expect(error).toMatchObject({
      code: 'proxmox.forbidden',
      status: 403,
      message: 'Permission check failed (/nodes/pve1, Sys.Audit)',
      permission: { path: '/nodes/pve1', privileges: ['Sys.Audit'] },
    });
    expect(error.advice).toContain('pveum acl modify /nodes/pve1');
    // Lists are empty, not refused.
    expect(await client.vms()).toEqual([]);
  });

  it('400: keeps what is wrong with each parameter', async () => {
    const lab = await labForTest();
    const error = await failureOf(clientOf(lab).createRole('x y', ['VM.Fly']));
    expect(error.code).toBe('proxmox.parameter');
    expect(Object.keys(error.errors).sort()).toEqual(['privs', 'roleid']);
  });

  it('595: a host behind the one we ask is down; retried, then named', async () => {
    const lab = await labForTest();
    lab.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
    const client = clientOf(lab);
    const error = await failureOf(client.storages('pve2'));
    expect(error).toMatchObject({ code: 'proxmox.host-down', status: 595 });
    expect(error.message).toContain('pve2');
    expect(client.sent.map((request) => request.status)).toEqual([595, 595, 595, 595, 595]);
    await expect(client.storages('pve1')).resolves.toHaveLength(3);
  });

  it('500: an unknown host, a thing that is there already, one that is not', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    expect((await failureOf(client.storages('nope'))).code).toBe('proxmox.unknown-host');
    await client.createPool('one');
    expect((await failureOf(client.createPool('one'))).code).toBe('proxmox.exists');
    expect((await failureOf(client.deletePool('two'))).code).toBe('proxmox.not-found');
  });

  it('no quorum: reading goes on, writing says what to do', async () => {
    const lab = await labForTest();
    lab.core.faults.set({ name: 'no-quorum', subject: '', countdown: null });
    const client = clientOf(lab);
    await expect(client.vms()).resolves.toEqual([]);
    const error = await failureOf(client.createPool('one'));
    expect(error.code).toBe('proxmox.no-quorum');
    expect(error.advice).toContain('pvecm status');
  });

  it('a server that is not Proxmox', async () => {
    const lab = await labForTest();
    const { openApiSession } = await import('./api-session.js');
    const session = openApiSession({
      endpoints: [lab.endpoint],
      token: lab.token,
      tls: { kind: 'insecure' },
      clock: lab.clock,
      random: () => 0,
    });
    const error = await failureOf(session.request('GET', '/../../nothing'));
    expect(error.code).toMatch(/^proxmox\./);
    await session.close();
  });

  it('never show the secret of the token', async () => {
    const lab = await labForTest();
    const client = clientOf(lab, { token: `root@pam!lab=${SECRET}` });
    const errors = [
      await failureOf(client.nodes()),
      await failureOf(clientOf(lab, { token: `root@pam!lab=${SECRET}`, tls: { kind: 'system' } }).nodes()),
      await failureOf(
        clientOf(lab, { token: `root@pam!lab=${SECRET}`, endpoints: ['https://127.0.0.1:1'] }).nodes(),
      ),
    ];
    const shown = [client, client.sent, ...errors].map((value) =>
      inspect(value, { depth: 20, showHidden: true }),
    );
    expect(shown.join('\n')).not.toContain(SECRET);
    expect(JSON.stringify(errors)).not.toContain(SECRET);
    expect(() => clientOf(lab, { token: SECRET })).toThrow('does not look like');
    try {
      clientOf(lab, { token: `no token ${SECRET}` });
    } catch (error) {
      expect(inspect(error)).not.toContain(SECRET);
    }
  });
});
