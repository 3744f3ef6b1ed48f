/** A lab and clients of it, for tests; both are gone when the test is over. */
import { onTestFinished } from 'vitest';
import type { ConnectOptions, RequestRecord } from '../../../../src/clients/proxmox/api-session.js';
import { connectProxmox, type ProxmoxClient } from '../../../../src/clients/proxmox/client.js';
import { ProxmoxError } from '../../../../src/clients/proxmox/errors.js';
import { type Lab, type LabOptions, startLab } from '../../../../src/lab/index.js';
import { DEFAULT_STORAGES, defaultBridge, type LabWorld } from '../../../../src/lab/world.js';

const GIB = 1024 ** 3;

/** Two hosts with a dir storage for disks beside the usual ones. */
export const TWO_HOSTS: LabWorld = {
  hosts: ['pve1', 'pve2'].map((name, index) => ({ name, bridges: [defaultBridge(index)] })),
  storages: [
    ...DEFAULT_STORAGES,
    {
      id: 'vmdata',
      type: 'dir',
      path: '/var/lib/vmdata',
      content: ['images', 'rootdir'],
      shared: false,
      nodes: [],
      total: 500 * GIB,
    },
  ],
};

export async function labForTest(options: LabOptions = {}): Promise<Lab> {
  const lab = await startLab({ world: TWO_HOSTS, ...options });
  onTestFinished(() => lab.stop());
  return lab;
}

export interface TestClient extends ProxmoxClient {
  /** Every attempt, in order. */
  readonly sent: readonly RequestRecord[];
}

export function clientOf(lab: Lab, options: Partial<ConnectOptions> = {}): TestClient {
  const sent: RequestRecord[] = [];
  const client = connectProxmox({
    endpoints: [lab.endpoint],
    token: lab.token,
    tls: { kind: 'fingerprint', sha256: lab.fingerprint },
    clock: lab.clock,
    random: () => 0.5,
    onRequest: (record) => sent.push(record),
    ...options,
  });
  onTestFinished(() => client.close());
  return { ...client, sent };
}

/** What a promise was rejected with; fails the test if it was not. */
export async function failureOf(work: Promise<unknown>): Promise<ProxmoxError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ProxmoxError) return error;
    throw error;
  }
  throw new Error('it should have failed');
}
