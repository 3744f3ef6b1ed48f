/** What keeps a VM from moving is said before the first drain, of the data VM and of the Talos VM alike. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import { TestApi } from '../lab-client/api.js';
import { workerOn } from '../support/move-scenarios.js';
import { putReplicationJob } from '../support/replication-job.js';
import { configOf, VmSite } from '../support/vm-site.js';

const HOST = 'pve1';
const VMS = { talos: 151, data: 1510 } as const;

let site: VmSite;
let client: ProxmoxConnection;
afterEach(async () => {
  await client.close();
  await site.stop();
});

interface Obstacle {
  readonly what: string;
  readonly put: (vmid: number) => Promise<void>;
  readonly takeAway: (vmid: number) => Promise<void>;
  readonly said: (vmid: number) => string;
  readonly command: (vmid: number) => string;
}

/** As a task of Proxmox leaves it while it runs. */
async function setLock(vmid: number, lock: string | undefined): Promise<void> {
  const { vms } = site.lab.proxmox.pve.db;
  const vm = vms.get(String(vmid));
  if (!vm) throw new Error(`no VM ${vmid}`);
  const { lock: _, ...config } = vm.config;
  vms.put(String(vmid), { ...vm, config: { ...config, ...(lock !== undefined && { lock }) } });
}

async function api(method: 'POST' | 'DELETE', path: string, params: Record<string, string>): Promise<void> {
  const { status, reason } = await TestApi.withToken(site.lab).call(method, path, params);
  expect(`${status} ${reason}`).toBe('200 OK');
}

const OBSTACLES: readonly Obstacle[] = [
  {
    what: 'a replication job',
    put: async (vmid) => putReplicationJob(site.lab, vmid, 0, 'pve2'),
    takeAway: (vmid) => api('DELETE', `/cluster/replication/${vmid}-0`, { force: '1' }),
    said: (vmid) => `VM ${vmid} is replicated to pve2 (job ${vmid}-0)`,
    command: (vmid) => `pvesr delete ${vmid}-0`,
  },
  ...['backup'].map(
    (lock): Obstacle => ({
      what: `a ${lock} that runs`,
      put: (vmid) => setLock(vmid, lock),
      takeAway: (vmid) => setLock(vmid, undefined),
      said: (vmid) => `VM ${vmid} is locked by Proxmox (${lock})`,
      command: (vmid) => `qm unlock ${vmid}`,
    }),
  ),
  {
    what: 'a snapshot',
    put: async (vmid) => {
      await client.runTask(() => client.createSnapshot(HOST, vmid, 'before'));
    },
    takeAway: async (vmid) => {
      await client.runTask(() => client.deleteSnapshot(HOST, vmid, 'before'));
    },
    said: (vmid) => `VM ${vmid} has snapshots (before)`,
    command: (vmid) => `qm delsnapshot ${vmid} before`,
  },
];

describe.each([
  ['to another host', workerOn('pve2')],
  ['to another storage', workerOn('pve1').replace('size: 2GiB, on:', 'size: 2GiB, storage: other, on:')],
])('a move %s', (_, target) => {
  it('waits for what holds either VM, and drains and stops nothing', async () => {
    site = await VmSite.start(configOf(target));
    client = site.connect();
    site.use(workerOn('pve1'));
    expect((await site.apply(client)).result.outcome).toBe('done');
    site.use(target);
    for (const { what, put, takeAway, said, command } of OBSTACLES) {
      for (const vmid of Object.values(VMS)) {
        await put(vmid);
        const plan = await site.plan(client);
        const about = plan.problems.filter(({ node }) => node === 'work-1');
        expect(about.map(({ message }) => message).join('\n'), `${what}, VM ${vmid}`).toContain(said(vmid));
        expect(about.map(({ advice }) => advice).join('\n'), `${what}, VM ${vmid}`).toContain(command(vmid));
        expect(plan.steps.filter(({ node }) => node === 'work-1')).toEqual([]);
        await takeAway(vmid);
      }
    }
    expect((await site.apply(client)).result.outcome).toBe('done');
    expect(site.problems()).toEqual([]);
    expect((await site.plan(client)).steps).toEqual([]);
  });
});
