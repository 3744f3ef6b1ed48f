import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { stateOfPending, type VmState } from '../formats/proxmox/vm-config.js';

/** A VM's config, what waits for its next start, and what its snapshots hold. */
export async function readVm(client: ProxmoxReads, host: string, vmid: number): Promise<VmState> {
  const [pending, listed] = await Promise.all([
    client.vmPending(host, vmid),
    // Always asked: a rollback to A and the deletion of A leave a later snapshot B, and no `parent` (AbstractConfig.pm).
    client.snapshots(host, vmid),
  ]);
  const state = stateOfPending(pending);
  const names = listed.map(({ name }) => name);
  const sections = await Promise.all(
    names.map(
      async (snapshot) => [snapshot, (await client.vmConfig(host, vmid, { snapshot })).values] as const,
    ),
  );
  return names.length === 0 ? state : { ...state, snapshots: Object.fromEntries(sections) };
}

export async function readContainer(client: ProxmoxReads, host: string, vmid: number): Promise<VmState> {
  const [pending, names] = await Promise.all([
    client.containerPending(host, vmid),
    client.containerSnapshots(host, vmid),
  ]);
  const state = stateOfPending(pending);
  const sections = await Promise.all(
    names.map(async (name) => [name, await client.containerSnapshot(host, vmid, name)] as const),
  );
  return names.length === 0 ? state : { ...state, snapshots: Object.fromEntries(sections) };
}
