/** Bad input that shows only once Proxmox is asked: a clear message, no stack trace, and nothing is written anywhere. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, startLab } from '../../src/lab/index.js';
import { attemptBadInput } from '../support/bad-input/attempt.js';
import { BAD_REQUESTS } from '../support/bad-input/connected.js';
import { smallFile } from '../support/small-file.js';

let lab: Lab;
beforeAll(async () => {
  lab = await startLab({ speed: 1_000 });
});
afterAll(() => lab.stop());

const config = (fingerprint = lab.fingerprint, endpoint = lab.endpoint) =>
  smallFile({ proxmox: `endpoint: "${endpoint}", fingerprint: "${fingerprint}"` });

/** Everything but reads. */
const written = () =>
  JSON.stringify([...lab.proxmox.pve.db.vms.values(), ...lab.proxmox.pve.db.tasks.values()]);

describe('a request that does not fit', () => {
  it.each(BAD_REQUESTS)('$what', async (kind) => {
    const before = written();
    await attemptBadInput(kind, { env: { OXHERD_PROXMOX_TOKEN: lab.token } }, config());
    expect(written()).toBe(before);
  });
});

describe('a Proxmox that is not the right one', () => {
  const env = () => ({ env: { OXHERD_PROXMOX_TOKEN: lab.token } });

  it('has another certificate', () =>
    attemptBadInput(
      { what: '', args: ['apply', '--yes'], says: /certificate/ },
      env(),
      config(lab.fingerprint.replace(/^../, lab.fingerprint.startsWith('00') ? '11' : '00')),
    ));

  it('does not know the token', () =>
    attemptBadInput(
      { what: '', args: ['plan'], says: /token/ },
      { env: { OXHERD_PROXMOX_TOKEN: 'root@pam!no=00000000-0000-4000-8000-000000000000' } },
      config(),
    ));

  it('is not there', () =>
    attemptBadInput(
      { what: '', args: ['plan'], says: /127\.0\.0\.1/ },
      env(),
      config(lab.fingerprint, 'https://127.0.0.1:1'),
    ));

  it('is something else', async () => {
    const server = createServer((_, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await attemptBadInput(
        { what: '', args: ['plan'], says: /127\.0\.0\.1/ },
        env(),
        config(lab.fingerprint, `https://127.0.0.1:${port}`),
      );
    } finally {
      server.close();
    }
  });
});
