import { describe, expect, it } from 'vitest';
import { clientOf, failureOf, labForTest } from '../../../../test/support/clients/proxmox/lab.js';
import { inspectCertificate } from './tls.js';

const WRONG = Array(32).fill('AB').join(':');

describe('whom the client trusts', () => {
  it('the pinned certificate', async () => {
    const lab = await labForTest();
    expect((await clientOf(lab).version()).version).toMatch(/^9\./);
    const second = clientOf(lab, {
      endpoints: [lab.proxmox.endpoints.get('pve2') ?? ''],
      tls: { kind: 'fingerprint', sha256: [WRONG, lab.proxmox.pve.fingerprint('pve2').toLowerCase()] },
    });
    await expect(second.version()).resolves.toBeDefined();
  });

  it('not another one, and tells it nothing', async () => {
    const lab = await labForTest();
    const client = clientOf(lab, { tls: { kind: 'fingerprint', sha256: WRONG } });
    const error = await failureOf(client.version());
    expect(error.code).toBe('proxmox.certificate');
    expect(error.message).toContain(lab.fingerprint);
    expect(error.message).toContain(WRONG);
    expect(lab.proxmox.requests().total).toBe(0);
    // It is not tried again: a wrong certificate does not become right.
    expect(client.sent).toHaveLength(1);
  });

  it('the pin holds for every connection, not only the first', async () => {
    const lab = await labForTest();
    const client = clientOf(lab, { tls: { kind: 'fingerprint', sha256: WRONG } });
    await Promise.all(Array.from({ length: 5 }, () => failureOf(client.version())));
    await failureOf(client.version());
    expect(lab.proxmox.requests().total).toBe(0);
  });

  it('without a pin only what the system knows', async () => {
    const lab = await labForTest();
    const error = await failureOf(clientOf(lab, { tls: { kind: 'system' } }).version());
    expect(error.code).toBe('proxmox.certificate');
    expect(error.advice).toContain(`proxmox.fingerprint: ${lab.fingerprint}`);
    expect(lab.proxmox.requests().total).toBe(0);
  });

  it('a certificate that the CA signed, for the name we asked for', async () => {
    const lab = await labForTest();
    const tls = { kind: 'ca', pem: lab.authority } as const;
    await expect(clientOf(lab, { tls }).version()).resolves.toBeDefined();

    const { port } = new URL(lab.endpoint);
    const dial = () => ({ host: '127.0.0.1', port: Number(port) });
    await expect(
      clientOf(lab, { tls, dial, endpoints: ['https://pve1:8006'] }).version(),
    ).resolves.toBeDefined();
    const error = await failureOf(
      clientOf(lab, { tls, dial, endpoints: ['https://elsewhere:8006'] }).version(),
    );
    expect(error.code).toBe('proxmox.certificate');
  });

  it('each endpoint by its own certificate', async () => {
    const lab = await labForTest();
    const [one, two] = [lab.endpoint, lab.proxmox.endpoints.get('pve2') ?? ''];
    const [first, second] = [lab.fingerprint, lab.proxmox.pve.fingerprint('pve2')];
    expect(first).not.toBe(second);
    const client = clientOf(lab, {
      endpoints: [one, two],
      // What holds for the others is never asked where an endpoint has a fingerprint.
      tls: { kind: 'fingerprint', sha256: WRONG },
      fingerprints: { [one]: first, [two]: second.toLowerCase().replaceAll(':', '') },
    });
    await client.version();
    lab.core.faults.set({ name: 'host-down', subject: 'pve1', countdown: null });
    await client.version();
    expect(client.sent.at(-1)).toMatchObject({ endpoint: two, status: 200 });
  });

  it('an endpoint with the certificate of another one is refused, with what to write', async () => {
    const lab = await labForTest();
    const [one, two] = [lab.endpoint, lab.proxmox.endpoints.get('pve2') ?? ''];
    const client = clientOf(lab, {
      endpoints: [two, one],
      tls: { kind: 'ca', pem: lab.authority },
      fingerprints: { [two]: lab.fingerprint },
    });
    const error = await failureOf(client.version());
    const presented = lab.proxmox.pve.fingerprint('pve2');
    expect(error.message).toContain(`${two} is not trusted`);
    expect(error.message).toContain(presented);
    expect(error.advice).toContain(`proxmox.endpoint: { url: "${two}", fingerprint: "${presented}" }`);
    expect(error.advice).toContain('pvenode cert info');
    expect(lab.proxmox.requests().total).toBe(0);
  });

  it('anybody, where that was asked for', async () => {
    const lab = await labForTest();
    await expect(clientOf(lab, { tls: { kind: 'insecure' } }).version()).resolves.toBeDefined();
  });

  it('and shows the certificate without sending a request', async () => {
    const lab = await labForTest();
    const seen = await inspectCertificate(lab.endpoint, { timeoutMs: 5_000 });
    expect(seen.fingerprint).toBe(lab.fingerprint);
    expect(seen.subject).toBe('CN=pve1');
    expect(seen.validTo.getTime()).toBeGreaterThan(Date.now());
    expect(lab.proxmox.requests().total).toBe(0);
    await expect(inspectCertificate('https://127.0.0.1:1', { timeoutMs: 5_000 })).rejects.toThrow(
      'ECONNREFUSED',
    );
  });
});
