/** VMs of this cluster, and what only looks like them. */

import type { VmResource } from '../../clients/proxmox/calls/cluster.js';
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { Design } from '../../design/design.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { mayBeOurs, ownershipOf } from '../../formats/marks/ownership.js';
import { notedSecrets } from '../../formats/marks/secrets-note.js';
import { type VmState, vmConfigOf } from '../../formats/proxmox/vm-config.js';
import { talosVmidOf, type Vmid } from '../../model/identity.js';
import { attempt } from '../attempt.js';
import { type Lookalike, type Observed, type ObservedVm, unknown } from '../observed.js';
import { completeVms } from '../observed-vms.js';
import { readVm } from '../read-vm.js';

export interface OwnershipOptions {
  /** Nodes that begin again: with which secrets their data was made does not matter. */
  readonly fresh?: readonly string[];
  /** VMs on the ids of nodes count as ours whatever they carry: they may be taken over. */
  readonly adopt?: boolean;
}

/** Those whose configs are read; whose they are is known after that. */
export function candidates(
  design: Design,
  vms: readonly VmResource[],
  { adopt = false }: OwnershipOptions,
): VmResource[] {
  const ids = new Set(
    design.nodes.flatMap((node) => [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])]),
  );
  return vms.filter(
    (vm) =>
      vm.type === 'qemu' &&
      (mayBeOurs(design.cluster, vm.tags) || (adopt && ids.has(vm.vmid as Vmid))) &&
      (ids.has(vm.vmid as Vmid) || !vm.template),
  );
}

export async function readVms(
  client: ProxmoxClient,
  vms: readonly VmResource[],
  isOnline: (host: string) => boolean,
): Promise<ObservedVm[]> {
  const states = readStates(client, vms, isOnline);
  return Promise.all(
    vms.map(async (vm): Promise<ObservedVm> => {
      const [stateOf, config] = await Promise.all([
        states,
        isOnline(vm.node)
          ? attempt(() => readVm(client, vm.node, vm.vmid))
          : unknown<VmState>(`host ${vm.node} is down`),
      ]);
      const { vmid, node: host, name = '', tags, template } = vm;
      return { vmid: vmid as Vmid, host, name, status: stateOf(vm), tags, template, config };
    }),
  );
}

/** Ours and what only looks like it. */
export function byOwner(
  { cluster, nodes }: Design,
  all: readonly ObservedVm[],
  { fresh = [], adopt = false }: OwnershipOptions,
): Pick<Observed, 'vms' | 'lookalikes'> {
  const { secrets: _, ...anySecrets } = cluster;
  const begin = new Set(
    nodes
      .filter((node) => fresh.includes(node.name))
      .flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid]),
  );
  const named = new Set(nodes.flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid]));
  const vms: ObservedVm[] = [];
  const lookalikes: Record<number, Lookalike> = {};
  for (const vm of all) {
    const owner = begin.has(vm.vmid) ? anySecrets : cluster;
    const ownership = vm.config.known
      ? ownershipOf(owner, vm.vmid, vmConfigOf(vm.config.value).effective)
      : undefined;
    if (!ownership || ownership.ours || (adopt && named.has(vm.vmid))) vms.push(vm);
    // Else its tag went between two requests: it does not even look like ours any more.
    else if (ownership.because !== 'tag')
      lookalikes[vm.vmid] = { ...vm, why: ownership.why, because: ownership.because };
  }
  const foreign = new Map(
    vms.flatMap((vm) => {
      const other = adopt && named.has(vm.vmid) ? undefined : otherWithSecrets(vm, lookalikes);
      return other ? [[vm.vmid, other] as const] : [];
    }),
  );
  for (const vm of vms) {
    const other = foreign.get(vm.vmid);
    const why = other && `VM ${other.vmid} of the same node was created with the secrets of another cluster`;
    if (why) lookalikes[vm.vmid] = { ...vm, why, because: 'secrets' };
  }
  return { vms: completeVms(vms.filter((vm) => !foreign.has(vm.vmid))), lookalikes };
}

/** The other VM of its node, if that has the fingerprint of another cluster and this VM has none. */
function otherWithSecrets(
  vm: ObservedVm,
  lookalikes: Readonly<Record<number, Lookalike>>,
): Lookalike | undefined {
  if (!vm.config.known || notedSecrets(vmConfigOf(vm.config.value).effective.description ?? '') !== undefined)
    return undefined;
  const other = lookalikes[vm.tags.includes(DATA_TAG) ? talosVmidOf(vm.vmid) : vm.vmid * 10];
  return other?.because === 'secrets' ? other : undefined;
}

/**
 * What the cluster's list says is up to ten seconds old: a VM that a run stopped a moment ago would be taken for running.
 * Each host is asked once about its own.
 */
async function readStates(
  client: ProxmoxClient,
  vms: readonly VmResource[],
  isOnline: (host: string) => boolean,
): Promise<(vm: VmResource) => ObservedVm['status']> {
  const hosts = [...new Set(vms.map((vm) => vm.node))].filter(isOnline);
  const states = new Map(
    await Promise.all(hosts.map(async (host) => [host, await attempt(() => client.vmStates(host))] as const)),
  );
  return ({ node, vmid }) => {
    const listed = states.get(node);
    const status = listed?.known ? listed.value.get(vmid) : undefined;
    return status === 'paused' ? 'running' : (status ?? 'unknown');
  };
}
