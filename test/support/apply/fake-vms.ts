/** VMs and volumes in memory behind the few calls that steps on drives and options make; every write is recorded. */
import type { StepContext } from '../../../src/apply/support/context.js';
import { clusterTag } from '../../../src/formats/marks/cluster-names.js';
import { smbiosUuidOf } from '../../../src/formats/marks/identities.js';
import type { ClusterOwner } from '../../../src/formats/marks/ownership.js';
import type { Vmid } from '../../../src/model/identity.js';
import { CONFIRMED } from './confirmed-guard.js';

export interface FakeVm {
  readonly values: Record<string, string>;
  readonly pending?: Record<string, string>;
  status?: 'running' | 'stopped';
}

interface FakeVms {
  readonly context: StepContext;
  readonly vms: Record<number, FakeVm>;
  readonly sizes: Record<string, number>;
  /** `updateVm 151 …` in order. */
  readonly writes: string[];
}

export const FAKE_CLUSTER: ClusterOwner = { name: 'moon', env: 'test' };

/** What makes a VM this cluster's. */
export function ownValues(vmid: number): Record<string, string> {
  return { tags: clusterTag(FAKE_CLUSTER), smbios1: `uuid=${smbiosUuidOf(FAKE_CLUSTER, vmid as Vmid)}` };
}

/** `deaf`: writes are accepted and change nothing, as when another writer undoes them. */
export function fakeVms(vms: Record<number, FakeVm>, { deaf = false } = {}): FakeVms {
  const writes: string[] = [];
  const sizes: Record<string, number> = {};
  const vm = (vmid: number): FakeVm => {
    const found = vms[vmid];
    if (!found) throw new Error(`no VM ${vmid}`);
    return found;
  };
  let now = 0;
  const client = {
    snapshots: async () => [],
    vmPending: async (_host: string, vmid: number) => {
      const { values, pending = {} } = vm(vmid);
      const keys = [...new Set([...Object.keys(values), ...Object.keys(pending)])];
      return {
        digest: `digest of ${vmid}`,
        entries: Object.fromEntries(
          keys.map((key) => [
            key,
            {
              delete: 0,
              ...(values[key] !== undefined && { value: values[key] }),
              ...(pending[key] !== undefined && { pending: pending[key] }),
            },
          ]),
        ),
      };
    },
    vmStatus: async (_host: string, vmid: number) => ({ status: vm(vmid).status ?? 'running' }),
    updateVm: async (
      _host: string,
      vmid: number,
      change: { set?: Record<string, string>; delete?: string[]; digest: string },
    ) => {
      writes.push(`updateVm ${vmid} ${JSON.stringify({ set: change.set, delete: change.delete })}`);
      if (deaf) return;
      for (const key of change.delete ?? []) delete vm(vmid).values[key];
      Object.assign(vm(vmid).values, change.set ?? {});
    },
    moveDisk: async (
      _host: string,
      vmid: number,
      { disk, targetVmid, targetDisk }: { disk: string; targetVmid: number; targetDisk: string },
    ) => {
      writes.push(`moveDisk ${vmid} ${disk} ${targetVmid} ${targetDisk}`);
      const line = vm(vmid).values[disk];
      if (deaf || line === undefined) return;
      // As Proxmox reassigns a disk: the volume is renamed, its options move along, the line of the source is removed.
      vm(targetVmid).values[targetDisk] = line.replace(`vm-${vmid}-`, `vm-${targetVmid}-`);
      delete vm(vmid).values[disk];
    },
    volumeInfo: async (_host: string, volid: string) => ({ size: sizes[volid] ?? 0 }),
    resizeDisk: async (_host: string, vmid: number, slot: string, size: number) => {
      writes.push(`resizeDisk ${vmid} ${slot} ${size}`);
      const volid = (vm(vmid).values[slot] ?? '').replace(/,.*$/, '');
      if (!deaf) sizes[volid] = size;
    },
    startVm: async (_host: string, vmid: number) => {
      writes.push(`startVm ${vmid}`);
      if (!deaf) vm(vmid).status = 'running';
    },
    down: {
      shutdownVm: async (_permit: unknown, _host: string, vmid: number) => {
        writes.push(`shutdownVm ${vmid}`);
        if (!deaf) vm(vmid).status = 'stopped';
      },
    },
    runTask: async (start: () => Promise<unknown>) => start(),
  };
  const clock = {
    now: () => Date.UTC(2026, 0, 1) + now,
    elapsed: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
  const context = {
    client,
    clock,
    cluster: FAKE_CLUSTER,
    memory: new Map<string, string>(),
    progress: () => {},
    signal: new AbortController().signal,
    guard: CONFIRMED,
  } as unknown as StepContext;
  return { context, vms, sizes, writes };
}
