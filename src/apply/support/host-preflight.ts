/** Whether a host has what a VM needs to start, asked at this moment: a drained node must not stay down. */

import type { NetUse } from '../../formats/proxmox/nets-of.js';
import { attempt } from '../../observe/attempt.js';
import { readBridges } from '../../observe/proxmox/read-bridges.js';
import { type HostNeeds, type HostOffers, netProblems, unmetNeeds } from '../../plan/vms/host-needs.js';
import type { StepContext } from './context.js';
import { StepError } from './read-vm.js';

/** `refusal`: `refusing to disrupt work-1`. */
export async function requireHost(needs: HostNeeds, refusal: string, context: StepContext): Promise<void> {
  const [unmet] = unmetNeeds(needs, await readOffers(needs, context));
  if (unmet) throw new StepError('apply.host', `${refusal}: ${unmet.message}`, { advice: unmet.advice });
}

/** Before a NIC of a running VM is changed. */
export async function requireBridges(
  host: string,
  nets: readonly NetUse[],
  refusal: string,
  { client }: StepContext,
): Promise<void> {
  if (nets.length === 0) return;
  const bridges = await attempt(() => readBridges(client, host, largestOf(nets)));
  const [unmet] = bridges.known ? netProblems(host, nets, bridges.value) : [];
  if (unmet) throw new StepError('apply.host', `${refusal}: ${unmet.message}`, { advice: unmet.advice });
}

/** What the token may not read was not read for the plan either. */
async function readOffers({ host, nets, mappings }: HostNeeds, { client }: StepContext): Promise<HostOffers> {
  const [status, storages, bridges, known] = await Promise.all([
    attempt(() => client.nodeStatus(host)),
    attempt(() => client.storages(host)),
    attempt(() => readBridges(client, host, largestOf(nets))),
    mappings.length > 0 ? attempt(() => client.pciMappings()) : undefined,
  ]);
  return {
    ...(status.known && { cpus: status.value.cpus }),
    ...(storages.known && {
      storages: storages.value.map(({ storage, content, active }) => ({ name: storage, content, active })),
    }),
    ...(bridges.known && { bridges: bridges.value }),
    ...(known?.known && { mappings: Object.fromEntries(known.value.map(({ id, nodes }) => [id, nodes])) }),
  };
}

function largestOf(nets: readonly NetUse[]): number {
  return Math.max(1, ...nets.map(({ mtu = 1 }) => mtu));
}
