/** Whatever bytes a client sends, the lab goes on answering. */
import { connect } from 'node:tls';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Lab, startLab } from '../../src/lab/index.js';
import { TestApi } from '../lab-client/api.js';

/** Sends the bytes and waits until the server has had enough, or a moment. */
function sendBytes(lab: Lab, bytes: Buffer, leaveEarly: boolean): Promise<void> {
  const { port } = new URL(lab.endpoint);
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', ca: lab.authority }, () => {
      socket.write(bytes);
      if (leaveEarly) socket.destroy();
      else setTimeout(() => socket.destroy(), 20);
    });
    socket.on('data', () => {});
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

const token = fc.constantFrom('TOKEN', 'PVEAPIToken=x', 'Bearer x', 'PVEAPIToken=root@pam!lab=x');
const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'get', 'G@T'),
  path: fc.oneof(
    fc.constantFrom(
      '/api2/json/version',
      '/api2/json/pools',
      '/api2/json/',
      '/',
      '//',
      '*',
      '/api2/json/%',
      '/api2/json/%00',
    ),
    fc.webPath().map((path) => `/api2/json${path}`),
  ),
  query: fc.oneof(
    fc.constant(''),
    fc.webQueryParameters().map((query) => `?${query}`),
  ),
  authorization: token,
  type: fc.constantFrom('', 'application/json', 'text/plain', 'multipart/form-data; boundary=x'),
  length: fc.option(fc.integer({ min: -1, max: 600_000 }), { nil: undefined }),
  body: fc.string({ maxLength: 200 }),
  version: fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', ''),
});

it('the lab answers after any bytes', async () => {
  const lab = await startLab();
  const api = TestApi.withToken(lab);
  const crashes: unknown[] = [];
  const note = (error: unknown) => void crashes.push(error);
  process.on('unhandledRejection', note);
  const raw = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  const formed = request.map((one) => {
    const authorization = one.authorization === 'TOKEN' ? `PVEAPIToken=${lab.token}` : one.authorization;
    const headers = [
      `${one.method} ${one.path}${one.query} ${one.version}`,
      'Host: lab',
      `Authorization: ${authorization}`,
      ...(one.type ? [`Content-Type: ${one.type}`] : []),
      ...(one.length === undefined ? [] : [`Content-Length: ${one.length}`]),
    ];
    return Buffer.from(`${headers.join('\r\n')}\r\n\r\n${one.body}`);
  });
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 4, arbitrary: formed }, { weight: 1, arbitrary: raw }),
        fc.boolean(),
        async (bytes, early) => {
          await sendBytes(lab, bytes, early);
          expect((await api.call('GET', '/version')).status).toBe(200);
          expect(lab.proxmox.bugs()).toEqual([]);
          expect(crashes).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  } finally {
    process.off('unhandledRejection', note);
    api.close();
    await lab.stop();
  }
});
