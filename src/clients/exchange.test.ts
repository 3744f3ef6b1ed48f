import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotSent } from '../model/write-gate.js';
import { exchange, TimedOut } from './exchange.js';
import { TooLarge } from './read-limited.js';

describe('a whole answer', () => {
  let server: Server;
  let pool: Pool;
  const seen: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.url ?? '');
      if (request.url === '/silent') return;
      response.statusMessage = 'As you say';
      response.statusCode = 203;
      response.write('grün ');
      response.end('x'.repeat(1_000));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
  });
  afterAll(async () => {
    await pool.destroy();
    server.closeAllConnections();
    server.close();
  });
  const ask = (path: string, limits: Partial<Parameters<typeof exchange>[2]> = {}) =>
    exchange(pool, { method: 'GET', path }, { timeoutMs: 5_000, ...limits });

  it('comes with its status, its reason and its text', async () => {
    expect(await ask('/')).toEqual({ status: 203, reason: 'As you say', body: `grün ${'x'.repeat(1_000)}` });
  });

  it('is cut where it is too large, and the next request has a connection', async () => {
    await expect(ask('/', { maxBytes: 100 })).rejects.toThrow(TooLarge);
    expect((await ask('/')).status).toBe(203);
  });

  it('is not waited for longer than allowed', async () => {
    await expect(ask('/silent', { timeoutMs: 20 })).rejects.toThrow(TimedOut);
    expect((await ask('/')).status).toBe(203);
  });

  it('is not waited for where no connection comes about', async () => {
    const nowhere = new Pool('http://127.0.0.1:9', { connect: () => undefined });
    const request = { method: 'GET', path: '/' } as const;
    await expect(exchange(nowhere, request, { timeoutMs: 20 })).rejects.toThrow(TimedOut);
    await nowhere.destroy();
  });

  it('is not asked for where the request may not leave', async () => {
    await expect(ask('/never', { mayLeave: () => false })).rejects.toThrow(NotSent);
    expect((await ask('/', { mayLeave: () => true })).status).toBe(203);
    expect(seen).not.toContain('/never');
  });
});
