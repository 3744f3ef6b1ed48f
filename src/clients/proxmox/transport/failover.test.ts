import { describe, expect, it } from 'vitest';
import { clientOf, failureOf, labForTest } from '../../../../test/support/clients/proxmox/lab.js';

const NOBODY = 'https://127.0.0.1:1';

describe('several endpoints', () => {
  it('asks the next one where one does not answer, for writing too', async () => {
    const lab = await labForTest();
    const client = clientOf(lab, { endpoints: [NOBODY, lab.endpoint] });
    await client.createPool('one');
    expect(client.sent.map((request) => request.status)).toEqual(['proxmox.unreachable', 200]);
    // The one that was down comes last for a while.
    await client.pools();
    expect(client.sent.at(-1)).toMatchObject({ endpoint: lab.endpoint, attempt: 1, status: 200 });
    expect(client.sent).toHaveLength(3);
  });

  it('goes on over another host when the one it used dies', async () => {
    const lab = await labForTest();
    const second = lab.proxmox.endpoints.get('pve2') ?? '';
    const client = clientOf(lab, {
      endpoints: [lab.endpoint, second],
      tls: { kind: 'ca', pem: lab.authority },
    });
    await client.version();
    lab.core.faults.set({ name: 'host-down', subject: 'pve1', countdown: null });
    await expect(client.version()).resolves.toBeDefined();
    expect(client.sent.at(-1)).toMatchObject({ endpoint: second, status: 200 });
  });

  it('gives up after some rounds, and says where it tried', async () => {
    const lab = await labForTest();
    const client = clientOf(lab, { endpoints: [NOBODY, 'https://127.0.0.1:2'] });
    const error = await failureOf(client.createPool('one'));
    expect(error.code).toBe('proxmox.unreachable');
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.mayHaveHappened).toBe(false);
    expect(client.sent).toHaveLength(10);
  });

  it('does not look for a better answer where a certificate is wrong', async () => {
    const lab = await labForTest();
    const client = clientOf(lab, {
      endpoints: [lab.endpoint, lab.proxmox.endpoints.get('pve2') ?? ''],
      tls: { kind: 'fingerprint', sha256: lab.proxmox.pve.fingerprint('pve2') },
    });
    expect((await failureOf(client.version())).code).toBe('proxmox.certificate');
  });
});
