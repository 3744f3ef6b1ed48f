import { Agent, request } from 'node:https';
import { createServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { type Lab, type LabOptions, startLab } from '../index.js';
import { findProfile } from '../profiles/profiles.js';

interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  readonly protocol: string | null;
}

const labs: Lab[] = [];
const agents: Agent[] = [];

async function lab(options: LabOptions = {}, hosts = ['pve1', 'pve2']): Promise<Lab> {
  const world = findProfile('empty')?.world(hosts);
  const started = await startLab({ ...(world && { world }), ...options });
  labs.push(started);
  return started;
}

function newAgent(keepAlive: boolean): Agent {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  agents.push(agent);
  return agent;
}

afterEach(async () => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const started of labs.splice(0)) {
    expect(started.proxmox.bugs()).toEqual([]);
    await started.stop();
  }
});

function send(
  to: Lab,
  method: string,
  path: string,
  options: {
    agent?: Agent;
    headers?: Record<string, string>;
    body?: string;
    host?: string;
    token?: string;
  } = {},
): Promise<Answer> {
  const base = to.proxmox.endpoints.get(options.host ?? 'pve1') ?? '';
  const headers = { authorization: `PVEAPIToken=${options.token ?? to.token}`, ...options.headers };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${base}${path.startsWith('/api2') ? '' : '/api2/json'}${path}`,
      { method, headers, ca: to.authority, agent: options.agent ?? newAgent(false) },
      (response) => {
        const protocol = (response.socket as TLSSocket).getProtocol();
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            reason: response.statusMessage ?? '',
            headers: response.headers,
            text,
            protocol,
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

describe('connections', () => {
  it('are TLS 1.3 by a certificate that the lab’s authority signed', async () => {
    const answer = await send(await lab(), 'GET', '/version');
    expect(answer).toMatchObject({ status: 200, protocol: 'TLSv1.3' });
  });

  it('are kept for 100 requests and then closed', async () => {
    const at = await lab();
    const agent = newAgent(true);
    for (let number = 1; number <= 101; number += 1) {
      const answer = await send(at, 'GET', '/version', { agent });
      expect(answer.headers.connection).toBe(number === 100 ? 'close' : 'Keep-Alive');
    }
    expect(at.proxmox.requests()).toMatchObject({ total: 101, connections: 2 });
  });

  it('are closed where the client wants it', async () => {
    const answer = await send(await lab(), 'GET', '/version', { headers: { connection: 'close' } });
    expect(answer.headers.connection).toBe('close');
  });

  it('are closed after an error', async () => {
    const at = await lab();
    const agent = newAgent(true);
    const answer = await send(at, 'GET', '/nope', { agent });
    expect(answer).toMatchObject({ status: 501, headers: { connection: 'close' } });
    await send(at, 'GET', '/version', { agent });
    expect(at.proxmox.requests().connections).toBe(2);
  });
});

describe('requests that never reach the API', () => {
  it.each([
    ['a body with GET', 'GET', '/version', { 'content-type': 'application/json' }, '{}', 501],
    ['a type that is no form', 'POST', '/pools', { 'content-type': 'text/plain' }, 'x', 506],
    ['a body that is too large', 'POST', '/pools', {}, 'x'.repeat(512 * 1024 + 1), 501],
    ['broken JSON', 'POST', '/pools', { 'content-type': 'application/json' }, '{', 500],
    ['another method', 'PATCH', '/version', {}, '', 501],
    ['another format', 'GET', '/api2/xml/version', {}, '', 501],
    ['another place', 'GET', '/api3', {}, '', 500],
  ])('%s', async (_, method, path, headers, body, status) => {
    const at = await lab();
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const place = path === '/api3' ? '/api2/../api3' : path;
    expect(await send(at, method, place, { headers: { ...headers, ...length }, body })).toMatchObject({
      status,
    });
  });

  it('are refused without a body after the delay of a failed login', async () => {
    const at = await lab();
    const before = at.clock.now();
    const answer = await send(at, 'GET', '/version', { token: 'root@pam!lab=wrong' });
    expect(answer).toMatchObject({ status: 401, reason: 'Authentication failed!', text: '' });
    expect(at.clock.now() - before).toBe(3_000);
  });
});

describe('what goes wrong around the API', () => {
  it('is no bug where a client leaves in the middle of its body', async () => {
    const at = await lab();
    const outgoing = request(`${at.endpoint}/api2/json/pools`, {
      method: 'POST',
      ca: at.authority,
      headers: { authorization: `PVEAPIToken=${at.token}`, 'content-length': '100' },
    });
    const gone = new Promise((resolve) => outgoing.on('error', resolve));
    outgoing.write('poolid=');
    while (at.proxmox.requests().total === 0) await new Promise(setImmediate);
    outgoing.destroy();
    await gone;
    expect(await send(at, 'GET', '/pools')).toMatchObject({ status: 200, text: '{"data":[]}' });
  });

  it('is said where the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(startLab({ port })).rejects.toMatchObject({
      code: 'lab.port',
      message: `port ${port} of 127.0.0.1 is in use`,
    });
    other.close();
  });
});

describe('answers', () => {
  it('carry the message in the reason, in Latin-1', async () => {
    const answer = await send(await lab(), 'GET', '/access/users/%FC@pve');
    expect(answer.status).toBe(500);
    expect(answer.reason).toBe("no such user ('ü@pve')");
    expect(JSON.parse(answer.text)).toEqual({ data: null, message: "no such user ('ü@pve')\n" });
  });

  it('take each byte of a path for a character', async () => {
    const answer = await send(await lab(), 'GET', '/access/users/%C3%BC@pve');
    expect(JSON.parse(answer.text)).toEqual({ data: null, message: "no such user ('Ã¼@pve')\n" });
  });

  it('do not mind how a path is written', async () => {
    const at = await lab();
    expect(await send(at, 'GET', '/nodes/%70ve1/version/')).toMatchObject({ status: 200 });
  });

  it('refuse a variable that is sent again with another value', async () => {
    const at = await lab();
    expect(await send(at, 'GET', '/nodes/pve1/version?node=pve1')).toMatchObject({ status: 200 });
    expect(await send(at, 'GET', '/nodes/pve1/version?node=pve2')).toMatchObject({ status: 400 });
  });
});

describe('hosts', () => {
  it('answer for each other', async () => {
    const at = await lab();
    expect(await send(at, 'GET', '/nodes/pve1/version', { host: 'pve2' })).toMatchObject({ status: 200 });
    expect(await send(at, 'GET', '/nodes/nope/version')).toMatchObject({
      status: 500,
      reason:
        "hostname lookup 'nope' failed - failed to get address info for: nope: Name or service not known",
    });
  });

  it('that are down are 595 for others and silent themselves', async () => {
    const at = await lab({}, ['pve1', 'pve2', 'pve3']);
    at.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
    expect(await send(at, 'GET', '/nodes/pve2/version')).toMatchObject({ status: 595, text: '' });
    await expect(send(at, 'GET', '/version', { host: 'pve2' })).rejects.toThrow();
    const { data } = JSON.parse((await send(at, 'GET', '/cluster/status')).text);
    expect(data).toContainEqual(expect.objectContaining({ type: 'cluster', quorate: 1, nodes: 3 }));
    expect(data).toContainEqual(expect.objectContaining({ name: 'pve2', online: 0 }));
  });

  it('in a minority have no quorum', async () => {
    const at = await lab();
    at.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
    expect(await send(at, 'POST', '/pools', { body: 'poolid=p' })).toMatchObject({
      status: 500,
      reason: "create pool failed: cfs-lock 'file-user_cfg' error: no quorum!",
    });
  });
});

describe('faults', () => {
  const fault = (at: Lab, name: 'api-error' | 'drop-before' | 'drop-after', subject: string) =>
    at.core.faults.set({ name, subject, countdown: 0 });
  const pools = async (at: Lab) => JSON.parse((await send(at, 'GET', '/pools')).text).data.length;

  it('answer 500 once', async () => {
    const at = await lab();
    fault(at, 'api-error', 'POST /pools');
    expect(await send(at, 'POST', '/pools', { body: 'poolid=p' })).toMatchObject({ status: 500 });
    expect(await send(at, 'POST', '/pools', { body: 'poolid=p' })).toMatchObject({ status: 200 });
  });

  it('cut the connection before or after the work is done', async () => {
    const at = await lab();
    fault(at, 'drop-before', 'POST /pools');
    await expect(send(at, 'POST', '/pools', { body: 'poolid=p' })).rejects.toThrow();
    expect(await pools(at)).toBe(0);
    fault(at, 'drop-after', 'POST /pools');
    await expect(send(at, 'POST', '/pools', { body: 'poolid=p' })).rejects.toThrow();
    expect(await pools(at)).toBe(1);
  });
});
