/** A host's interfaces: its bridges. */
import { type Call, type Handlers, PveError } from '../api.js';
import type { BridgeRecord } from '../db.js';
import { nodeOf } from '../http/request.js';

export const networkHandlers: Handlers = {
  'GET /nodes/{node}/network': (call) =>
    showsBridges(call)
      ? bridges(call).map((bridge, index) => ({ iface: bridge.iface, ...describe(bridge, index) }))
      : [],
  'GET /nodes/{node}/network/{iface}': (call) => {
    const bridge = bridges(call).find((candidate) => candidate.iface === call.text('iface'));
    if (!bridge) throw PveError.parameter({ iface: 'interface does not exist' });
    return describe(bridge, bridges(call).indexOf(bridge));
  },
};

const BRIDGE_TYPES = ['bridge', 'any_bridge', 'any_local_bridge', 'include_sdn'];

function bridges(call: Call): readonly BridgeRecord[] {
  return call.pve.db.hosts.get(nodeOf(call))?.bridges ?? [];
}

function showsBridges(call: Call): boolean {
  const type = call.text('type');
  return type === undefined || BRIDGE_TYPES.includes(type);
}

/** Loopback and the first physical interface come before the bridges. */
const FIRST_PRIORITY = 3;

function describe(bridge: BridgeRecord, index: number): Record<string, unknown> {
  const { address, netmask, cidr, ports } = bridge;
  const addressed =
    address === undefined ? { method: 'manual' } : { method: 'static', address, netmask, cidr };
  return {
    type: 'bridge',
    autostart: 1,
    bridge_fd: '0',
    bridge_ports: ports,
    bridge_stp: 'off',
    families: ['inet'],
    method6: 'manual',
    priority: FIRST_PRIORITY + index,
    ...addressed,
  };
}
