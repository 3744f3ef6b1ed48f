import { hashParts } from '../../../formats/text/hash.js';
import {
  addToIPv4,
  broadcastOf,
  cidrContains,
  type IPv4,
  ipv4FromNumber,
  ipv4ToNumber,
  parseCidr,
  parseIPv4,
} from '../../../model/address.js';
import type { ConfigFacts, LinkFacts } from '../config/config-facts.js';
import type { Hardware, Nic } from '../hypervisors/hypervisor.js';
import type { LeaseRecord, TalosDb } from '../machine/machine-record.js';
import { LINK_ENVIRONMENT } from '../selectors/environment.js';
import { compileSelector } from '../selectors/evaluate.js';

/** An address that a machine has on one of its NICs. */
export interface MachineAddress {
  readonly ip: string;
  readonly prefix: number;
  readonly gateway?: string;
  readonly nic: number;
}

/**
 * The addresses of a machine: those of its config, and those of its cloud-init drive. Talos keeps them in layers that are
 * merged, and no document removes what the platform's layer has (seen on a real 1.14.1 machine: a LinkConfig with
 * another address, and the link has both; `up: false` changes nothing). A link of the config that no NIC is (a selector
 * with another MAC) has no address. Without either there is a lease.
 */
export function machineAddresses(
  db: TalosDb,
  hardware: Hardware,
  facts: ConfigFacts | undefined,
): readonly MachineAddress[] {
  const known = facts && fixed.get(hardware)?.get(facts);
  if (known) return known;
  const addresses = readAddresses(db, hardware, facts);
  // A lease is the DHCP server's to change; what a config or a drive says is not.
  const links = facts?.links ?? [];
  const platform = hardware.cloudInit?.links ?? [];
  const isFixed = links.some((link) => link.addresses.length > 0) && !links.some((link) => link.dhcp);
  if (facts && isFixed && !platform.some(({ address }) => address === 'dhcp')) {
    const of = fixed.get(hardware) ?? new WeakMap<ConfigFacts, readonly MachineAddress[]>();
    fixed.set(hardware, of.set(facts, addresses));
  }
  return addresses;
}

/** Both are replaced, never changed. */
const fixed = new WeakMap<Hardware, WeakMap<ConfigFacts, readonly MachineAddress[]>>();

function readAddresses(db: TalosDb, hardware: Hardware, facts: ConfigFacts | undefined): MachineAddress[] {
  const links = (facts?.links ?? []).filter((link) => link.dhcp || link.addresses.length > 0);
  const configured = links.flatMap((link) => linkAddresses(db, hardware, link));
  const platform = platformAddresses(db, hardware);
  const all = [
    ...configured,
    ...platform.filter(({ ip, nic }) => !configured.some((one) => one.ip === ip && one.nic === nic)),
  ];
  return all.length > 0 || links.length > 0 ? all : leased(db, hardware.nics[0], 0);
}

/** What the cloud-init drive gives. */
export function platformAddresses(db: TalosDb, { cloudInit, nics }: Hardware): MachineAddress[] {
  return (cloudInit?.links ?? []).flatMap(({ nic, address, gateway }) =>
    address === 'dhcp' ? leased(db, nics[nic], nic) : staticAddress(address, gateway, nic),
  );
}

function linkAddresses(db: TalosDb, hardware: Hardware, link: LinkFacts): MachineAddress[] {
  const nic = nicOf(hardware, link);
  if (nic < 0) return [];
  return [
    ...link.addresses.flatMap((address) => staticAddress(address, link.gateway, nic)),
    ...(link.dhcp ? leased(db, hardware.nics[nic], nic) : []),
  ];
}

/** Selectors are asked for again and again, and hardware that is the same object is the same hardware. */
const found = new WeakMap<Hardware, WeakMap<LinkFacts, number>>();

export function nicOf(hardware: Hardware, link: LinkFacts): number {
  const known = found.get(hardware) ?? new WeakMap<LinkFacts, number>();
  found.set(hardware, known);
  const nic = known.get(link) ?? findNic(hardware, link);
  known.set(link, nic);
  return nic;
}

function findNic(hardware: Hardware, link: LinkFacts): number {
  if (link.selector) {
    const selects = compileSelector(link.selector, LINK_ENVIRONMENT);
    return hardware.nics.findIndex((nic, index) => selects({ link: linkObject(nic, index) }));
  }
  const base = link.name.replace(/\.\d+$/, '');
  const named = hardware.nics.findIndex((_, index) => [linkName(index), `eth${index}`].includes(base));
  // A name the kernel might have given (ens18): the first NIC; a name no one gave is no link.
  return named >= 0 ? named : /^(en|lan)/.test(base) && hardware.nics.length > 0 ? 0 : -1;
}

/** By the PCI address that Proxmox gives a NIC: net0 is at 00:12.0 (seen as `enp0s18` on a real machine). */
export function linkName(nic: number): string {
  return nic < 6 ? `enp0s${18 + nic}` : `enp1s${nic - 5}`;
}

/** The alias that a LinkAliasConfig gives it: `net0`. */
export function linkAlias(
  hardware: Hardware,
  facts: ConfigFacts | undefined,
  nic: number,
): string | undefined {
  return facts?.links.find(
    (link) => link.selector && !/\.\d+$/.test(link.name) && nicOf(hardware, link) === nic,
  )?.name;
}

function linkObject(nic: Nic, index: number) {
  const address = Uint8Array.from(nic.mac.split(':'), (byte) => Number.parseInt(byte, 16));
  return {
    index: index + 2,
    type: 1,
    hardware_addr: address,
    permanent_addr: address,
    mtu: nic.mtu ?? 1500,
    driver: 'virtio_net',
    operational_state: 6,
    link_state: true,
    kind: '',
    alias: '',
  };
}

function staticAddress(cidr: string, gateway: string | undefined, nic: number): MachineAddress[] {
  const [ip, prefix] = cidr.split('/');
  if (ip === undefined || prefix === undefined) return [];
  return [{ ip, prefix: Number(prefix), nic, ...(gateway ? { gateway } : {}) }];
}

function leased(db: TalosDb, nic: Nic | undefined, index: number): MachineAddress[] {
  const lease = nic && (db.leases.get(nic.mac) ?? newLease(db, nic));
  return lease ? [{ ...lease, nic: index }] : [];
}

/**
 * The lab's DHCP server: reserved addresses come from the world (`reserveLease`), others from the upper half of the
 * bridge's network, by a hash of the MAC. A bridge without a network gives no leases.
 */
function newLease(db: TalosDb, nic: Nic): LeaseRecord | undefined {
  const [address, prefixText] = (nic.subnet ?? '').split('/');
  const ip = parseIPv4(address ?? '');
  const prefix = Number(prefixText);
  if (!ip || !(prefix >= 8 && prefix <= 29)) return undefined;
  const network = ipv4FromNumber(ipv4ToNumber(ip) - (ipv4ToNumber(ip) % 2 ** (32 - prefix)));
  const cidr = network && parseCidr(`${network}/${prefix}`);
  if (!network || !cidr) return undefined;
  const half = 2 ** (31 - prefix);
  const start = Number.parseInt(hashParts(['lease', nic.mac]).slice(0, 8), 16) % (half - 2);
  const taken = new Set([...db.leases.values()].map((lease) => lease.ip));
  for (let step = 0; step < half - 2; step += 1) {
    const candidate: IPv4 | undefined = addToIPv4(network, half + ((start + step) % (half - 2)));
    if (!candidate || taken.has(candidate) || candidate === ip || candidate === broadcastOf(cidr)) continue;
    if (!cidrContains(cidr, candidate)) continue;
    const lease = { ip: candidate, prefix, gateway: ip };
    db.leases.put(nic.mac, lease);
    return lease;
  }
  return undefined;
}

/** A reservation in the lab's DHCP server: the machine with this MAC gets this address. */
export function reserveLease(db: TalosDb, mac: string, lease: LeaseRecord): void {
  const key = mac.toUpperCase();
  if (db.leases.get(key)?.ip !== lease.ip) db.leases.put(key, lease);
}
