import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { type Lab, startLab } from '../../src/lab/index.js';
import { SeededRandom } from './proxmox-fuzz/random.js';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'BREW'];
const PATHS = [
  '/api2/json/version',
  '/api2/json/nodes/pve1/qemu',
  '/api2/json/%zz/%00',
  '/api2/xml/version',
  '/api2',
  '/',
  '*',
  `/api2/json/${'x'.repeat(3000)}`,
  '/api2/json/../../etc/passwd',
];
const HEADERS = [
  'Content-Type: application/json',
  'Content-Type: text/plain',
  'Content-Type: multipart/form-data; boundary=x',
  'Content-Length: 5',
  'Content-Length: 999999',
  'Content-Length: -1',
  'Content-Length: x',
  'Transfer-Encoding: chunked',
  'Cookie: PVEAuthCookie=PVE%3Aroot@pam%3A00000000%3A%3Ax',
  'Authorization: PVEAPIToken=root@pam!lab=wrong',
  'Authorization: Basic x',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'X: \u00ff\u00fe',
  'no colon here',
];
const BODIES = [
  '',
  'vmid=100',
  '{"vmid":',
  '5\r\nhello\r\n0\r\n\r\n',
  'x'.repeat(600 * 1024),
  '\u0000\u0001',
];

function message(random: SeededRandom, lab: Lab): string {
  if (random.chance(0.1))
    return random.pick(['\r\n\r\n', 'GET', '\u0016\u0003\u0001', 'GET / HTTP/9.9\r\n\r\n']);
  const headers = HEADERS.filter(() => random.chance(0.15));
  if (random.chance(0.6)) headers.push(`Authorization: PVEAPIToken=${lab.token}`);
  const head = [`${random.pick(METHODS)} ${random.pick(PATHS)} HTTP/1.1`, 'Host: pve1', ...headers];
  return `${head.join('\r\n')}\r\n\r\n${random.pick(BODIES)}`;
}

/** Sends it, waits for whatever comes, and hangs up. */
function send(lab: Lab, text: string, patienceMs = 60): Promise<string> {
  const { port } = new URL(lab.endpoint);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
    const end = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(patienceMs, end);
    socket.on('secureConnect', () => socket.write(text, 'latin1'));
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', end);
    socket.on('close', end);
  });
}

describe('broken HTTP to the Proxmox lab', () => {
  it('is answered or cut off, and harms no one else (300 connections)', async () => {
    const lab = await startLab();
    const random = new SeededRandom(1);
    const statuses = new Set<string>();
    try {
      for (let round = 0; round < 30; round += 1) {
        const answers = await Promise.all(Array.from({ length: 10 }, () => send(lab, message(random, lab))));
        for (const answer of answers) {
          const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
          if (status) statuses.add(status);
          expect(answer).not.toContain(lab.token.split('=')[1]);
        }
      }
      expect(lab.proxmox.bugs()).toEqual([]);
      expect(
        [...statuses].every((status) => /^(100|200|400|401|403|413|417|431|500|501|506)$/.test(status)),
      ).toBe(true);
      const whole = (token: string) =>
        send(
          lab,
          `GET /api2/json/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: PVEAPIToken=${token}\r\n\r\n`,
          20_000,
        );
      expect(await whole('root@pam!lab=wrong')).toMatch(/^HTTP\/1\.1 401/);
      const good = await whole(lab.token);
      expect(good).toContain('"version":"9.2.11"');
    } finally {
      await lab.stop();
    }
  });
});
