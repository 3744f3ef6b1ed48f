import { randomBytes } from 'node:crypto';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { afterEach, expect, it } from 'vitest';
import { newAuthority } from '../../secrets/certificates.js';
import { fromBase64Pem } from '../../secrets/pem.js';
import { Calls } from './calls.js';
import { Connection, readableKey } from './connection.js';
import { MachineService } from './gen/machine/machine_pb.js';
import { pullImage } from './upgrade.js';

let server: Http2SecureServer;
afterEach(() => void server.close());

/** Answers no pull, and ends the session at any other call, as a machine does that reboots. */
async function machine(): Promise<number> {
  const subject = { organizations: ['talos'] };
  const { crt, key } = await newAuthority(
    { subject, algorithm: 'ed25519', notBefore: new Date() },
    randomBytes,
  );
  server = createSecureServer({ cert: fromBase64Pem(crt), key: readableKey(fromBase64Pem(key)) });
  server.on('stream', (stream, { ':path': path }) => {
    stream.on('error', () => {});
    if (path?.endsWith('/Pull')) server.emit('pull');
    else stream.session?.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

it('a call that waits when another one ends its connection ends with it, long before its deadline', async () => {
  const port = await machine();
  const trust = { kind: 'maintenance', because: 'it is this test' } as const;
  const connection = new Connection({ address: '127.0.0.1', port, trust });
  const clock = { now: Date.now, elapsed: () => performance.now(), sleep: async () => {} };
  const calls = new Calls(connection, clock, { quick: 50_000, long: 50_000 });
  const arrived = new Promise((resolve) => server.once('pull', resolve));
  const pull = pullImage(calls, 'v1.14.1', 'ghcr.io/siderolabs/installer:v1.14.1', 'installer');
  const refused = expect(pull).rejects.toMatchObject({ code: 'talos.unreachable' });
  await arrived;
  const version = calls.once((options) => connection.client(MachineService).version({}, options));
  await expect(version).rejects.toMatchObject({ code: 'talos.unreachable' });
  await refused;
});
