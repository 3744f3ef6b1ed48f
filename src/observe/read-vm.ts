import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { stateOfPending, type VmState } from '../formats/proxmox/vm-config.js';

/** A VM's config, what waits for its next start, and what its snapshots hold. */
export async function readVm(client: ProxmoxReads, host: string, vmid: number): Promise<VmState> {
  const state = stateOfPending(await client.vmPending(host, vmid));
  // Without snapshots there is no parent; one more question for each VM would double what a plan asks.
  if (state.values.parent === undefined) return state;
  const names = (await client.snapshots(host, vmid)).map(({ name }) => name);
  const sections = await Promise.all(
    names.map(
      async (snapshot) => [snapshot, (await client.vmConfig(host, vmid, { snapshot })).values] as const,
    ),
  );
  return { ...state, snapshots: Object.fromEntries(sections) };
}

export async function readContainer(client: ProxmoxReads, host: string, vmid: number): Promise<VmState> {
  const state = stateOfPending(await client.containerPending(host, vmid));
  if (state.values.parent === undefined) return state;
  const names = await client.containerSnapshots(host, vmid);
  const sections = await Promise.all(
    names.map(async (name) => [name, await client.containerSnapshot(host, vmid, name)] as const),
  );
  return { ...state, snapshots: Object.fromEntries(sections) };
}
