import type { Call } from '../api.js';
import { running } from './objects.js';

/** VNets that a host has as bridges (`get_local_vnets`). */
export function localVnets(call: Call, host: string): Record<string, unknown>[] {
  const zones = new Map(running(call.pve, 'zones'));
  return running(call.pve, 'vnets').flatMap(([iface, vnet]) => {
    const zone = zones.get(String(vnet.zone));
    const nodes = String(zone?.nodes ?? '');
    if (!zone || (nodes !== '' && !nodes.split(',').includes(host))) return [];
    if (!call.allows(`/sdn/zones/${vnet.zone}/${iface}`, ['SDN.Audit', 'SDN.Use'], { any: true })) return [];
    return [
      {
        iface,
        type: 'vnet',
        active: '1',
        ipam: zone.ipam ? 1 : 0,
        vlanaware: vnet.vlanaware ? 1 : 0,
        ...(vnet.alias !== undefined && { comments: vnet.alias }),
      },
    ];
  });
}
