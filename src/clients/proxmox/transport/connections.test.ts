import { describe, expect, it } from 'vitest';
import { clientOf, failureOf, labForTest } from '../../../../test/support/clients/proxmox/lab.js';

describe('connections', () => {
  it('are kept, and closed after 100 requests as the server does', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    for (let count = 0; count < 250; count += 1) await client.version();
    expect(lab.proxmox.requests()).toMatchObject({ total: 250 });
    // 100, 100 and 50; one more where the pool already had a second one open.
    expect(lab.proxmox.requests().connections).toBeGreaterThanOrEqual(3);
    expect(lab.proxmox.requests().connections).toBeLessThanOrEqual(4);
  });

  it('break for no one when many requests cross the limit at once', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    const names = Array.from({ length: 300 }, (_, index) => `pool-${index}`);
    await Promise.all(names.map((name) => client.createPool(name)));
    expect(client.sent).toHaveLength(300);
    expect(client.sent.every((request) => request.status === 200)).toBe(true);
  });

  it('are closed by the server after an error, without harm to the next request', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    for (let count = 0; count < 20; count += 1) {
      await failureOf(client.deletePool('none'));
      await client.createPool(`pool-${count}`);
    }
    expect(client.sent).toHaveLength(40);
    expect(lab.proxmox.requests().connections).toBeGreaterThanOrEqual(20);
  });

  it('carry no more requests to a host at a time than allowed', async () => {
    const latency = 10;
    const lab = await labForTest({ latency });
    const client = clientOf(lab, { limits: { perHost: 3 } });
    await client.storages('pve1');
    const started = performance.now();
    await Promise.all(Array.from({ length: 30 }, () => client.storages('pve1')));
    // Ten rounds of three; timers may be a millisecond early.
    expect(performance.now() - started).toBeGreaterThan(10 * (latency - 1));
    expect(lab.proxmox.requests().connections).toBeLessThanOrEqual(6);
  });

  it('a storage makes no more disks at a time than allowed, though no one waits for them', async () => {
    const lab = await labForTest({ speed: 20 });
    const client = clientOf(lab, { limits: { diskOperationsPerStorage: 2 } });
    const running = () =>
      [...lab.proxmox.pve.db.tasks.values()].filter((task) => task.exitstatus === undefined).length;
    let most = 0;
    const tasks = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const task = await client.createVm('pve1', 100 + index, { scsi0: 'local-zfs:1' });
        most = Math.max(most, running());
        return task;
      }),
    );
    expect(most).toBe(2);
    await Promise.all(tasks.map((task) => client.waitTask(task)));
    expect(await client.storageContent('pve1', 'local-zfs')).toHaveLength(8);
  });
});
