import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { TalosAccess } from '../../clients/talos/access.js';
import type { Design } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { unknown } from '../../observe/observed.js';
import { awaitMachines } from './await-machines.js';

const design = partOf<Design>({
  nodes: [{ name: 'cp-1', ip: '10.0.0.1', talosVm: { vmid: 141, options: { ipconfig0: '' } } }],
});
const away = { node: 'cp-1', presence: 'absent', details: unknown('silent'), onItsWay: 'silent' } as const;

function situation(machine: object): Observed {
  return partOf<Observed>({
    vms: partVms({ vmid: 141, status: 'running', host: 'pve1', config: unknown('') }),
    machines: { 'cp-1': machine },
  });
}

/** A machine that shows itself in maintenance mode at this moment. */
function world(comesAt: number) {
  let now = 0;
  const said: string[] = [];
  const talos = partOf<TalosAccess>({
    probe: async () => (now >= comesAt ? 'maintenance' : 'absent'),
  });
  return {
    said,
    elapsed: () => now,
    wait: {
      talos,
      client: {} as ProxmoxClient,
      clock: {
        now: () => now,
        elapsed: () => now,
        sleep: async (ms: number) => {
          now += ms;
        },
      },
      signal: new AbortController().signal,
      progress: (text: string) => said.push(text),
    },
  };
}

describe('machines on their way', () => {
  it('are waited for, and are then looked at again', async () => {
    const { wait, said, elapsed } = world(30_000);
    expect(await awaitMachines(design, situation(away), wait)).toBe(true);
    expect(elapsed()).toBe(30_000);
    expect(said[0]).toBe('waiting for cp-1: silent');
  });

  it('are not waited for without end', async () => {
    const { wait, elapsed } = world(Number.POSITIVE_INFINITY);
    expect(await awaitMachines(design, situation(away), wait)).toBe(true);
    expect(elapsed()).toBe(5 * 60_000);
  });

  it('are no one where all have arrived', async () => {
    const { wait, elapsed } = world(0);
    const there = { node: 'cp-1', presence: 'maintenance', details: unknown('') };
    expect(await awaitMachines(design, situation(there), wait)).toBe(false);
    expect(elapsed()).toBe(0);
  });

  it('have arrived when they were shutting down and are gone', async () => {
    const { wait, elapsed } = world(Number.POSITIVE_INFINITY);
    const going = { ...away, details: { known: true, value: { stage: 'shutting down' } } };
    expect(await awaitMachines(design, situation(going), wait)).toBe(true);
    expect(elapsed()).toBe(2_000);
  });
});
