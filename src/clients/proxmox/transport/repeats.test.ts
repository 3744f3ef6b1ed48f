import { describe, expect, it } from 'vitest';
import { clientOf, failureOf, labForTest } from '../../../../test/support/clients/proxmox/lab.js';
import type { FaultName } from '../../../lab/faults.js';
import type { Lab } from '../../../lab/index.js';

const once = (lab: Lab, name: FaultName, subject: string) =>
  lab.core.faults.set({ name, subject, countdown: 0 });

describe('what is sent again', () => {
  it.each(['drop-before', 'drop-after'] as const)(
    'reading, when the connection breaks (%s)',
    async (fault) => {
      const lab = await labForTest();
      const client = clientOf(lab);
      once(lab, fault, 'GET /nodes');
      await expect(client.nodes()).resolves.toHaveLength(2);
      expect(client.sent.map((request) => request.status)).toEqual(['proxmox.dropped', 200]);
    },
  );

  it('not writing, though it was not carried out', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    once(lab, 'drop-before', 'POST /pools');
    const error = await failureOf(client.createPool('one'));
    expect(error).toMatchObject({ code: 'proxmox.dropped', mayHaveHappened: true });
    expect(error.advice).toContain('run again');
    expect(client.sent).toHaveLength(1);
    expect(await client.pools()).toEqual([]);
  });

  it('not writing, because it was carried out', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    once(lab, 'drop-after', 'POST /pools');
    expect(await failureOf(client.createPool('one'))).toMatchObject({
      code: 'proxmox.dropped',
      mayHaveHappened: true,
    });
    expect(client.sent).toHaveLength(1);
    expect(await client.pools()).toMatchObject([{ poolid: 'one' }]);
  });

  it('an allocation whose answer was lost is made once', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    once(lab, 'drop-after', 'POST /nodes/pve1/storage/local-zfs/content');
    const volume = { vmid: 900, filename: 'vm-900-data', size: 1024 ** 3 };
    expect((await failureOf(client.allocVolume('pve1', 'local-zfs', volume))).mayHaveHappened).toBe(true);
    expect(await client.storageContent('pve1', 'local-zfs')).toHaveLength(1);
  });

  it('reading that was not answered in time, once', async () => {
    const lab = await labForTest();
    // Long enough for a handshake on a busy machine.
    const client = clientOf(lab, { requestTimeoutMs: 500 });
    await client.version();
    once(lab, 'api-timeout', 'GET /nodes');
    await expect(client.nodes()).resolves.toHaveLength(2);
    lab.core.faults.set({ name: 'api-timeout', subject: 'GET /pools', countdown: null });
    expect((await failureOf(client.pools())).code).toBe('proxmox.timeout');
    expect(client.sent.filter((request) => request.path === '/pools')).toHaveLength(2);
  });

  it('not writing that was not answered in time', async () => {
    const lab = await labForTest();
    const client = clientOf(lab, { requestTimeoutMs: 100 });
    lab.core.faults.set({ name: 'api-timeout', subject: 'POST /pools', countdown: null });
    expect(await failureOf(client.createPool('one'))).toMatchObject({
      code: 'proxmox.timeout',
      mayHaveHappened: true,
    });
    expect(client.sent).toHaveLength(1);
  });

  it('writing that found its lock taken', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    await client.runTask(() => client.createVm('pve1', 100, { memory: 512 }));
    lab.core.faults.set({ name: 'lock-timeout', subject: '100', countdown: 0 });
    await client.updateVm('pve1', 100, { set: { cores: 2 } });
    expect(client.sent.slice(-2).map((request) => request.status)).toEqual([500, 200]);
    expect((await client.vmConfig('pve1', 100)).values.cores).toBe('2');
    lab.core.faults.set({ name: 'lock-timeout', subject: '100', countdown: null });
    expect((await failureOf(client.updateVm('pve1', 100, { set: { cores: 3 } }))).code).toBe(
      'proxmox.lock-timeout',
    );
  });

  it('no refusal: an error of the API is told at once', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    lab.core.faults.set({ name: 'api-error', subject: 'GET /nodes', countdown: null });
    expect((await failureOf(client.nodes())).code).toBe('proxmox.failed');
    expect(client.sent).toHaveLength(1);
  });

  it('nothing once we were told to stop', async () => {
    const lab = await labForTest();
    const stop = new AbortController();
    const client = clientOf(lab, { endpoints: ['https://127.0.0.1:1'], signal: stop.signal });
    stop.abort();
    await failureOf(client.nodes());
    expect(client.sent).toHaveLength(1);
  });
});
