import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { TalosAccess } from '../clients/talos/access.js';
import type { NodeDesign } from '../design/design.js';
import { parseNet } from '../formats/proxmox/property-string.js';
import { attempt } from './attempt.js';

/**
 * Where a machine that got its first address by DHCP waits for its config: its guest agent tells, and the MAC is the
 * one we gave it. `undefined`: it is not known, or nothing answers there.
 */
export async function findAddress(
  access: TalosAccess,
  client: ProxmoxClient,
  host: string,
  node: NodeDesign,
): Promise<string | undefined> {
  if (node.talosVm.options.ipconfig0 !== undefined) return undefined;
  const { mac } = parseNet(String(node.talosVm.options.net0 ?? 'virtio'));
  for (const address of await machineAddresses(client, { host, vmid: node.talosVm.vmid }, mac)) {
    if ((await access.probe(address)) === 'maintenance') return address;
  }
  return undefined;
}

/** Addresses that the guest agent reports for the interface with this MAC. */
export async function machineAddresses(
  client: ProxmoxClient,
  { host, vmid }: { readonly host: string; readonly vmid: number },
  mac: string | undefined,
): Promise<readonly string[]> {
  const interfaces = await attempt(() => client.guestInterfaces(host, vmid));
  if (!interfaces.known) return [];
  return interfaces.value
    .filter((item) => item.mac === mac)
    .flatMap((item) => item.addresses)
    .filter((address) => /^\d+\.\d+\.\d+\.\d+$/.test(address) && !address.startsWith('169.254.'));
}
