/** The bridges of a host, each with the MTU it has. */
import type { NetworkInterface } from '../../clients/proxmox/calls/hosts.js';
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import { attempt } from '../attempt.js';
import type { Observed, ObservedBridge } from '../observed.js';

const KERNEL_MTU = 1_500;

/** `largest`: the largest MTU that a NIC there is to have. */
export async function readBridges(
  client: Pick<ProxmoxClient, 'bridges' | 'network'>,
  host: string,
  largest: number,
): Promise<ObservedBridge[]> {
  const bridges = await client.bridges(host);
  // A bridge without an MTU in its config takes that of its ports.
  const isOpen = bridges.some(({ mtu, ports }) => mtu === undefined && ports.length > 0);
  const interfaces = isOpen && largest > KERNEL_MTU ? await client.network(host) : bridges;
  return bridges
    .map((bridge): ObservedBridge => {
      const mtu = mtuOf(bridge, interfaces);
      return { name: bridge.iface, ...(mtu !== undefined && { mtu }) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Of every host that is up. */
export async function withBridges(
  client: Pick<ProxmoxClient, 'bridges' | 'network'>,
  { hosts, bridges }: Pick<Observed, 'hosts' | 'bridges'>,
  largest: number,
): Promise<Observed['bridges']> {
  const missing = Object.values(hosts).filter(({ name, online }) => online && bridges[name] === undefined);
  const read = await Promise.all(
    missing.map(async ({ name }) => [name, await attempt(() => readBridges(client, name, largest))] as const),
  );
  return { ...bridges, ...Object.fromEntries(read) };
}

/** `undefined`: a network of SDN, or a port whose own MTU is not in its config and is not the kernel's. */
function mtuOf(bridge: NetworkInterface, interfaces: readonly NetworkInterface[]): number | undefined {
  if (bridge.mtu !== undefined) return bridge.mtu;
  if (!/bridge$/i.test(bridge.type)) return undefined;
  const ports = bridge.ports.map((port) => interfaces.find(({ iface }) => iface === port));
  const sizes = ports.map((port) =>
    port?.mtu !== undefined ? port.mtu : port === undefined || port.type === 'eth' ? KERNEL_MTU : undefined,
  );
  if (sizes.some((size) => size === undefined)) return undefined;
  return sizes.length === 0 ? KERNEL_MTU : Math.min(...sizes.flatMap((size) => size ?? []));
}
