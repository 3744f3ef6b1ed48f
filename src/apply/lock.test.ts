import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectProxmox, type ProxmoxClient } from '../clients/proxmox/client.js';
import { type Lab, startLab } from '../lab/index.js';
import { acquireLock, type Holder } from './lock.js';

const CLUSTER = { name: 'herd', env: '' };
const alive = () => true;
const holder = (runId: string, more: Partial<Holder> = {}): Holder => ({
  host: 'desk',
  bootId: 'boot',
  pid: 7,
  runId,
  since: '2026-01-01T00:00:00Z',
  ...more,
});

let lab: Lab;
let client: ProxmoxClient;
beforeEach(async () => {
  lab = await startLab();
  client = connectProxmox({
    endpoints: [lab.endpoint],
    token: lab.token,
    tls: { kind: 'fingerprint', sha256: lab.fingerprint },
    clock: lab.clock,
    random: () => 0.5,
  });
});
afterEach(async () => {
  await client.close();
  await lab.stop();
});

describe('a lock of a container', () => {
  it('is not taken over because its process cannot be seen', async () => {
    await acquireLock(client, CLUSTER, holder('one', { pidNamespace: 'pid:[2]', pid: 8 }), alive);
    const us = holder('two', { pidNamespace: 'pid:[3]' });
    await expect(acquireLock(client, CLUSTER, us, () => false)).rejects.toMatchObject({ code: 'lock.held' });
  });
});

describe('a lock that an earlier run has left behind', () => {
  it('is taken over where its process id is ours and its run is over', async () => {
    const first = await acquireLock(client, CLUSTER, holder('one'), alive);
    lab.core.faults.set({ name: 'host-down', subject: '', countdown: null });
    await expect(first.release()).rejects.toMatchObject({ code: 'proxmox.unreachable' });
    lab.core.faults.clear('host-down');
    const second = await acquireLock(client, CLUSTER, holder('two'), alive);
    await second.check();
  });

  it.each([
    ['that run of ours goes on', {}],
    ['another process of this computer lives', { pid: 8 }],
    ['it is another computer', { host: 'rack' }],
    ['it is another container, in which our process id is somebody else', { pidNamespace: 'pid:[2]' }],
  ])('stays where %s', async (_, more) => {
    await acquireLock(client, CLUSTER, holder('one', more), alive);
    await expect(acquireLock(client, CLUSTER, holder('two'), alive)).rejects.toMatchObject({
      code: 'lock.held',
    });
  });
});
