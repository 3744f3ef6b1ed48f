/** A host's interfaces read, changed and reloaded (pve-manager, PVE/API2/Network.pm). */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { nodeOf } from '../http/request.js';
import { localVnets } from '../sdn/local-vnets.js';
import { ipv6Type, isIpv6 } from '../validation/addresses.js';
import { splitList } from '../validation/formats.js';
import { assertWritable, PORT_LISTS, typeAsRead } from './interface-file.js';
import {
  type Interface,
  type Interfaces,
  interfacesOf,
  pendingChanges,
  reloadInterfaces,
  revertInterfaces,
  writeInterfaces,
} from './interfaces.js';

const PATH = '/nodes/{node}/network';
const RELOAD = 'srvreload';
const RELOAD_MS = 3_000;

export const networkHandlers: Handlers = {
  [`GET ${PATH}`]: listInterfaces,
  [`POST ${PATH}`]: createInterface,
  [`PUT ${PATH}`]: (call) =>
    call.pve.tasks.start(call, {
      node: nodeOf(call),
      type: RELOAD,
      id: 'networking',
      args: { host: nodeOf(call) },
      duration: RELOAD_MS,
    }),
  [`DELETE ${PATH}`]: (call) => {
    revertInterfaces(call.pve, nodeOf(call));
    return null;
  },
  [`GET ${PATH}/{iface}`]: (call) => shown(requireInterface(call)),
  [`PUT ${PATH}/{iface}`]: updateInterface,
  [`DELETE ${PATH}/{iface}`]: (call) => {
    requireInterface(call);
    const { [ifaceOf(call)]: _gone, ...others } = interfacesOf(call.pve, nodeOf(call));
    assertWritable(others);
    writeInterfaces(call.pve, nodeOf(call), others);
    return null;
  },
};

export function defineNetworkTasks(pve: Pve): void {
  pve.tasks.define<{ host: string }>(RELOAD, ({ host }) => {
    reloadInterfaces(pve, host);
    return undefined;
  });
}

const ifaceOf = (call: Call) => call.text('iface') ?? '';
const isBridge = (type: string) => type === 'bridge' || type === 'OVSBridge';

function requireInterface(call: Call): Interface {
  const found = interfacesOf(call.pve, nodeOf(call))[ifaceOf(call)];
  if (!found) throw PveError.parameter({ iface: 'interface does not exist' });
  return found;
}

function shown(iface: Interface): Record<string, unknown> {
  const families = [
    ...(iface.address !== undefined ? ['inet'] : []),
    ...(iface.address6 !== undefined ? ['inet6'] : []),
  ];
  // What stands on another interface exists as that one does, and of those nothing is known.
  const stacked = iface.type === 'vlan' || iface.type === 'alias';
  return {
    ...iface,
    families: families.length > 0 ? families : ['inet'],
    ...(stacked && { exists: null }),
  };
}

function listInterfaces(call: Call): unknown {
  const host = nodeOf(call);
  const type = call.text('type');
  const wanted = (own: string) =>
    type === undefined ||
    type === 'include_sdn' ||
    type === own ||
    (isBridge(own) && /^any(_local)?_bridge$/.test(type));
  const own = Object.entries(interfacesOf(call.pve, host))
    .filter(([, iface]) => wanted(iface.type))
    .filter(
      ([name, iface]) =>
        !isBridge(iface.type) ||
        call.allows(`/sdn/zones/localnetwork/${name}`, ['SDN.Audit', 'SDN.Use'], { any: true }),
    )
    .map(([iface, settings]) => ({ iface, ...shown(settings) }));
  const vnets = /^(any_bridge|include_sdn|vnet)$/.test(type ?? '') ? localVnets(call, host) : [];
  const changes = pendingChanges(call.pve, host);
  if (changes !== undefined) call.beside('changes', changes);
  return [...own, ...vnets];
}

function portsOf(iface: Readonly<Record<string, string | number>>): string[] {
  return PORT_LISTS.flatMap((name) => splitList(String(iface[name] ?? '')));
}

function checkDuplicates(call: Call, given: Call['params']): void {
  const others = Object.entries(interfacesOf(call.pve, nodeOf(call))).filter(
    ([name]) => name !== ifaceOf(call),
  );
  for (const [key, name] of [
    ['gateway', 'Default gateway'],
    ['gateway6', 'Default ipv6 gateway'],
  ] as const) {
    const holder = given[key] ? others.find(([, iface]) => iface[key]) : undefined;
    if (holder) throw PveError.parameter({ [key]: `${name} already exists on interface '${holder[0]}'.` });
  }
  const list = PORT_LISTS.find((name) => given[name]);
  if (list === undefined) return;
  for (const [name, iface] of others) {
    const taken = portsOf(iface).find((port) => portsOf(given).includes(port));
    if (taken !== undefined) {
      throw PveError.parameter({ [list]: `${taken} is already used on interface '${name}'.` });
    }
  }
}

/** `cidr` is another way to give address and netmask; both are read back. */
function addresses(given: Call['params']): Record<string, string | number> {
  const found: Record<string, string | number> = { ...given };
  for (const six of ['', '6']) {
    const cidr = found[`cidr${six}`];
    if (cidr) {
      for (const name of [`address${six}`, `netmask${six}`]) {
        if (found[name]) throw PveError.parameter({ [name]: `${name} conflicts with cidr${six}` });
      }
      const [, address = '', netmask = ''] = /^(.*)\/(\d+)$/.exec(String(cidr)) ?? [];
      Object.assign(found, { [`address${six}`]: address, [`netmask${six}`]: netmask });
    } else if (found[`address${six}`] && found[`netmask${six}`]) {
      found[`netmask${six}`] = prefixLength(String(found[`netmask${six}`]));
      found[`cidr${six}`] = `${found[`address${six}`]}/${found[`netmask${six}`]}`;
    }
  }
  if (found.address6) checkIpv6(String(found.address6), Number(found.netmask6));
  return found;
}

/** `255.255.255.0` is 24. */
function prefixLength(netmask: string): string {
  if (!netmask.includes('.')) return netmask;
  const bits = netmask.split('.').map((part) => Number(part).toString(2).replaceAll('0', '').length);
  return String(bits.reduce((sum, count) => sum + count, 0));
}

function checkIpv6(address: string, netmask: number): void {
  if (netmask < 0 || netmask > 128) {
    throw PveError.parameter({ netmask: `${netmask} is not a valid subnet length for ipv6` });
  }
  if (!isIpv6(address)) {
    throw PveError.parameter({ address: `${address} is not a valid host IPv6 address.` });
  }
  const type = ipv6Type(address);
  if (!type.endsWith('-UNICAST')) {
    throw PveError.parameter({
      address: `${address} with type '${type}', cannot be used as host IPv6 address.`,
    });
  }
}

/** Numbers of the reader's own; everything else is read as text, and what is off is not there. */
const NUMBERS = new Set(['priority']);
const FLAGS = new Set(['autostart', 'bridge_vlan_aware']);

/** As it is when it is read again. */
function written(name: string, settings: Record<string, string | number>): Interface {
  const { families: _families, comments, comments6, bridge_vids: vids, ...given } = settings;
  const rest: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(given)) {
    if (FLAGS.has(key) ? value : value !== '') {
      rest[key] = NUMBERS.has(key) || FLAGS.has(key) ? Number(value) : String(value);
    }
  }
  const asked = String(rest.type ?? 'unknown');
  const type = typeAsRead(name, asked, rest['vlan-raw-device']);
  const [, raw, tag] = /^(\S+)\.(\d+)$/.exec(name) ?? [];
  const id = tag ?? /^vlan(\d+)$/.exec(name)?.[1];
  const line = (text: string | number) => `${String(text).replace(/\n$/, '')}\n`;
  const aware = rest.bridge_vlan_aware !== undefined;
  // Options of a bond that its mode does not use are not written.
  if (rest.bond_mode !== 'active-backup') delete rest['bond-primary'];
  if (!/^(balance-xor|802\.3ad)$/.test(String(rest.bond_mode))) delete rest.bond_xmit_hash_policy;
  return {
    ...(type === 'bridge' && { bridge_ports: '', bridge_stp: 'off', bridge_fd: '0' }),
    ...(asked === 'bond' && { bond_mode: 'balance-rr', bond_miimon: '100', slaves: '' }),
    ...(type === 'vlan' && raw !== undefined && { 'vlan-raw-device': raw }),
    ...rest,
    ...(type === 'vlan' && id !== undefined && { 'vlan-id': id }),
    ...(comments !== undefined && comments !== '' && { comments: line(comments) }),
    ...(comments6 !== undefined && comments6 !== '' && { comments6: line(comments6) }),
    ...(aware && { bridge_vids: splitList(String(vids ?? '')).join(' ') || '2-4094' }),
    type,
  };
}

function checkType(call: Call, given: Call['params']): void {
  const type = String(given.type);
  if (/^OVS/.test(type)) {
    throw new PveError(500, "Open VSwitch is not installed (need package 'openvswitch-switch')");
  }
  if (
    given.bridge_vids !== undefined &&
    given.bridge_vids !== '' &&
    splitList(String(given.bridge_vids)).length === 0
  ) {
    throw PveError.parameter({ bridge_vids: 'VLAN list items are empty' });
  }
  checkDuplicates(call, given);
}

/** The file is checked with the type that was asked for, and read with the one its lines tell. */
function write(call: Call, all: Interfaces, name: string, settings: Record<string, string | number>): null {
  const iface = written(name, settings);
  assertWritable({ ...all, [name]: { ...iface, type: String(settings.type ?? iface.type) } });
  writeInterfaces(call.pve, nodeOf(call), withSlaves({ ...all, [name]: iface }));
  return null;
}

/** Slaves of a bond start with their host. */
function withSlaves(all: Interfaces): Interfaces {
  const slaves = new Set(Object.values(all).flatMap(({ slaves }) => splitList(String(slaves ?? ''))));
  return Object.fromEntries(
    Object.entries(all).map(([name, iface]) => [name, slaves.has(name) ? { ...iface, autostart: 1 } : iface]),
  );
}

function methods(given: Readonly<Record<string, string | number>>): Record<string, string> {
  return { method: given.address ? 'static' : 'manual', method6: given.address6 ? 'static' : 'manual' };
}

function createInterface(call: Call): null {
  const { node: _node, iface: _iface, ...given } = call.params;
  const name = ifaceOf(call);
  const all = interfacesOf(call.pve, nodeOf(call));
  if (all[name]) throw PveError.parameter({ iface: 'interface already exists' });
  const settings = addresses(given);
  checkType(call, given);
  return write(call, all, name, { ...settings, ...methods(settings) });
}

function updateInterface(call: Call): null {
  const { node: _node, iface: _iface, delete: remove, ...given } = call.params;
  const gone = splitList(String(remove ?? '')).flatMap((key) =>
    /^cidr6?$/.test(key) ? [key, key.replace('cidr', 'address'), key.replace('cidr', 'netmask')] : [key],
  );
  const settings = addresses(given);
  // Lines of a family are written where it has an address now, those of IPv4 also where none has.
  const four = settings.address !== undefined || settings.address6 === undefined;
  const dropped = [...(four ? [] : ['']), ...(settings.address6 === undefined ? ['6'] : [])].flatMap((six) =>
    ['address', 'netmask', 'cidr', 'gateway'].map((key) => `${key}${six}`),
  );
  const lost = new Set([...gone, ...dropped]);
  const kept = Object.entries(requireInterface(call)).filter(([key]) => !lost.has(key));
  checkType(call, given);
  const all = interfacesOf(call.pve, nodeOf(call));
  return write(call, all, ifaceOf(call), { ...Object.fromEntries(kept), ...settings, ...methods(settings) });
}
