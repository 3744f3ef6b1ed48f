/** Machines of this cluster that oxherd.yaml does not have: each of them may be a member of etcd. */
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { TalosAccess } from '../clients/talos/access.js';
import type { Design } from '../design/design.js';
import { DATA_TAG } from '../formats/marks/data-tag.js';
import { parseNet } from '../formats/proxmox/property-string.js';
import { uuidOfVm } from '../formats/proxmox/smbios-uuid.js';
import { staticAddressOf } from '../formats/proxmox/static-address.js';
import { vmConfigOf } from '../formats/proxmox/vm-config.js';
import { attempt } from './attempt.js';
import { machineAddresses } from './machine-address.js';
import { observeDetails, readUuid } from './observe-machines.js';
import { type Observed, type ObservedVm, unknown } from './observed.js';
import type { EtcdMember, ObservedMachine } from './observed-machines.js';
import { visibleVms } from './observed-vms.js';

export async function observeRemovedMachines(
  access: TalosAccess,
  client: ProxmoxClient,
  design: Pick<Design, 'nodes'>,
  observed: Pick<Observed, 'vms'>,
): Promise<Record<number, ObservedMachine>> {
  const inFile = new Set<number>(design.nodes.map(({ talosVm }) => talosVm.vmid));
  const vms = visibleVms(observed).filter((vm) => !inFile.has(vm.vmid) && !vm.tags.includes(DATA_TAG));
  const machines = await Promise.all(
    vms.map(async (vm) => [vm.vmid, await observeRemoved(access, client, vm)] as const),
  );
  return Object.fromEntries(machines);
}

async function observeRemoved(
  access: TalosAccess,
  client: ProxmoxClient,
  vm: ObservedVm,
): Promise<ObservedMachine> {
  const node = vm.name;
  if (vm.status === 'stopped') return { node, presence: 'off', details: unknown('its VM does not run') };
  for (const address of await addressesOf(client, vm)) {
    const found = await observeAt(access, vm, address);
    if (found) return found;
  }
  return { node, presence: 'absent', details: unknown('its machine does not answer') };
}

/** `undefined`: nothing answers at the address, or another machine does. */
async function observeAt(
  access: TalosAccess,
  vm: ObservedVm,
  address: string,
): Promise<ObservedMachine | undefined> {
  const presence = await access.probe(address);
  const uuid = uuidOfVm(vm);
  if (presence === 'maintenance') {
    const why = `it may be the machine of VM ${vm.vmid}; only its SMBIOS uuid is read`;
    const seen = await attempt(() => readUuid(access.maintenance(address, why)));
    if (!seen.known || uuid === undefined || seen.value !== uuid) return undefined;
    return { node: vm.name, presence, address, details: unknown('it waits for its config') };
  }
  if (presence !== 'configured') return undefined;
  const seen = await observeDetails(access, { role: 'controlplane' }, address);
  if (!seen.details.known) return undefined;
  return seen.details.value.uuid === uuid && uuid !== undefined
    ? { node: vm.name, presence, address, ...seen }
    : undefined;
}

async function addressesOf(client: ProxmoxClient, vm: ObservedVm): Promise<readonly string[]> {
  const address = staticAddressOf(vm);
  if (address !== undefined) return [address];
  if (!vm.config.known) return [];
  const { mac } = parseNet(vmConfigOf(vm.config.value).effective.net0 ?? 'virtio');
  return machineAddresses(client, vm, mac);
}

/** Members of etcd's list that answer at their address, and that none of these machines is. */
export async function observeForeignMembers(
  access: TalosAccess,
  machines: readonly ObservedMachine[],
): Promise<string[]> {
  const views = machines.flatMap(({ details }) =>
    details.known && details.value.etcd?.known ? [details.value.etcd.value] : [],
  );
  const ours = new Set(views.map(({ memberId }) => memberId));
  const others = new Map(
    views.flatMap(({ members }) => members).flatMap((one) => (ours.has(one.id) ? [] : [[one.id, one]])),
  );
  const answers = await Promise.all(
    [...others.values()].map(async (member) => ((await answersAsItself(access, member)) ? [member.id] : [])),
  );
  return answers.flat();
}

async function answersAsItself(access: TalosAccess, { id, addresses = [] }: EtcdMember): Promise<boolean> {
  for (const address of addresses) {
    if ((await access.probe(address)) !== 'configured') continue;
    const status = await attempt(async () => access.admin(address)?.etcd.status());
    if (status.known && status.value?.memberId.toString(16) === id) return true;
  }
  return false;
}
