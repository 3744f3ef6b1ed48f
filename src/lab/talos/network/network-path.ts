import {
  cidrContains,
  formatCidr,
  networkOf as networkAround,
  parseCidr,
  parseIPv4,
} from '../../../model/address.js';
import { bootState, nicKey } from '../machine/boot-state.js';
import type { Machine } from '../machine/machine.js';
import type { MachineAddress } from './addresses.js';

/**
 * What a machine's network settings mean on the wire. The lab has no cables: it takes the gateways and the MTU that new
 * machines come with for those of the network, and what a machine is told later has to fit them.
 */
const DEFAULT_MTU = 1500;
/** Headers of IP, TCP and TLS in a packet. */
const HEADERS = 100;

/** A machine gets its first config: its gateway is a router, its bridge carries packets of its MTU. */
export function learnNetwork(machine: Machine): void {
  const { routers, bridges } = machine.room.db;
  for (const address of machine.addresses) {
    const network = networkOf(address);
    if (!network || address.gateway === undefined || !onLink(address)) continue;
    const known = routers.get(network) ?? [];
    if (!known.includes(address.gateway)) routers.put(network, [...known, address.gateway]);
  }
  for (const [index, { bridge }] of machine.hardware.nics.entries()) {
    const mtu = Math.max(DEFAULT_MTU, bridges.get(bridge) ?? 0, linkMtu(machine, index));
    if (bridges.get(bridge) !== mtu) bridges.put(bridge, mtu);
  }
}

/** Whether packets come through to what lies behind the gateway: time servers, registries, discovery. */
export function reachesOutside(machine: Machine): boolean {
  const { faults } = machine.room.core;
  const { routers } = machine.room.db;
  const { addresses } = machine;
  const known = addresses.flatMap((address) => routers.get(networkOf(address) ?? '') ?? []);
  if (known.length === 0) return addresses.length > 0;
  return addresses.some(
    (address) =>
      address.gateway !== undefined &&
      onLink(address) &&
      (known.includes(address.gateway) || faults.holds('gateway-moved', address.gateway)),
  );
}

/** Addresses whose gateway the kernel takes: it must lie in the link's own network. */
export function routedAddresses(machine: Machine): MachineAddress[] {
  return machine.addresses.filter((address) => address.gateway !== undefined && onLink(address));
}

/** The largest piece of data that comes through; `undefined`: any. A link with more MTU than its bridge loses the rest. */
export function largestTransfer(machine: Machine): number | undefined {
  const { bridges } = machine.room.db;
  const paths = machine.hardware.nics.flatMap(({ bridge }, index) => {
    const path = bridges.get(bridge);
    return path !== undefined && linkMtu(machine, index) > path ? [path - HEADERS] : [];
  });
  return paths.length > 0 ? Math.min(...paths) : undefined;
}

/** The MTU that a NIC has: the last one that a config of this boot gave it, else the one that its device offers. */
export function linkMtu(machine: Machine, index: number): number {
  const nic = machine.hardware.nics[index];
  const set = nic && machine.configured ? bootState(machine).mtus[nicKey(nic)] : undefined;
  return set ?? nic?.mtu ?? DEFAULT_MTU;
}

function networkOf({ ip, prefix }: MachineAddress): string | undefined {
  const address = parseIPv4(ip);
  return address && formatCidr(networkAround(address, prefix));
}

function onLink(address: MachineAddress): boolean {
  const gateway = parseIPv4(address.gateway ?? '');
  const network = parseCidr(networkOf(address) ?? '');
  return gateway !== undefined && network !== undefined && cidrContains(network, gateway);
}
