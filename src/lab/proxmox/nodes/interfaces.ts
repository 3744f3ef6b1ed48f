/** What a host's `/etc/network/interfaces` says, as it is and as it will be after the next reload. */
import type { Pve } from '../api.js';
import type { BridgeRecord, HostRecord } from '../db.js';
import type { Settings } from '../section-config.js';
import { inFileOrder } from './interface-file.js';

export type Interface = Settings & { readonly type: string };
export type Interfaces = Readonly<Record<string, Interface>>;

/** `pending`: `interfaces.new`, which every reader sees. */
export interface HostNetwork {
  readonly current?: Interfaces;
  readonly pending?: Interfaces;
}

/** Loopback and the first physical interface come before the bridges. */
const FIRST_PRIORITY = 3;

function ofBridge(
  { address, netmask, cidr, ports, mtu, iface: _iface }: BridgeRecord,
  index: number,
): Interface {
  const addressed = { ...(address && { address }), ...(netmask && { netmask }), ...(cidr && { cidr }) };
  return {
    type: 'bridge',
    autostart: 1,
    bridge_fd: '0',
    bridge_ports: ports,
    bridge_stp: 'off',
    method: address === undefined ? 'manual' : 'static',
    method6: 'manual',
    priority: FIRST_PRIORITY + index,
    ...(mtu !== undefined && { mtu: String(mtu) }),
    ...addressed,
  };
}

function currentOf(pve: Pick<Pve, 'db'>, host: string): Interfaces {
  const kept = pve.db.networks.get(host)?.current;
  const bridges = pve.db.hosts.get(host)?.bridges ?? [];
  return kept ?? Object.fromEntries(bridges.map((bridge, index) => [bridge.iface, ofBridge(bridge, index)]));
}

export function interfacesOf(pve: Pick<Pve, 'db'>, host: string): Interfaces {
  return pve.db.networks.get(host)?.pending ?? currentOf(pve, host);
}

export function writeInterfaces({ db }: Pick<Pve, 'db'>, host: string, wanted: Interfaces): void {
  const { pending: _old, ...rest } = db.networks.get(host) ?? {};
  db.networks.put(host, { ...rest, pending: inFileOrder(wanted) });
}

export function revertInterfaces({ db }: Pick<Pve, 'db'>, host: string): void {
  const { current } = db.networks.get(host) ?? {};
  db.networks.put(host, current ? { current } : {});
}

/** What waited is how it is now; VMs find the bridges that are there. */
export function reloadInterfaces(pve: Pick<Pve, 'db'>, host: string): void {
  const current = interfacesOf(pve, host);
  pve.db.networks.put(host, { current });
  pve.db.hosts.update(host, (record: HostRecord) => ({
    ...record,
    bridges: Object.entries(current).flatMap(
      ([iface, { type, address, netmask, cidr, bridge_ports, mtu }]) =>
        type === 'bridge' || type === 'OVSBridge'
          ? [
              {
                iface,
                ports: String(bridge_ports ?? ''),
                ...(address !== undefined && { address: String(address) }),
                ...(netmask !== undefined && { netmask: String(netmask) }),
                ...(cidr !== undefined && { cidr: String(cidr) }),
                ...(mtu !== undefined && { mtu: Number(mtu) }),
              },
            ]
          : [],
    ),
  }));
}

/** What waits for the next reload, by interface: a diff of the two states. */
export function pendingChanges(pve: Pick<Pve, 'db'>, host: string): string | undefined {
  const before = currentOf(pve, host);
  const pending = pve.db.networks.get(host)?.pending;
  if (!pending) return undefined;
  const names = [...new Set([...Object.keys(before), ...Object.keys(pending)])].sort();
  const lines = names.flatMap((name) => {
    const [old, now] = [before[name], pending[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    return [
      ...(old ? [`-iface ${name} inet ${old.method}`] : []),
      ...(now ? [`+iface ${name} inet ${now.method}`] : []),
    ];
  });
  return lines.length === 0 ? undefined : `${lines.join('\n')}\n`;
}
