/** The rules of `/etc/network/interfaces`: what can be written, in which order, and how it is read again (pve-common, PVE/Network/Interfaces.pm). */
import { PveError } from '../api.js';
import { splitList } from '../validation/formats.js';
import type { Interface, Interfaces } from './interfaces.js';

/** Hosts of a lab have every card that someone names. */
const NIC = /^(?:eth\d+|en[^:.]+|ib[^:.]+|(?:nic|if)\d+)$/;

export const PORT_LISTS = ['bridge_ports', 'ovs_ports', 'slaves', 'ovs_bonds'] as const;

const portsIn = (iface: Interface, list: string) => splitList(String(iface[list] ?? ''));

/** Throws what keeps the file from being written. */
export function assertWritable(all: Interfaces): void {
  const used = new Map<string, string>();
  for (const [name, iface] of Object.entries(all)) {
    for (const port of PORT_LISTS.flatMap((list) => portsIn(iface, list))) {
      const holder = used.get(port);
      if (holder !== undefined && holder !== name) {
        throw new PveError(500, `port '${port}' is already used on interface '${holder}'`);
      }
      used.set(port, name);
    }
  }
  const checks: Readonly<Record<string, (all: Interfaces, name: string, iface: Interface) => void>> = {
    bond: checkBond,
    vlan: checkVlan,
    bridge: checkBridge,
  };
  for (const [type, check] of Object.entries(checks)) {
    for (const [name, iface] of Object.entries(all)) if (iface.type === type) check(all, name, iface);
  }
}

function checkBond(all: Interfaces, name: string, iface: Interface): void {
  const slaves = portsIn(iface, 'slaves');
  for (const slave of slaves) {
    const type = typeOf(all, slave);
    if (type !== 'eth' && type !== 'bond') {
      throw new PveError(
        500,
        `bond '${name}' - wrong interface type on slave '${slave}' ('${type ?? ''}' != 'eth or bond')`,
      );
    }
    checkMtu(all, name, slave);
  }
  const primary = iface['bond-primary'];
  if (slaves.length > 0 && primary && !slaves.includes(String(primary))) {
    throw new PveError(500, `bond '${name}' - bond-primary interface is not a slave ${PLACE} 909.`);
  }
}

const PLACE = 'at /usr/share/perl5/PVE/Network/Interfaces.pm line';

function checkVlan(all: Interfaces, name: string, iface: Interface): void {
  const dotted = /^(\S+)\.(\d+)$/.exec(name);
  const parent = dotted?.[1] ?? iface['vlan-raw-device'];
  if (!parent) throw new PveError(500, `missing vlan-raw-device option ${PLACE} 954.`);
  const id = dotted?.[2] ?? /^vlan(\d+)$/.exec(name)?.[1] ?? iface['vlan-id'];
  if (!id) throw new PveError(500, `missing vlan-id option ${PLACE} 962.`);
  if (Number(id) > 4094) throw new PveError(500, `vlan '${name}' - vlan-id ${id} should be <= 4094`);
  const type = typeOf(all, String(parent));
  if (type === undefined) throw new PveError(500, `vlan '${name}' - unable to find parent '${parent}'`);
  if (!['eth', 'bridge', 'bond', 'vlan'].includes(type)) {
    throw new PveError(
      500,
      `vlan '${name}' - wrong interface type on parent '${parent}' ('${type}' != 'eth|bond|bridge|vlan' )`,
    );
  }
  checkMtu(all, String(parent), name);
}

function checkBridge(all: Interfaces, name: string, iface: Interface): void {
  for (const port of portsIn(iface, 'bridge_ports')) {
    // A VLAN of a card needs no entry of its own.
    if (all[port] === undefined && !/\S+\.\d+$/.test(port) && !NIC.test(port)) {
      throw new PveError(500, `bridge '${name}' - unable to find bridge port '${port}'`);
    }
    const { method, method6, address, address6 }: Partial<Interface> = all[port] ?? {};
    if ((method === 'static' && address !== '0.0.0.0') || (method6 === 'static' && address6 !== '::')) {
      throw new PveError(500, `iface ${port} - ip address can't be set on interface if bridged in ${name}`);
    }
    if (all[port]) checkMtu(all, port, name);
  }
}

function typeOf(all: Interfaces, name: string): string | undefined {
  return all[name]?.type ?? (NIC.test(name) ? 'eth' : undefined);
}

function checkMtu(all: Interfaces, parent: string, child: string): void {
  const wanted = Number(all[child]?.mtu ?? 0);
  if (wanted === 0) return;
  const own = Number(all[parent]?.mtu ?? 0);
  const limit = own || (all[parent]?.type === 'bond' ? wanted : 1500);
  if (limit < wanted) {
    throw new PveError(500, `interface '${parent}' - mtu ${limit} is lower than '${child}' - mtu ${wanted}`);
  }
}

const RANKS: Readonly<Record<string, number>> = {
  eth: 200_000,
  bond: 400_000,
  bridge: 500_000,
  OVSBridge: 500_000,
  vlan: 600_000,
};
/** Of interfaces that /etc/network/interfaces did not have before. */
const NEW = 50_000;
/** The loopback device is the first that is read. */
const FIRST = 3;

/** Cards come before bonds, bonds before bridges; the place there is the priority. */
export function inFileOrder(all: Interfaces): Interfaces {
  const rank = (name: string) => {
    const [root = '', ...rest] = name.split(/[.:]/);
    const type = all[root]?.type;
    return type === undefined || RANKS[type] === undefined ? undefined : RANKS[type] + rest.length;
  };
  const names = Object.keys(all).sort((a, b) => {
    const [first, second] = [rank(a), rank(b)];
    const known = first !== undefined && second !== undefined;
    const place = (name: string, own: number | undefined) =>
      (known ? (own ?? 0) : 0) + Number(all[name]?.priority ?? NEW);
    return place(a, first) - place(b, second) || (a < b ? -1 : 1);
  });
  return Object.fromEntries(
    names.flatMap((name, index) => {
      const iface = all[name];
      return iface ? [[name, { ...iface, priority: FIRST + index }]] : [];
    }),
  );
}

/** The type is told by the name and the options, whatever was asked for. */
export function typeAsRead(name: string, asked: string, rawDevice: unknown): string {
  if (asked === 'bridge' || asked.startsWith('OVS')) return asked;
  if (/^bond\d+$/.test(name)) return 'bond';
  if (/^\S+:\d+$/.test(name)) return 'alias';
  if (/^\S+\.\d+$/.test(name) || rawDevice) return 'vlan';
  return NIC.test(name) ? 'eth' : 'unknown';
}
